# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run checks over what is known of the run and its hosts. Pure: what the controller read comes in as facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from ...module_utils._common.columns import columns
from ...module_utils._common.problem import Problem
from .._common.addresses import node_addresses
from .._nodes.control_plane_arguments import argument_problems
from . import clocks as checks_clocks
from . import containerd as checks_containerd
from . import disks as checks_disks
from . import endpoint as checks_endpoint
from . import firewall as checks_firewall
from . import inventory as checks_inventory
from . import kubernetes as checks_kubernetes
from . import live_cluster as checks_live_cluster
from . import names as checks_names
from . import networks as checks_networks
from . import node as checks_node
from . import options as checks_options
from . import pod_network as checks_pod_network
from . import resolver as checks_resolver
from . import rivals as checks_rivals
from . import served_bundle as checks_served_bundle
from . import swap as checks_swap
from . import variables as checks_variables
from .unreadable import NO_PYTHON, NO_PYTHON_IN_CHECK_MODE, unreadable

Check = Callable[[Mapping[str, Any], Mapping[str, Any]], list[Problem]]


def _argument_checks(_facts: Mapping[str, Any], options: Mapping[str, Any]) -> list[Problem]:
    """Return a problem for each argument of a control plane's program that another option sets."""
    if not options["control_plane"]:
        return []
    return argument_problems(options["component_arguments"], options["anonymous_access"])


# Each of these sees the run as a whole, once.
RUN_CHECKS: Mapping[str, Check] = {
    "inventory": checks_inventory.inventory_checks,
    "groups": checks_inventory.group_checks,
    "options": checks_options.checks,
    "variables": checks_variables.checks,
    "endpoint": checks_endpoint.checks,
    "networks": checks_networks.checks,
    "pod_network": checks_pod_network.checks,
    "names": checks_names.checks,
    "clocks": checks_clocks.checks,
    "bundle_url": checks_served_bundle.checks,
}
# Each of these sees one host at a time; they bear the name of the role that relies on them.
HOST_CHECKS: Mapping[str, tuple[Check, ...]] = {
    "node": (checks_node.checks, checks_swap.checks, checks_firewall.checks),
    "containerd": (checks_containerd.checks,),
    "kubernetes": (
        checks_kubernetes.checks,
        checks_disks.checks,
        checks_resolver.checks,
        checks_rivals.checks,
        checks_live_cluster.checks,
        _argument_checks,
    ),
}
# What is worth a warning and no refusal; each belongs to the check of its name.
NOTES: Mapping[str, Check] = {
    "groups": checks_inventory.group_notes,
    "variables": checks_variables.notes,
    "networks": checks_networks.notes,
}
# What only the controller can see; its problems come in with the run.
CONTROLLER_CHECKS = ("release", "bundle")
ALL_CHECKS = (*RUN_CHECKS, *CONTROLLER_CHECKS, *HOST_CHECKS)

# What a host has been given by roles' options; the values are those of the roles' defaults.
HOST_OPTIONS: Mapping[str, Any] = {
    "anonymous_access": "health",
    "api_load_balancer_port": 7443,
    "cluster_name": "mlstack",
    "component_arguments": {},
    "dns_domain": "cluster.local",
    "fail_cgroup_v1": True,
    "fail_swap_on": True,
    "firewall": "leave",
    "firewall_sources": [],
    "kubelet_settings": {},
    "node_ports": False,
    "pod_network": "flannel",
    "resolv_conf": "",
    "swap": "off",
    "vxlan_port": 8472,
}


