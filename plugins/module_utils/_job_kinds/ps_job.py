# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a parameter-server job without an operator. Pure: no request is made, all problems at once.

A ConfigMap stands for the job and holds the lists of its cluster. Each replica has a Service, by whose name the others
reach it before and after its pod is made again, and a batch Job.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.gang import gang_group, gang_options, mark
from .._gangs.notes import gang_notes
from .._job_model.job import Job
from .._job_model.kind import PS_JOB
from .._job_model.metadata import job_metadata
from .._job_model.names import check_names, pod_name
from .._job_model.replicas import given_replicas, replica_options
from .._job_model.run_policy import check_run_policy, run_policy_options
from .._kube.names import node_name
from .._kube.resource import Manifest
from .._pods.pieces import place_of
from .._pods.template import build, command_given, given, main_container, merged, pod_options, texts
from . import ps_contract, ps_folders
from .ps_contract import Task
from .ps_disruption import failure_policy

Options = Mapping[str, Any]
# Nodes (None for any), and whether each type deals them out for itself.
Places = Tuple[Sequence[Optional[str]], bool]

DEFAULT_PORT = 2222
ENDS = ("all_workers", "worker_0")
_RESTARTS = ("Never", "OnFailure")
_NODES = {"type": "list", "elements": "str"}


def cluster_options() -> Dict[str, Any]:
    """Return the argument spec of what only this kind of job has, beside its folders."""
    contract = {"type": "list", "elements": "str", "choices": list(ps_contract.CONTRACTS), "default": ["flags"]}
    return {
        "contract": contract,
        "port": {"type": "int", "default": DEFAULT_PORT},
        "end": {"type": "str", "choices": list(ENDS), "default": ENDS[0]},
        "nodes": _NODES,
    }


def job_options() -> Dict[str, Any]:
    """Return the argument spec of one job, but for what all kinds share."""
    return {
        "replicas": replica_options(PS_JOB, nodes=_NODES),
        **cluster_options(),
        **ps_folders.folder_options(),
        **pod_options(),
        **run_policy_options(),
        **gang_options(),
    }


def render(options: Options) -> Tuple[Optional[Job], List[Problem]]:
    """Return the objects that the module's options describe, or what is wrong with them."""
    name, namespace = options["name"], options["namespace"]
    replicas, problems = given_replicas(options, PS_JOB)
    counts = {kind: int(replica.get("replicas", 1)) for kind, replica in replicas.items()}
    pods = {kind: merged(options, replica) for kind, replica in replicas.items()}
    problems += (
        check_names(PS_JOB, name, namespace, counts) + check_run_policy(options) + _check_cluster(options, counts)
    )
    for kind, pod in pods.items():
        problems += _check_pod(options, pod, f"replicas.{kind}") + _check_nodes(replicas[kind], f"replicas.{kind}.")
    problems += _check_nodes(options, "")
    metadata, found = job_metadata(options)
    problems += found
    folders = ps_folders.check_folders(options)
    problems += folders
    if not counts:
        return None, problems
    # One of each type is enough to say what else is wrong.
    made = {kind: 1 if problems else count for kind, count in counts.items()}
    tasks = {kind: [_task(name, kind, index) for index in range(count)] for kind, count in made.items()}
    cluster = ps_contract.cluster_of([task for each in tasks.values() for task in each], options["port"])
    places = {kind: _places(options, replica) for kind, replica in replicas.items()}
    sound = ps_folders.without_folders(options) if folders else options
    templates, found = _templates(sound, pods, tasks, cluster, places)
    problems += found
    if problems:
        return None, problems
    specs = {kind: {"replicas": counts[kind], "template": templates[each[0].name]} for kind, each in tasks.items()}
    group, problems = gang_group(options, PS_JOB, name, namespace, specs)
    if problems:
        return None, problems
    parts: List[Manifest] = [group] if group else []
    for kind, each in tasks.items():
        for task in each:
            labels = _labels(options, task)
            parts.append(_service(namespace, task, labels, options["port"]))
            template = mark(options, PS_JOB, name, templates[task.name])
            parts.append(_batch_job(options, task, labels, template, pods[kind]))
    notes = [*_notes(counts), *gang_notes(options, specs)]
    return Job(PS_JOB, name, namespace, _config_map(options, metadata, cluster), parts, notes), []


def _task(name: str, kind: str, index: int) -> Task:
    return Task(kind.lower(), index, pod_name(PS_JOB, name, kind, index))


def _check_cluster(options: Options, counts: Mapping[str, int]) -> List[Problem]:
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


def _check_pod(options: Options, pod: Options, field: str) -> List[Problem]:
    problems: List[Problem] = []
    where = place_of(pod, field)
    restart = pod.get("restart_policy") or "Never"
    if restart not in _RESTARTS:
        rule = f"is for jobs of an operator; without one it is {' or '.join(_RESTARTS)}"
        problems.append(Problem(where("restart_policy"), restart, rule, "Correct it, and see backoff_limit"))
    command, arguments = command_given(pod, PS_JOB.container)
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


def _check_nodes(given_options: Options, prefix: str) -> List[Problem]:
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


