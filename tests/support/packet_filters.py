# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packet filters as ufw, iptables-save and nft print them."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall import Packet

# What ufw writes on a host that lets in SSH alone, shortened.
UFW = """*nat
:PREROUTING ACCEPT [0:0]
-A PREROUTING -p tcp --dport 6443 -j ACCEPT
COMMIT
*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
:ufw-before-input - [0:0]
:ufw-logging-deny - [0:0]
:ufw-not-local - [0:0]
:ufw-user-input - [0:0]
:KUBE-FIREWALL - [0:0]
-A INPUT -j KUBE-FIREWALL
-A INPUT -j ufw-before-input
-A ufw-before-input -i lo -j ACCEPT
-A ufw-before-input -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A ufw-before-input -m conntrack --ctstate INVALID -j DROP
-A ufw-before-input -p icmp -m icmp --icmp-type 8 -j ACCEPT
-A ufw-before-input -p udp -m udp --sport 67 --dport 68 -j ACCEPT
-A ufw-before-input -j ufw-not-local
-A ufw-before-input -d 224.0.0.251/32 -p udp -m udp --dport 5353 -j ACCEPT
-A ufw-before-input -j ufw-user-input
-A ufw-not-local -m addrtype --dst-type LOCAL -j RETURN
-A ufw-not-local -m addrtype --dst-type MULTICAST -j RETURN
-A ufw-not-local -m limit --limit 3/min --limit-burst 10 -j ufw-logging-deny
-A ufw-not-local -j DROP
-A ufw-user-input -p tcp -m tcp --dport 22 -j ACCEPT
-A KUBE-FIREWALL -j DROP
COMMIT
"""
API = Packet("tcp", 6443, "192.0.2.12", "eth0")


def rules(*lines: str, policy: str = "DROP") -> str:
    """Return what iptables-save prints of these rules of INPUT."""
    return "\n".join(["*filter", f":INPUT {policy} [0:0]", ":own - [0:0]", *lines, "COMMIT", ""])


def match(left: dict[str, Any], right: Any, op: str = "==") -> dict[str, Any]:
    """Return one condition of nft."""
    return {"match": {"op": op, "left": left, "right": right}}


def dport(port: Any, protocol: str = "tcp") -> dict[str, Any]:
    """Return the condition on a port."""
    return match({"payload": {"protocol": protocol, "field": "dport"}}, port)


def nft_table(*expressions: list[Any], policy: str = "drop", name: str = "filter_INPUT") -> str:
    """Return what nft prints of a table with these rules in its input chain, and more rules in the chain `own`."""
    head: list[dict[str, Any]] = [
        {"metainfo": {}},
        {"table": {"family": "inet", "name": "site"}},
        {"chain": {"name": name, "type": "filter", "hook": "input", "policy": policy}},
        {"chain": {"name": "fwd", "type": "filter", "hook": "forward", "policy": "drop"}},
        {"chain": {"name": "own"}},
        {"rule": {"chain": "own", "expr": [dport(6443), {"accept": None}]}},
    ]
    return json.dumps({"nftables": [*head, *({"rule": {"chain": name, "expr": list(one)}} for one in expressions)]})


ACCEPT: dict[str, Any] = {"accept": None}
OPTIONS: dict[str, Any] = {
    "firewall": "leave",
    "firewall_sources": [],
    "pod_cidr": "10.244.0.0/16",
    "peers": ["192.0.2.12"],
    "control_plane": True,
    "control_planes": 1,
    "pod_network": "flannel",
    "vxlan_port": 8472,
    "node_ports": False,
}
