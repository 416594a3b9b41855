# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory as a whole: are the hosts there, and in the groups that the plays use."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from ...module_utils._common.problem import Problem, Rule

CONTROL_PLANE = "kube_control_plane"
NODES = "kube_node"
CLUSTER = "k8s_cluster"
ETCD = "etcd"
MEMBERS = (CONTROL_PLANE, NODES)
# Groups whose hosts a play of the collection works on; all others are only read.
OURS = (CONTROL_PLANE, NODES, CLUSTER, "gpu_node", "nfs_server", "registry")

# Names that kubespray and its relatives used in the past, and what they are called now.
OLD_NAMES = {
    "kube-master": CONTROL_PLANE,
    "kube_master": CONTROL_PLANE,
    "kube-masters": CONTROL_PLANE,
    "kube_masters": CONTROL_PLANE,
    "kube-control-plane": CONTROL_PLANE,
    "kube-controlplane": CONTROL_PLANE,
    "kube-node": NODES,
    "kube-nodes": NODES,
    "kube_nodes": NODES,
    "kube-worker": NODES,
    "kube_worker": NODES,
    "kube-workers": NODES,
    "kube_workers": NODES,
    "k8s-cluster": CLUSTER,
    "kube-cluster": CLUSTER,
    "kube_cluster": CLUSTER,
}
# The host from which a cluster was made: here that is whatever runs Ansible.
DEPLOYERS = ("kube-deploy", "kube_deploy")

NO_HOST = Rule(
    "inventory",
    "Ansible found no host in it; a file that it cannot parse is dropped with no more than a warning",
    "Give one with -i that has hosts, and look at what Ansible makes of it: ansible-inventory -i <file> --graph",
)
EMPTY_GROUP = Rule("group {group}", "it must have at least one host", "Name at least one host below the line [{group}]")
EMPTY_GROUP_OLD_NAME = Rule(
    "group {group}",
    "it must have at least one host",
    "The inventory has the old name {old}: add the two lines [{group}:children] and {old}",
)
OLD_NAME = Rule(
    "group {old}",
    "this old name means nothing here, {hosts} would be left out without a word",
    "Add the two lines [{group}:children] and {old}, or rename the group to {group}",
)
DEPLOYER = Rule(
    "group {old}",
    "this group means nothing here: the cluster is made from the machine that runs Ansible; {hosts} would be left out",
    "Take the group out; for a host that shall be a node add the two lines [kube_node:children] and {old}",
)
ETCD_ELSEWHERE = Rule(
    "group etcd",
    "etcd runs on the control planes and nowhere else; these hosts would get nothing",
    "Take them out of the group, or put them into kube_control_plane",
)
ETCD_MOVED = Rule(
    "group etcd",
    "etcd runs on the control planes and nowhere else; the group is not used",
    "Take these hosts out of the group, or put them into kube_control_plane",
)
EVEN_CONTROL_PLANES = Rule(
    "group kube_control_plane",
    "the number must be odd: etcd needs more than half of its members, so {count} hosts bear the loss of no more than"
    " {fewer} would",
    "Move one of them to kube_node, or add one",
)
NO_COMMON_ENDPOINT = Rule(
    "group kube_control_plane",
    "several control planes need one address that outlives each of them",
    "Set mlstack_api_endpoint to host:port of a load balancer before them, or mlstack_api_load_balancer: local",
)
TWO_ENDPOINTS = Rule(
    "mlstack_api_load_balancer",
    "with it each node looks for the API on itself, and mlstack_api_endpoint, {endpoint}, would be used by nobody",
    "Leave out one of the two",
)


def cluster_hosts(groups: Mapping[str, List[str]]) -> List[str]:
    """Return the hosts that are, or become, nodes of the cluster, each once, control planes first."""
    return list(dict.fromkeys(host for group in MEMBERS for host in groups.get(group, [])))


