# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The chosen pod network: can it join these hosts, and is there another one already."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, List, Mapping

from ...module_utils._common.problem import Problem, Rule
from ...module_utils._host.info_rivals import CNI_ENDINGS as ENDINGS
from ...module_utils._host.info_rivals import OUR_CNI as OURS
from .._common.addresses import Address, node_addresses

OPTION = "mlstack_pod_network"

NOT_ONE_LINK = Rule(
    "mlstack_node_ip",
    "with mlstack_pod_network: routes all nodes must be on one link, and {other} has {address}, which lies in none of"
    " this host's networks ({networks})",
    "Choose addresses of one network, or mlstack_pod_network: flannel, which crosses routers",
)
NOT_ONE_CARD = Rule(
    "mlstack_node_ip",
    "flannel joins the nodes by one card for both IP versions, but {first} is on {interface} and {second} on {other}",
    "Name two addresses of one card: mlstack_node_ip: <first>,<second>; or bring a plugin of your own with"
    " mlstack_pod_network: none",
)
FOREIGN = Rule(
    "/etc/cni/net.d",
    "containerd uses the first configuration by name, so pods of this host would never get the network of {ours}",
    "Keep that plugin with mlstack_pod_network: none, or remove it from the host: rm /etc/cni/net.d/{name}",
)
OURS_LEFT = Rule(
    "/etc/cni/net.d",
    "mlstack_pod_network is none, and the pods of this host are on the network that this collection has made",
    "Set mlstack_pod_network as it was; or take that network away: kubectl delete namespace kube-flannel, then on each"
    " node rm /etc/cni/net.d/{name} and a restart",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what stands in the way of the pod network.

    facts: `hosts`, host -> what node_info read there.
    options: `choices`, of which mlstack_pod_network is used.
    """
    kind = options["choices"].get(OPTION, "flannel")
    hosts: Mapping[str, Mapping[str, Any]] = facts["hosts"]
    problems = _configurations(kind, hosts)
    if kind != "none":
        problems += _one_card(hosts)
    return problems + (_one_link(hosts) if kind == "routes" else [])


def _configurations(kind: str, hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    problems = []
    for host, node in sorted(hosts.items()):
        kubernetes = node.get("kubernetes") or {}
        # What lies on a host that is no node of ours yet belongs to `rivals`.
        found = kubernetes.get("cni") if kubernetes.get("ours") else None
        names = sorted(name for name in found or [] if name.endswith(ENDINGS))
        if kind == "none":
            problems += [OURS_LEFT.broken(name, host, name=name) for name in names if name == OURS]
        else:
            problems += [FOREIGN.broken(name, host, name=name, ours=OURS) for name in names if name < OURS]
    return problems


def _one_card(hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    """Return a problem for each host whose two addresses are known to be on different cards."""
    problems = []
    for host, node in sorted(hosts.items()):
        links = [route for route in node.get("routes") or [] if not route["gateway"]]
        cards: Dict[str, str] = {}
        for address in _addresses(node).values():
            for route in links:
                network = ipaddress.ip_network(route["network"])
                if address in network:
                    cards[str(address)] = route["interface"]
        if len(set(cards.values())) > 1:
            first, second = list(cards)
            details = {"first": first, "interface": cards[first], "second": second, "other": cards[second]}
            problems.append(NOT_ONE_CARD.broken(f"{first},{second}", host, **details))
    return problems


def _one_link(hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    """Return a problem for each host that does not see an address of the first one on a link of its own."""
    if not hosts:
        return []
    first, *others = hosts
    problems = []
    for host in others:
        networks = [ipaddress.ip_network(text) for text in hosts[host].get("cluster_networks") or []]
        own = _addresses(hosts[host])
        for version, address in _addresses(hosts[first]).items():
            # A host that lacks the version altogether is told by the check of the networks.
            if version not in own or any(address in network for network in networks):
                continue
            details = {"other": first, "address": address, "networks": ", ".join(map(str, networks)) or "none"}
            problems.append(NOT_ONE_LINK.broken(own[version], host, **details))
    return problems


def _addresses(node: Mapping[str, Any]) -> Dict[int, Address]:
    return {address.version: address for address in node_addresses(node)}
