# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the cluster's networks, against each other and against the hosts."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, List, Mapping, Union

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

POD, SERVICE = "mlstack_pod_cidr", "mlstack_service_cidr"
# kube-controller-manager gives each node a /24 of the pod network; kube-apiserver takes at most 20 bits for services.
NODE_PREFIX = 24
SERVICE_MIN_PREFIX = 12


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the networks.

    facts: `hosts`, host -> what node_info read there (empty for one that was not read), and `groups`.
    options: `pod_cidr` and `service_cidr`.
    """
    given = {POD: str(options["pod_cidr"]), SERVICE: str(options["service_cidr"])}
    problems: List[Problem] = []
    networks: Dict[str, Network] = {}
    for name, text in given.items():
        try:
            networks[name] = ipaddress.ip_network(text)
        except ValueError as error:
            problems.append(Problem(name, text, f"it must be a network such as 10.244.0.0/16 ({error})", "Correct it"))
    if len(networks) == 2 and networks[POD].overlaps(networks[SERVICE]):
        problems.append(Problem(
            POD, given[POD], f"it must not overlap {SERVICE}, {given[SERVICE]}", "Choose two private networks apart",
        ))
    problems += _sizes(networks, len(facts["groups"].get("k8s_cluster", [])))
    for name, network in networks.items():
        problems += _hosts_inside(name, network, facts["hosts"])
    return problems


def _sizes(networks: Mapping[str, Network], nodes: int) -> List[Problem]:
    problems = []
    pod, service = networks.get(POD), networks.get(SERVICE)
    if pod is not None and pod.version == 4 and int(2 ** (NODE_PREFIX - pod.prefixlen)) < nodes:
        rule = f"each of the {nodes} nodes takes a /{NODE_PREFIX} of it"
        problems.append(Problem(POD, str(pod), rule, "Choose a larger network, such as a /16"))
    if service is not None and service.version == 4 and service.prefixlen < SERVICE_MIN_PREFIX:
        rule = f"the API server takes no network larger than a /{SERVICE_MIN_PREFIX}"
        problems.append(Problem(SERVICE, str(service), rule, "Choose a smaller one"))
    return problems


def _hosts_inside(name: str, network: Network, hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    problems = []
    for host, node in sorted(hosts.items()):
        address = node.get("address")
        if address and ipaddress.ip_address(address) in network:
            problems.append(Problem(
                name,
                str(network),
                f"the node's own address {address} must not lie in it, the node would not be reached",
                "Choose a network that is not in use where the hosts are",
                host,
            ))
    return problems