@dataclass(frozen=True)
class Run:
    """What the checks judge.

    groups: as Ansible's variable of that name; without any, all hosts are taken for nodes of the cluster.
    sources: what was given as inventory.
    hosts: host -> `node` (what node_info read there), `error` (why it could not), `python_missing` (whether that is
        the reason), `versions`, `options` (as HOST_OPTIONS), `variables` (names of the collection's that are set),
        `invalid_options` (as the lookup of that name returns them) and `number_passwords` (names of the connection's
        whose password is no text), all optional.
    options: the options of module `preflight`.
    releases: names of the known releases.
    files: path -> text, or None, of the files on the controller that options name.
    known_variables: names of the collection's variables that something reads.
    mistyped: name -> `kind` and `reason` of each of the collection's variables whose value is not of its type.
    found: what the checks that only the controller can make have found.
    arch: architecture of the bundle; empty when none was looked at.
    kubernetes_version: of the release; empty when there is no such release.
    neighbours: host -> what node_info read there, of hosts that this run leaves out and that others are judged against.
    """

    groups: Mapping[str, list[str]]
    sources: Sequence[str]
    hosts: Mapping[str, Mapping[str, Any]]
    options: Mapping[str, Any]
    releases: Sequence[str] = ()
    files: Mapping[str, Any] = field(default_factory=dict)
    known_variables: Sequence[str] = ()
    mistyped: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    found: Sequence[Problem] = ()
    arch: str = ""
    kubernetes_version: str = ""
    neighbours: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def nodes(self) -> dict[str, Mapping[str, Any]]:
        """Return host -> what node_info read, for those of the cluster's hosts that could be read."""
        cluster = checks_inventory.cluster_hosts(self.groups) if self.groups else list(self.hosts)
        known = set(cluster)
        return {name: host["node"] for name, host in self.hosts.items() if host.get("node") and name in known}

    @cached_property
    def addresses(self) -> dict[str, list[str]]:
        """Return host -> the addresses of its node in the cluster."""
        return {name: [str(address) for address in node_addresses(node)] for name, node in self.nodes.items()}

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Return what the checks of the run as a whole see."""
        variables = {name for host in self.hosts.values() for name in host.get("variables", [])}
        return {
            "groups": checks_inventory.completed(self.groups),
            "sources": self.sources,
            "hosts": {**self.neighbours, **self.nodes},
            "releases": self.releases,
            "files": self.files,
            "variables": sorted(variables),
            "known": self.known_variables,
            "mistyped": self.mistyped,
        }

    def is_ours(self, host: str) -> bool:
        """Say whether a play will work on the host: a bastion in the inventory need not have Python or sudo."""
        return not self.groups or any(host in self.groups.get(group, []) for group in checks_inventory.OURS)


def judge(run: Run, checks: Sequence[str] = ALL_CHECKS) -> list[Problem]:
    """Return the problems that the named checks find, those of the run as a whole before those of single hosts."""
    problems = _of_run(run, RUN_CHECKS, checks)
    problems += run.found
    for host in run.hosts:
        problems += [replace(problem, host=host) for problem in _host_problems(run, host, checks)]
    return problems


def notes(run: Run, checks: Sequence[str] = ALL_CHECKS) -> list[Problem]:
    """Return what the named checks find worth a warning."""
    return _of_run(run, NOTES, checks)


def _of_run(run: Run, known: Mapping[str, Check], checks: Sequence[str]) -> list[Problem]:
    found = [problem for name in checks if name in known for problem in known[name](run.facts, run.options)]
    return [problem for problem in found if problem.host not in run.neighbours]


def _host_problems(run: Run, host: str, checks: Sequence[str]) -> list[Problem]:
    # What all hosts share is told once, for the run as a whole.
    shared = run.options["versions"]
    own = {name: value for name, value in run.hosts[host].get("versions", {}).items() if shared.get(name) != value}
    problems = checks_options.number_problems(own, run.releases)
    problems += checks_variables.password_problems(run.hosts[host].get("number_passwords", []))
    problems += checks_variables.option_problems(run.hosts[host].get("invalid_options", {}))
    if run.hosts[host].get("python_missing"):
        problems += _without_python(run, host)
    elif run.hosts[host].get("error") and run.is_ours(host):
        problems.append(unreadable(host, str(run.hosts[host]["error"])))
    if host not in run.nodes:
        return problems
    planes = run.groups.get(checks_inventory.CONTROL_PLANE, [])
    options = {
        **HOST_OPTIONS,
        **run.options,
        **run.hosts[host].get("options", {}),
        "arch": run.arch,
        "kubernetes_version": run.kubernetes_version,
        "control_plane": host in planes,
        "control_planes": len(planes),
        "peers": [
            address for other, addresses in run.addresses.items() if other != host for address in addresses
        ],
    }
    for name in checks:
        for check in HOST_CHECKS.get(name, ()):
            problems += check(run.nodes[host], options)
    return problems


def document(run: Run, problems: Sequence[Problem], warnings: Sequence[Problem]) -> dict[str, Any]:
    """Return what a report file holds."""
    return {
        "check": "preflight",
        "ok": not problems,
        "problems": [asdict(problem) for problem in problems],
        "warnings": [asdict(warning) for warning in warnings],
        "hosts": list(run.hosts),
    }


def _without_python(run: Run, host: str) -> list[Problem]:
    """Return a problem unless the host gets Python later in this run, and the run can do without it until then."""
    if not run.is_ours(host):
        return []
    if not run.options["bootstrap"]:
        return [NO_PYTHON.broken("absent", host)]
    first = host in run.groups.get(checks_inventory.CONTROL_PLANE, [])[:1]
    return [NO_PYTHON_IN_CHECK_MODE.broken("absent", host)] if run.options["check_mode"] and first else []


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
    return columns(rows)
