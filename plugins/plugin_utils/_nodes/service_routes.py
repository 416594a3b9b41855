# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes to the cluster's services on a host that has no default route. Pure. Python 3.8, standard library only."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, List, Mapping

from .._common.addresses import Network, node_addresses

# The interface of the default route, by IP version.
_DEFAULT = {4: "default_interface", 6: "default_interface_6"}


def service_routes(node: Mapping[str, Any], service_cidr: str) -> List[Dict[str, Any]]:
    """Return the routes that are lacking, each with `version`, `network` and `interface`.

    node: what node_info read. service_cidr: one network, or two with a comma between.
    The kernel looks for a route before kube-proxy's rules replace a service's address. Without any, the API server does
    not reach webhooks, nor do pods in the host's network, flannel's among them, reach the API server. Where the route
    leads does not matter; it begins on the card that bears the node's address.
    """
    found = []
    for network in (ipaddress.ip_network(part.strip()) for part in service_cidr.split(",")):
        covered = node.get(_DEFAULT[network.version]) or _covered(node, network)
        interfaces = [] if covered else _interfaces(node, network.version)
        found += [
            {"version": network.version, "network": str(network), "interface": interface}
            for interface in interfaces[:1]
        ]
    return found


def _covered(node: Mapping[str, Any], network: Network) -> bool:
    """Tell whether a route leads to more than this network: one to the network itself may be that of an earlier run."""
    wider = [ipaddress.ip_network(route["network"]) for route in node.get("routes") or []]
    return any(one.prefixlen < network.prefixlen and one.overlaps(network) for one in wider)


def _interfaces(node: Mapping[str, Any], version: int) -> List[str]:
    addresses = [address for address in node_addresses(node) if address.version == version]
    links = [route for route in node.get("routes") or [] if not route["gateway"]]
    return [
        str(link["interface"])
        for address in addresses
        for link in sorted(links, key=lambda link: -ipaddress.ip_network(link["network"]).prefixlen)
        if address in ipaddress.ip_network(link["network"])
    ]
