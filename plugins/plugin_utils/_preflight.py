# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run all checks over what is known of the run and its hosts. Pure: what the controller read comes in as facts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Mapping, Sequence

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

HOST_CHECKS = {
    "node": _checks_node.checks,
    "containerd": _checks_containerd.checks,
    "kubernetes": _checks_kubernetes.checks,
}


@dataclass(frozen=True)
class Run:
    """What the checks judge.

    groups: as Ansible's variable of that name; empty when the inventory is not judged.
    sources: what was given as inventory.
    hosts: host -> `node` (what node_info read there), `error` (why it could not, else empty), `versions`.
    options: values that hold for the whole run, as the options of module `preflight`.
    releases: names of the known releases.
    files: path -> text, or None, of the files on the controller that options name.
    arch: architecture of the bundle; empty when none was looked at.
    now: the controller's clock, seconds since the epoch.
    """

    groups: Mapping[str, list[str]]
    sources: Sequence[str]
    hosts: Mapping[str, Mapping[str, Any]]
    options: Mapping[str, Any]
    releases: Sequence[str]
    files: Mapping[str, Any] = field(default_factory=dict)
    arch: str = ""
    now: float = 0.0

    @property
    def nodes(self) -> dict[str, Mapping[str, Any]]:
        """Return host -> what node_info read, for the cluster's hosts that could be read."""
        wanted = _checks_inventory.cluster_hosts(self.groups)
        return {name: host["node"] for name, host in self.hosts.items() if host.get("node") and name in wanted}


def judge(run: Run) -> list[Problem]:
    """Return the problems of the run, those of the run as a whole before those of single hosts."""
    facts = {
        "groups": run.groups,
        "sources": run.sources,
        "hosts": run.nodes,
        "releases": run.releases,
        "files": run.files,
    }
    problems = _checks_inventory.checks(facts, run.options)
    problems += _checks_options.checks(facts, run.options)
    problems += _checks_networks.checks(facts, run.options)
    problems += _checks_names.checks(facts, run.options)
    for name, host in run.hosts.items():
        problems += [replace(problem, host=name) for problem in _host_problems(run, name, host)]
    return list(dict.fromkeys(problems))


def judge_host(facts: Mapping[str, Any], options: Mapping[str, Any], names: Sequence[str]) -> list[Problem]:
    """Return the problems that the named checks of HOST_CHECKS find on one host."""
    return [problem for name in names for problem in HOST_CHECKS[name](facts, options)]


def _host_problems(run: Run, name: str, host: Mapping[str, Any]) -> list[Problem]:
    if host.get("error"):
        return [Problem(
            "connection",
            str(host["error"]).strip().splitlines()[0],
            "every host of the run must be reached, with Python 3.8 or newer and rights of root",
            f"Put it right, or leave the host out of this run: --limit 'all:!{name}'",
        )]
    if name not in run.nodes:
        return []
    # A wrong version on a host is told once for the whole run when all hosts share it.
    own = {key: value for key, value in host["versions"].items() if value != run.options["versions"].get(key)}
    options = {
        **run.options,
        "arch": run.arch,
        "now": run.now,
        "control_plane": name in run.groups.get(_checks_inventory.CONTROL_PLANE, []),
    }
    return _checks_options.number_problems(own, run.releases) + judge_host(host["node"], options, list(HOST_CHECKS))


COLUMNS = ("host", "node", "address", "system", "kernel", "arch", "cpus", "memory", "problems")


def table(run: Run, problems: Sequence[Problem]) -> str:
    """Return one line for each host: what was found there and how many problems it has."""
    rows = [COLUMNS]
    for name, host in run.hosts.items():
        node = host.get("node") or {}
        system = f"{node.get('distribution', '?')} {node.get('distribution_version', '')}"
        memory = f"{node['memory_mb']} MiB" if node.get("memory_mb") else "?"
        count = sum(1 for problem in problems if problem.host == name)
        values = [node.get(key) or "?" for key in ("name", "address")]
        found = [node.get(key) or "?" for key in ("kernel", "arch", "cpus")]
        rows.append((name, *map(str, values), system.strip(), *map(str, found), memory, str(count or "none")))
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
