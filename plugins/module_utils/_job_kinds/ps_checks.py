# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the options of a job without an operator, beyond what is wrong with any job. Pure."""

from __future__ import annotations

from typing import Any, List, Mapping

from .._common.problem import Problem
from .._kube.names import node_name
from .._pods.pieces import place_of
from .._pods.template import command_given
from . import ps_contract, ps_folders
from .ps_contract import Task

Options = Mapping[str, Any]

DEFAULT_PORT = 2222
_RESTARTS = ("Never", "OnFailure")


def check_cluster(options: Options, counts: Mapping[str, int]) -> List[Problem]:
    problems: List[Problem] = []
    if counts and "Worker" not in counts:
        rule = "a job needs at least one worker, whose end is its end; parameter servers never end"
        problems.append(Problem("replicas", ", ".join(counts), rule, "Add Worker"))
    if not 1 <= options["port"] <= 65535:
        rule = "must be a port from 1 to 65535"
        problems.append(Problem("port", str(options["port"]), rule, f"Leave it out for {DEFAULT_PORT}"))
    if not options["contract"]:
        rule = "the tasks must be told of each other in one way at least"
        problems.append(Problem("contract", "[]", rule, f"Name some of {', '.join(ps_contract.CONTRACTS)}"))
    if options.get("ttl_seconds_after_finished") is not None:
        rule = "without an operator each replica would be removed by itself, the first one while the others still train"
        value = str(options["ttl_seconds_after_finished"])
        problems.append(
            Problem("ttl_seconds_after_finished", value, rule, "Leave it out; remove the job by state absent")
        )
    if options.get("clean_pod_policy") not in (None, "Running"):
        rule = "what still runs at the job's end is removed, what has ended stays: the job's end is read from it"
        problems.append(Problem("clean_pod_policy", options["clean_pod_policy"], rule, "Leave it out"))
    return problems


def check_pod(container: str, options: Options, pod: Options, field: str) -> List[Problem]:
    problems: List[Problem] = []
    where = place_of(pod, field)
    restart = pod.get("restart_policy") or "Never"
    if restart not in _RESTARTS:
        rule = f"is for jobs of an operator; without one it is {' or '.join(_RESTARTS)}"
        problems.append(Problem(where("restart_policy"), restart, rule, "Correct it, and see backoff_limit"))
    command, arguments = command_given(pod, container)
    problems += ps_contract.check_command(options["contract"], command, arguments, where("command"))
    problems += ps_folders.check_output(options, command, field)
    cluster = {"ps": ["ps-0:1"], "worker": ["worker-0:1"]}
    told = ps_contract.environment(options["contract"], cluster, Task("worker", 0, "worker-0"))
    problems += [
        Problem(where("env"), name, f"contract {', '.join(options['contract'])} gives it", "Drop it here")
        for name in told
        if name in (pod.get("env") or {})
    ]
    return problems


def check_nodes(given_options: Options, prefix: str) -> List[Problem]:
    """Return what is wrong with one place that says where replicas run: the top of the options, or one type."""
    nodes = given_options.get("nodes") or []
    problems = [
        Problem(f"{prefix}nodes[{index}]", name, node_name(name), "Write it as kubectl get nodes shows it")
        for index, name in enumerate(nodes)
        if node_name(name)
    ]
    if nodes and given_options.get("node"):
        rule = "nodes places the replicas already"
        problems.append(Problem(f"{prefix}node", given_options["node"], rule, "Give one of the two"))
    return problems
