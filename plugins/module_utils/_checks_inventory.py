# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the inventory as a whole: are the hosts there, and in the groups that the plays use."""

from __future__ import annotations

from typing import Any, List, Mapping

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem

CONTROL_PLANE = "kube_control_plane"
NODES = "kube_node"
CLUSTER = "k8s_cluster"
MEMBERS = (CONTROL_PLANE, NODES)

# Names that kubespray and its relatives used in the past, and what they are called now.
OLD_NAMES = {
    "kube-master": CONTROL_PLANE,
    "kube_master": CONTROL_PLANE,
    "kube-control-plane": CONTROL_PLANE,
    "kube-node": NODES,
    "k8s-cluster": CLUSTER,
}


def cluster_hosts(groups: Mapping[str, List[str]]) -> List[str]:
    """Return the hosts that are, or become, nodes of the cluster, each once, control planes first."""
    return list(dict.fromkeys(host for group in MEMBERS for host in groups.get(group, [])))


def inventory_checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return a problem when there is no host at all: no play would run, and the run would end well having done nothing.

    facts: `groups` (name -> hosts, as in Ansible's own variable) and `sources` (what was given as inventory).
    options: none is used.
    """
    if facts["groups"].get("all"):
        return []
    return [Problem(
        "inventory",
        ", ".join(str(source) for source in facts["sources"]) or "none",
        "Ansible found no host in it; a file that it cannot parse is dropped with no more than a warning",
        "Give one with -i that has hosts, and look at what Ansible makes of it: ansible-inventory -i <file> --graph",
    )]


def group_checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the groups, of which there is at least one host.

    facts: `groups`.
    options: none is used.
    """
    groups: Mapping[str, List[str]] = facts["groups"]
    return _needed_groups(groups) + _one_control_plane(groups) + _cluster_group(groups)


def _needed_groups(groups: Mapping[str, List[str]]) -> List[Problem]:
    problems = []
    for needed in MEMBERS:
        if groups.get(needed):
            continue
        old = [name for name, new in OLD_NAMES.items() if new == needed and groups.get(name)]
        if old:
            way_out = f"The inventory has the old name {old[0]}: add the two lines [{needed}:children] and {old[0]}"
        else:
            way_out = f"Name at least one host below the line [{needed}]"
        problems.append(Problem(f"group {needed}", "no host", "it must have at least one host", way_out))
    return problems


def _one_control_plane(groups: Mapping[str, List[str]]) -> List[Problem]:
    hosts = groups.get(CONTROL_PLANE, [])
    if len(hosts) <= 1:
        return []
    return [Problem(
        f"group {CONTROL_PLANE}",
        ", ".join(hosts),
        "this version of the collection makes clusters of exactly one control plane",
        f"Keep {hosts[0]} in the group and move the others to {NODES}",
    )]


def _cluster_group(groups: Mapping[str, List[str]]) -> List[Problem]:
    outside = [host for host in cluster_hosts(groups) if host not in groups.get(CLUSTER, [])]
    if not outside:
        return []
    old = [name for name, new in OLD_NAMES.items() if new == CLUSTER and groups.get(name)]
    lines = f"[{CLUSTER}:children] and {old[0]}" if old else f"[{CLUSTER}:children], {CONTROL_PLANE} and {NODES}"
    return [Problem(
        f"group {CLUSTER}",
        f"lacks {', '.join(outside)}",
        f"every host of {CONTROL_PLANE} and {NODES} must be in it, variables of the whole cluster live there",
        f"Add the lines {lines}",
    )]
