# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of pods and services: legal, large enough, apart from each other and from the hosts' networks."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, List, Mapping, Tuple

from ...module_utils._common.problem import Problem, Rule
from .._common.addresses import Network, address_of, node_addresses

POD, SERVICE = "mlstack_pod_cidr", "mlstack_service_cidr"
# What kube-controller-manager takes of the pod network for each node, by IP version.
NODE_PREFIX = {4: 24, 6: 64}
# It keeps the nodes' networks in a table of 16 bits, and kube-apiserver the services in one of 20.
NODE_BITS = 16
SERVICE_BITS = 20
# kubeadm asks for ten services; a network of 16 addresses has them.
SERVICE_LEAST_BITS = 4
# Interfaces of a pod network: what is routed there is no network of the site.
POD_INTERFACES = ("cni", "flannel", "cali", "cilium", "lxc", "vxlan.calico", "tunl", "kube-", "nodelocaldns", "weave")

NO_NETWORK = Rule(
    "{option}",
    "it must be a network such as 10.244.0.0/16, or two of them, IPv4 and IPv6, with a comma between ({error})",
    "Correct it",
)
NOT_TWO_FAMILIES = Rule(
    "{option}", "two networks must be one of IPv4 and one of IPv6", "Leave one out; the first is the main one"
)
FAMILIES_DIFFER = Rule(
    "mlstack_service_cidr",
    "it must have the same IP versions in the same order as mlstack_pod_cidr, {pod}",
    "Give both variables one network of the same version, or two in the same order",
)
OVERLAP = Rule("mlstack_pod_cidr", "it must not overlap mlstack_service_cidr, {service}", "Choose two apart")
TOO_SMALL = Rule(
    "mlstack_pod_cidr",
    "each node takes a /{node} of it, which is enough for {room} of the {nodes} nodes",
    "Choose a larger network, such as 10.244.0.0/16 or fd00:10:244::/56",
)
TOO_LARGE = Rule(
    "mlstack_pod_cidr",
    "each node takes a /{node} of it, and kubeadm refuses more than 65536 such parts",
    "Choose a network of at most /{largest}",
)
SERVICE_TOO_LARGE = Rule(
    "mlstack_service_cidr", "the API server takes no network larger than a /{largest}", "Choose a smaller one"
)
SERVICE_TOO_SMALL = Rule(
    "mlstack_service_cidr", "kubeadm asks for a network of at least 10 services", "Choose one of at least /{smallest}"
)
HOST_INSIDE = Rule(
    "{option}",
    "the node's own address {address} must not lie in it, the node would not be reached",
    "Choose a network that is not in use where the hosts are",
)
ROUTE_INSIDE = Rule(
    "{option}",
    "it must not overlap {network}, which the host reaches by {interface}",
    "Choose a network that is not in use where the hosts are",
)
ROUTE_AROUND = Rule(
    "{option}",
    "it is a part of {network}, which the host reaches by the gateway {gateway}",
    "Nothing of that network can be reached from the nodes at these addresses; choose another network if that matters",
)
NO_SECOND_ADDRESS = Rule(
    "mlstack_node_ip",
    "a cluster of two IP versions needs an address of each on every node, this one has none of IPv{version}",
    "Give the host an address of IPv{version}, or name both: mlstack_node_ip: <first>,<second>",
)
OTHER_FAMILY = Rule(
    "mlstack_node_ip",
    "the node's first address must be of IPv{version}, as the first network of mlstack_pod_cidr",
    "Set mlstack_node_ip to an address of IPv{version}, or choose networks of the other version",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the networks.

    facts: `hosts`, host -> what node_info read there (empty for one that was not read), and `groups`.
    options: `pod_cidr` and `service_cidr`, each one network or two with a comma between.
    """
    problems, pods, services = _parsed(options)
    if pods and services:
        problems += _together(pods, services)
    problems += _sizes(pods, services, len(facts["groups"].get("k8s_cluster", [])))
    for option, networks in ((POD, pods), (SERVICE, services)):
        for network in networks:
            problems += _hosts_inside(option, network, facts["hosts"])
            problems += _routes(ROUTE_INSIDE, option, network, facts["hosts"])
    if _versions(pods) == _versions(services):
        problems += _families(pods, facts["hosts"])
    return problems


def notes(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is worth a warning, as checks: the site's network may have room for ours, and only the site knows."""
    _problems, pods, services = _parsed(options)
    both = [(POD, network) for network in pods] + [(SERVICE, network) for network in services]
    return [note for option, network in both for note in _routes(ROUTE_AROUND, option, network, facts["hosts"])]


def _parsed(options: Mapping[str, Any]) -> Tuple[List[Problem], List[Network], List[Network]]:
    problems: List[Problem] = []
    found: Dict[str, List[Network]] = {POD: [], SERVICE: []}
    for option, text in ((POD, str(options["pod_cidr"])), (SERVICE, str(options["service_cidr"]))):
        try:
            networks = [ipaddress.ip_network(part.strip()) for part in text.split(",")]
        except ValueError as error:
            problems.append(NO_NETWORK.broken(text, option=option, error=error))
            continue
        if len(networks) > 2 or len({network.version for network in networks}) < len(networks):
            problems.append(NOT_TWO_FAMILIES.broken(text, option=option))
            continue
        found[option] = networks
    return problems, found[POD], found[SERVICE]


def _together(pods: List[Network], services: List[Network]) -> List[Problem]:
    if _versions(pods) != _versions(services):
        return [FAMILIES_DIFFER.broken(_text(services), pod=_text(pods))]
    return [OVERLAP.broken(pod, service=service) for pod in pods for service in services if pod.overlaps(service)]


def _versions(networks: List[Network]) -> List[int]:
    return [network.version for network in networks]


def _text(networks: List[Network]) -> str:
    return ",".join(str(network) for network in networks)


def _sizes(pods: List[Network], services: List[Network], nodes: int) -> List[Problem]:
    problems = []
    for pod in pods:
        node = NODE_PREFIX[pod.version]
        bits = node - pod.prefixlen
        if bits < 0 or 2**bits < nodes:
            room = 2**bits if bits >= 0 else 0
            problems.append(TOO_SMALL.broken(pod, node=node, room=room, nodes=nodes))
        elif bits > NODE_BITS:
            problems.append(TOO_LARGE.broken(pod, node=node, largest=node - NODE_BITS))
    for service in services:
        bits = service.max_prefixlen - service.prefixlen
        if bits > SERVICE_BITS:
            problems.append(SERVICE_TOO_LARGE.broken(service, largest=service.max_prefixlen - SERVICE_BITS))
        elif bits < SERVICE_LEAST_BITS:
            problems.append(SERVICE_TOO_SMALL.broken(service, smallest=service.max_prefixlen - SERVICE_LEAST_BITS))
    return problems


def _hosts_inside(option: str, network: Network, hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    return [
        HOST_INSIDE.broken(network, host, option=option, address=address)
        for host, node in sorted(hosts.items())
        for address in node_addresses(node)
        if address in network
    ]


def _routes(rule: Rule, option: str, network: Network, hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    """Return a problem for each route of a host that breaks the rule; a node of this cluster has routes of its own."""
    problems = []
    for host, node in sorted(hosts.items()):
        if (node.get("kubernetes") or {}).get("ours"):
            continue
        # The node's own network is told by its address.
        inside = any(address in network for address in node_addresses(node))
        for route in [] if inside else node.get("routes") or []:
            other = ipaddress.ip_network(route["network"])
            if not network.overlaps(other) or route["interface"].startswith(POD_INTERFACES):
                continue
            # Role node's own, where a run was killed before there was a node (_service_routes).
            if option == SERVICE and other == network and not route["gateway"]:
                continue
            # A gateway to a wider network is like the default route: longer prefixes, ours, win.
            around = bool(route["gateway"]) and other.prefixlen < network.prefixlen
            if around == (rule is ROUTE_AROUND):
                details = {"interface": route["interface"], "gateway": route["gateway"]}
                problems.append(rule.broken(network, host, option=option, network=other, **details))
    return problems


def _families(pods: List[Network], hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    """Return a problem for each node whose addresses do not fit the IP versions of the pods, the first one first."""
    problems = []
    for host, node in sorted(hosts.items()):
        first = address_of(node.get("address"))
        if not pods or first is None:
            continue
        if first.version != pods[0].version:
            problems.append(OTHER_FAMILY.broken(first, host, version=pods[0].version))
        elif len(pods) == 2 and not any(a.version == pods[1].version for a in node_addresses(node)):
            problems.append(NO_SECOND_ADDRESS.broken(first, host, version=pods[1].version))
    return problems