def completed(groups: Mapping[str, List[str]]) -> Dict[str, List[str]]:
    """Return the groups, with all of the cluster's hosts in its own one: some inventories leave it to playbooks."""
    whole = dict.fromkeys([*groups.get(CLUSTER, []), *cluster_hosts(groups)])
    return {**groups, CLUSTER: list(whole)}


def inventory_checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return a problem when there is no host at all: no play would run, and the run would end well having done nothing.

    facts: `groups` (name -> hosts, as in Ansible's own variable) and `sources` (what was given as inventory).
    options: none is used.
    """
    if facts["groups"].get("all"):
        return []
    return [NO_HOST.broken(", ".join(str(source) for source in facts["sources"]) or "none")]


def group_checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the groups, of which there is at least one host.

    facts: `groups`.
    options: `api_endpoint` (host:port, empty when there is none) and `api_load_balancer`.
    """
    groups: Mapping[str, List[str]] = facts["groups"]
    return [
        *_needed_groups(groups),
        *_old_names(groups),
        *_etcd_elsewhere(groups),
        *_control_planes(groups, options),
    ]


def group_notes(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is worth a warning, as group_checks: a kubespray inventory may name etcd members that are workers."""
    groups: Mapping[str, List[str]] = facts["groups"]
    planes, members = groups.get(CONTROL_PLANE, []), cluster_hosts(groups)
    moved = [host for host in groups.get(ETCD, []) if host in members and host not in planes]
    return [ETCD_MOVED.broken(", ".join(moved))] if moved else []


def _needed_groups(groups: Mapping[str, List[str]]) -> List[Problem]:
    problems = []
    for needed in MEMBERS:
        if groups.get(needed):
            continue
        old = [name for name, new in OLD_NAMES.items() if new == needed and groups.get(name)]
        rule = EMPTY_GROUP_OLD_NAME if old else EMPTY_GROUP
        problems.append(rule.broken("no host", group=needed, old=old[0] if old else ""))
    return problems


def _old_names(groups: Mapping[str, List[str]]) -> List[Problem]:
    """Return a problem for each old group with hosts that its new one lacks; an empty new one is told as such."""
    problems = []
    for old, new in OLD_NAMES.items():
        left_out = [host for host in groups.get(old, []) if host not in groups.get(new, [])]
        if left_out and (groups.get(new) or (new == CLUSTER and not cluster_hosts(groups))):
            problems.append(OLD_NAME.broken(", ".join(groups[old]), old=old, group=new, hosts=", ".join(left_out)))
    for old in DEPLOYERS:
        left_out = [host for host in groups.get(old, []) if host not in cluster_hosts(groups)]
        if left_out:
            problems.append(DEPLOYER.broken(", ".join(left_out), old=old, hosts=", ".join(left_out)))
    return problems


def _etcd_elsewhere(groups: Mapping[str, List[str]]) -> List[Problem]:
    outside = [host for host in groups.get(ETCD, []) if host not in cluster_hosts(groups)]
    # Before the cluster's groups are right nobody can say who is outside.
    return [ETCD_ELSEWHERE.broken(", ".join(outside))] if outside and all(groups.get(m) for m in MEMBERS) else []


def _control_planes(groups: Mapping[str, List[str]], options: Mapping[str, Any]) -> List[Problem]:
    hosts = groups.get(CONTROL_PLANE, [])
    problems = []
    if hosts and len(hosts) % 2 == 0:
        problems.append(EVEN_CONTROL_PLANES.broken(", ".join(hosts), count=len(hosts), fewer=len(hosts) - 1))
    if len(hosts) > 1 and not options["api_endpoint"] and options["api_load_balancer"] != "local":
        problems.append(NO_COMMON_ENDPOINT.broken(", ".join(hosts)))
    if options["api_endpoint"] and options["api_load_balancer"] == "local":
        problems.append(TWO_ENDPOINTS.broken("local", endpoint=options["api_endpoint"]))
    return problems
