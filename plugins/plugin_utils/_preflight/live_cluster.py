# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of one host that is a node already: what a cluster keeps for life must be what the inventory says."""

from __future__ import annotations

import ipaddress
from typing import Any, List, Mapping

from ...module_utils._common.problem import Problem, Rule

FOR_LIFE = Rule(
    "{option}",
    "the cluster that runs was made with {live}, and keeps it for life",
    "Set it to {live}, or make another cluster",
)
OTHER_VERSION = Rule(
    "mlstack_release",
    "the node runs Kubernetes {live}, and this collection cannot upgrade a cluster yet; the release has {wanted}",
    "Name the release that the cluster was made from",
)
BALANCED_LATER = Rule(
    "mlstack_api_load_balancer",
    "the nodes of the cluster that runs know the API as {live}, and keep that for life",
    "Leave it out, and set mlstack_api_endpoint: {live} where that is not the address of the one control plane",
)
WAS_WORKER = Rule(
    "group kube_control_plane",
    "the host is a worker of a cluster; nothing makes a control plane of it while it is one",
    "Take it out of the group, or empty it first: kubectl delete node {name}, then kubeadm reset --force on the host",
)
WAS_CONTROL_PLANE = Rule(
    "group kube_control_plane",
    "the host is a control plane of a cluster, and the group is without it",
    "Put it back, or empty it first: kubectl delete node {name}, then kubeadm reset --force on the host",
)
# Where nodes look for the API that a load balancer of their own finds for them.
LOCAL = "127.0.0.1"
# What the fact and the option are called -> the variable that a user sets.
OPTIONS = {
    "pod_cidr": "mlstack_pod_cidr",
    "service_cidr": "mlstack_service_cidr",
    "cluster_name": "mlstack_cluster_name",
    "dns_domain": "kubernetes_dns_domain",
}


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what cannot be changed any more; a host that is no node of ours, or does not tell, is not judged.

    facts: what node_info read there. options: those of OPTIONS, `kubernetes_version`, of the release (empty: not
        judged), `control_plane` (whether the inventory says so of the host) and those of _endpoint.
    """
    there = facts["kubernetes"] or {}
    if not (there.get("ours") and there.get("kubelet_conf")):
        return []
    problems = []
    live, wanted = there.get("version"), options["kubernetes_version"]
    if live and wanted and live != wanted:
        problems.append(OTHER_VERSION.broken(f"Kubernetes {wanted}", live=live, wanted=wanted))
    for name, live in (facts.get("cluster") or {}).items():
        if _parts(live) != _parts(str(options[name])):
            problems.append(FOR_LIFE.broken(options[name], option=OPTIONS[name], live=live))
    return problems + _kind(facts, options) + _endpoint(facts, options)


def _kind(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return a problem where the inventory has a node among another kind of nodes than it is."""
    there = facts["kubernetes"]
    # A join that was broken off is made anew as what the inventory says.
    if there["stage"] != "done" or there["admin_conf"] == options["control_plane"]:
        return []
    rule = WAS_WORKER if options["control_plane"] else WAS_CONTROL_PLANE
    return [rule.broken("with this host" if options["control_plane"] else "without this host", name=facts["name"])]


def _endpoint(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return a problem where nodes would look for the API at another address than the one all of them know.

    options: `api_endpoint` (host:port, empty where none is given), `api_load_balancer`, `api_load_balancer_port`.
    """
    live = facts["kubernetes"]["endpoint"] if facts["kubernetes"]["admin_conf"] else ""
    host, _colon, port = live.rpartition(":")
    if not live or live == options["api_endpoint"]:
        return []
    balanced = options["api_load_balancer"] == "local" and not options["api_endpoint"]
    if host == LOCAL and balanced:
        given = options["api_load_balancer_port"]
        changed = FOR_LIFE.broken(given, option="mlstack_api_load_balancer_port", live=port)
        return [] if port == str(given) else [changed]
    if host == LOCAL:
        return [FOR_LIFE.broken(options["api_load_balancer"], option="mlstack_api_load_balancer", live="local")]
    if balanced:
        return [BALANCED_LATER.broken("local", live=live)]
    # Where nothing is given the address is the host's own, which access_ip may have given another form.
    if options["api_endpoint"] or not _is_address(host):
        return [FOR_LIFE.broken(options["api_endpoint"] or "none", option="mlstack_api_endpoint", live=live)]
    return []


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True


def _parts(text: str) -> List[str]:
    """Return what commas part, networks in the form that all their spellings share. The first is the main one."""
    return [_normal(part.strip()) for part in text.split(",")]


def _normal(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        return text
