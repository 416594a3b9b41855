# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run checks over what is known of the run and its hosts. Pure: what the controller read comes in as facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils import (
    _checks_containerd,
    _checks_inventory,
    _checks_kubernetes,
    _checks_names,
    _checks_networks,
    _checks_node,
    _checks_options,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem

Check = Callable[[Mapping[str, Any], Mapping[str, Any]], list[Problem]]

# Each of these sees the run as a whole, once.
RUN_CHECKS: Mapping[str, Check] = {
    "inventory": _checks_inventory.inventory_checks,
    "groups": _checks_inventory.group_checks,
    "options": _checks_options.checks,
    "networks": _checks_networks.checks,
    "names": _checks_names.checks,
}
# Each of these sees one host at a time and bears the name of the role that relies on it.
HOST_CHECKS: Mapping[str, Check] = {
    "node": _checks_node.checks,
    "containerd": _checks_containerd.checks,
    "kubernetes": _checks_kubernetes.checks,
}
# What only the controller can see; its problems come in with the run.
CONTROLLER_CHECKS = ("release", "bundle")
ALL_CHECKS = (*RUN_CHECKS, *CONTROLLER_CHECKS, *HOST_CHECKS)


@dataclass(frozen=True)
class Run:
    """What the checks judge.

    groups: as Ansible's variable of that name; without any, all hosts are taken for nodes of the cluster.
    sources: what was given as inventory.
    hosts: host -> `node` (what node_info read there), `error` (why it could not), `python_missing` (whether that is
        the reason) and `versions`, all optional.
    options: the options of module `preflight`.
    releases: names of the known releases.
    files: path -> text, or None, of the files on the controller that options name.
    found: what the checks that only the controller can make have found.
    arch: architecture of the bundle; empty when none was looked at.
    now: the controller's clock, seconds since the epoch.
    """

    groups: Mapping[str, list[str]]
    sources: Sequence[str]
    hosts: Mapping[str, Mapping[str, Any]]
    options: Mapping[str, Any]
    releases: Sequence[str] = ()
    files: Mapping[str, Any] = field(default_factory=dict)
    found: Sequence[Problem] = ()
    arch: str = ""
    now: float = 0.0

    @property
    def nodes(self) -> dict[str, Mapping[str, Any]]:
        """Return host -> what node_info read, for those of the cluster's hosts that could be read."""
        cluster = _checks_inventory.cluster_hosts(self.groups) if self.groups else list(self.hosts)
        return {name: host["node"] for name, host in self.hosts.items() if host.get("node") and name in cluster}


def judge(run: Run, checks: Sequence[str] = ALL_CHECKS) -> list[Problem]:
    """Return the problems that the named checks find, those of the run as a whole before those of single hosts."""
    facts = {
        "groups": run.groups,
        "sources": run.sources,
        "hosts": run.nodes,
        "releases": run.releases,
        "files": run.files,
    }
    problems = [problem for name in checks if name in RUN_CHECKS for problem in RUN_CHECKS[name](facts, run.options)]
    problems += run.found
    for host in run.hosts:
        problems += [replace(problem, host=host) for problem in _host_problems(run, host, checks)]
    return problems


def _host_problems(run: Run, host: str, checks: Sequence[str]) -> list[Problem]:
    # What all hosts share is told once, for the run as a whole.
    shared = run.options["versions"]
    own = {name: value for name, value in run.hosts[host].get("versions", {}).items() if shared.get(name) != value}
    problems = _checks_options.number_problems(own, run.releases)
    if run.hosts[host].get("python_missing"):
        problems += _without_python(run, host)
    elif run.hosts[host].get("error"):
        problems.append(_unreadable(host, str(run.hosts[host]["error"])))
    if host not in run.nodes:
        return problems
    options = {
        **run.options,
        "arch": run.arch,
        "now": run.now,
        "control_plane": host in run.groups.get(_checks_inventory.CONTROL_PLANE, []),
    }
    for name in checks:
        if name in HOST_CHECKS:
            problems += HOST_CHECKS[name](run.nodes[host], options)
    return problems


def _unreadable(host: str, error: str) -> Problem:
    return Problem(
        "connection",
        " ".join(error.split()),
        "every host of the run must be reached, with Python 3.8 or newer and the rights of root",
        f"Put it right, or leave the host out of this run: --limit 'all:!{host}'",
    )


def _without_python(run: Run, host: str) -> list[Problem]:
    """Return a problem unless the host gets Python later in this run, and the run can do without it until then."""
    rule = "without it no module can look at the host"
    if run.options["bootstrap"]:
        if not run.options["check_mode"] or host not in run.groups.get(_checks_inventory.CONTROL_PLANE, [])[:1]:
            return []
        rule = "without it on the first control plane, check mode can foretell nothing of the cluster"
    way_out = f"Install it: ansible-playbook -i <inventory> trainyard.mlstack.bootstrap --limit {host}"
    return [Problem("python3", "absent", rule, f"{way_out}; playbooks cluster and site do so by themselves")]


COLUMNS = ("host", "node", "address", "system", "kernel", "arch", "cpus", "memory", "problems")


def table(run: Run, problems: Sequence[Problem]) -> str:
    """Return one line for each host: what was found there and how many problems it has."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for host in run.hosts:
        node = run.hosts[host].get("node") or {}
        count = sum(problem.host == host for problem in problems)
        system = f"{node.get('distribution') or '?'} {node.get('distribution_version') or ''}".strip()
        memory = f"{node['memory_mb']} MiB" if node.get("memory_mb") else "?"
        found = {key: str(node.get(key) or "?") for key in ("name", "address", "kernel", "arch", "cpus")}
        who = (host, found["name"], found["address"])
        rows.append((*who, system, found["kernel"], found["arch"], found["cpus"], memory, str(count)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