def _places(options: Options, replica: Options) -> Places:
    """Return the nodes of one type, and whether they are dealt out among its own tasks or among all of the job."""
    if replica.get("nodes"):
        return _sound(replica["nodes"]), True
    if replica.get("node"):
        return [replica["node"]], True
    return _sound(options["nodes"]) if options.get("nodes") else [options.get("node")], False


def _sound(nodes: Sequence[str]) -> Sequence[Optional[str]]:
    """Return the nodes without those that `_check_nodes` tells of."""
    return [name for name in nodes if not node_name(name)] or [None]


def _templates(
    options: Options,
    pods: Mapping[str, Options],
    tasks: Mapping[str, Sequence[Task]],
    cluster: Mapping[str, Sequence[str]],
    places: Mapping[str, Places],
) -> Tuple[Dict[str, Manifest], List[Problem]]:
    """Return the pod template of each task by its name, and what is wrong: the same for all of one type."""
    templates: Dict[str, Manifest] = {}
    problems: List[Problem] = []
    number = 0
    for kind, each in tasks.items():
        for task in each:
            nodes, own = places[kind]
            node = nodes[(task.index if own else number) % len(nodes)]
            pod = {**_pod(options, pods[kind], task, cluster), "node": node}
            number += 1
            template, found = build(pod, f"replicas.{kind}", PS_JOB.container, PS_JOB.pod_labels(options["name"]))
            if found:
                problems += found
                break
            # Each task has a Service: what Kubernetes tells of all of them would be hundreds of variables.
            template["spec"].setdefault("enableServiceLinks", False)
            template["spec"]["restartPolicy"] = pods[kind].get("restart_policy") or "Never"
            labels = template["metadata"].get("labels") or {}
            template["metadata"]["labels"] = {**labels, **_own_labels(options["name"], task)}
            templates[task.name] = template
    return templates, problems


def _pod(options: Options, pod: Options, task: Task, cluster: Mapping[str, Sequence[str]]) -> Dict[str, Any]:
    """Return the options of one task's pod."""
    name, contract = options["name"], options["contract"]
    volumes, mounts = ps_folders.mounts(options, name, task)
    command, arguments = command_given(pod, PS_JOB.container)
    arguments += ps_contract.arguments(contract, cluster, task)
    command, arguments = ps_folders.command_line(options, command, arguments)
    environment = {**ps_folders.environment(options), **(pod.get("env") or {})}
    environment.update(ps_contract.environment(contract, cluster, task))
    prepared = ps_folders.preparation(options, name, task, pod, main_container(pod, PS_JOB.container))
    return {
        **pod,
        "command": command or None,
        "args": arguments or None,
        "env": environment,
        "volumes": [*(pod.get("volumes") or []), *volumes],
        "volume_mounts": [*(pod.get("volume_mounts") or []), *mounts],
        "init_containers": [*prepared, *(pod.get("init_containers") or [])],
    }


def _own_labels(name: str, task: Task) -> Dict[str, str]:
    keys = PS_JOB.labels
    return {keys.job: name, keys.type: task.role, keys.index: str(task.index)}


def _labels(options: Options, task: Task) -> Dict[str, str]:
    return {**texts(options.get("labels")), **_own_labels(options["name"], task)}


def _config_map(options: Options, metadata: Manifest, cluster: Mapping[str, Sequence[str]]) -> Manifest:
    """Return the root: the lists of the cluster, for programs that read them from a file, and the rule of its end."""
    metadata = {**metadata, "labels": {**metadata.get("labels", {}), **PS_JOB.pod_labels(options["name"])}}
    data = {f"{role}_hosts": ",".join(hosts) for role, hosts in cluster.items()}
    data.update(cluster=json.dumps(cluster), end=options["end"])
    return {"apiVersion": PS_JOB.api_version, "kind": PS_JOB.kind, "metadata": metadata, "data": data}


def _service(namespace: str, task: Task, labels: Mapping[str, str], port: int) -> Manifest:
    selector = {key: labels[key] for key in (PS_JOB.labels.job, PS_JOB.labels.type, PS_JOB.labels.index)}
    spec = {
        "selector": selector,
        "ports": [{"name": "cluster", "port": port, "targetPort": port, "protocol": "TCP"}],
        # Servers wait for each other at their start: nobody would be ready first.
        "publishNotReadyAddresses": True,
    }
    metadata = {"name": task.name, "namespace": namespace, "labels": dict(labels)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def _batch_job(options: Options, task: Task, labels: Mapping[str, str], template: Manifest, pod: Options) -> Manifest:
    metadata = {"name": task.name, "namespace": options["namespace"], "labels": dict(labels)}
    spec = given(
        # A failed worker ends the job, unless it may be tried again.
        backoffLimit=options["backoff_limit"] if options.get("backoff_limit") is not None else _tries(pod),
        activeDeadlineSeconds=options.get("active_deadline_seconds"),
        podFailurePolicy=failure_policy(template["spec"]["restartPolicy"]),
        template=template,
    )
    spec["suspend"] = bool(options.get("suspend"))
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _tries(pod: Options) -> int:
    """Return how often a replica is tried again: Kubernetes' own number where the user lets it be started again."""
    return 6 if pod.get("restart_policy") == "OnFailure" else 0


def _notes(counts: Mapping[str, int]) -> List[str]:
    return [] if "PS" in counts else ["the job has no PS: its workers must find each other without parameter servers"]
