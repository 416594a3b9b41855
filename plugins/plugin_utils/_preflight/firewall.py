# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The host's packet filter: does it let in whom a node must hear."""

from __future__ import annotations

import ipaddress
from typing import Any, List, Mapping

from ...module_utils._common.problem import Problem, Rule
from ...module_utils._host.firewall import Packet, allows
from ...module_utils._host.open_ports import own_networks
from ...module_utils._host.ports import Port, needed
from .._common.addresses import node_addresses

# What role node can open, in the firewall's own words.
OPENED = ("ufw", "firewalld")
POD_INTERFACE = "cni0"

BLOCKED = Rule(
    "firewall {manager}",
    "nodes and pods must reach these ports of the host: {ports}",
    "Let role node open them (node_firewall: open), open them yourself, or turn the firewall off",
)
BLOCKED_BY_HAND = Rule(
    "firewall {manager}",
    "nodes and pods must reach these ports of the host: {ports}",
    "Open them in the rules that you have written: node_firewall: open knows ufw and firewalld alone",
)
NO_FORWARD = Rule(
    "firewall {manager}",
    "packets of pods, {networks}, must be forwarded",
    "Let role node see to it (node_firewall: open), or accept them in the forward chain",
)
UNKNOWN_PEERS = Rule(
    "node_firewall_sources",
    "the firewall would be opened for these networks alone, and nodes have other addresses: {peers}",
    "Name the networks of all nodes: node_firewall_sources: [<network>, ...]",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the packet filter.

    facts: what node_info read there.
    options: `firewall` (node_firewall: leave or open), `firewall_sources`, `pod_cidr`, `peers` (addresses of the other
        nodes), and those of _ports.needed.
    """
    firewall = facts["firewall"]
    if not firewall or not firewall["tables"]:
        return []
    manager = firewall["manager"]
    if options["firewall"] == "open" and manager in OPENED:
        return _left_out(facts, options)
    problems = []
    blocked = [port for port in needed(options) if not _is_open(port, facts, options)]
    if blocked:
        told = ", ".join(f"{port} ({port.why})" for port in blocked)
        value = f"blocks {', '.join(str(port) for port in blocked)}"
        rule = BLOCKED if manager in OPENED else BLOCKED_BY_HAND
        problems.append(rule.broken(value, manager=manager, ports=told))
    if not _forwards(facts, options):
        problems.append(NO_FORWARD.broken("drops what is forwarded", manager=manager, networks=options["pod_cidr"]))
    return problems


def _pods(options: Mapping[str, Any]) -> List[str]:
    """Return an address of a pod of each IP version; networks that are none are another check's."""
    found = []
    for text in str(options["pod_cidr"]).split(","):
        try:
            found.append(str(ipaddress.ip_network(text.strip()).network_address + 2))
        except ValueError:
            continue
    return found


def _is_open(port: Port, facts: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    interface = facts["default_interface"] or "eth0"
    comers = [(peer, interface) for peer in options["peers"]]
    if port.users != "nodes":
        comers += [(pod, POD_INTERFACE) for pod in _pods(options)]
    ends = {int(end) for end in port.port.split("-")}
    return all(
        allows(facts["firewall"]["tables"], Packet(port.protocol, end, source, by))
        for source, by in comers
        for end in ends
    )


def _forwards(facts: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    # flannel and kube-proxy accept pods' packets in iptables themselves; a chain of nftables drops them all the same.
    own = [table for table in facts["firewall"]["tables"] if "FORWARD" not in table["chains"]]
    return all(allows(own, Packet("tcp", 80, pod, POD_INTERFACE), "forward") for pod in _pods(options))


def _left_out(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    own = own_networks(facts["routes"] or [], [str(address) for address in node_addresses(facts)])
    networks = [ipaddress.ip_network(network, strict=False) for network in options["firewall_sources"] or own]
    outside = [
        peer for peer in options["peers"] if not any(ipaddress.ip_address(peer) in network for network in networks)
    ]
    if not outside:
        return []
    return [UNKNOWN_PEERS.broken(", ".join(str(network) for network in networks) or "none", peers=", ".join(outside))]
