# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Would a host's packet filter let a new connection in? Rules as plain data, so that they can travel. Pure.

A table is {"family": ip, ip6 or inet, "bases": [{"hook", "chain", "policy"}], "chains": {name: [rule, ...]}}.
A rule is {"do": accept, drop, return, jump or goto, "to": chain} and may have "proto", "ports" ([[first, last], ...]),
"from" ([network, ...]), "in" (interface, `*` at its end for any) and "unsure": true, where it has conditions that
nobody but the kernel can judge. What is unsure is taken in the host's favour: a false alarm would stop a good run.
"""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

Rule = Dict[str, Any]
Table = Dict[str, Any]
MAX_DEPTH = 32


class Packet(NamedTuple):
    """The first packet of a connection: protocol, port it goes to, address it comes from, interface it comes in by."""

    proto: str
    port: int
    source: str
    interface: str


def allows(tables: List[Table], packet: Packet, hook: str = "input") -> bool:
    """Return whether the packet gets through all chains of the hook: in one of them dropped is dropped for good."""
    family = "ip6" if ipaddress.ip_address(packet.source).version == 6 else "ip"
    return all(
        (_walk(table["chains"], base["chain"], packet, 0) or base["policy"]) != "drop"
        for table in tables
        if table["family"] in (family, "inet")
        for base in table["bases"]
        if base["hook"] == hook
    )


def _walk(chains: Mapping[str, List[Rule]], name: str, packet: Packet, depth: int) -> Optional[str]:
    """Return `accept` or `drop`, or None when the chain ends without a verdict."""
    for rule in chains.get(name, []) if depth < MAX_DEPTH else []:
        if not _matches(rule, packet):
            continue
        if rule["do"] == "return":
            if rule.get("unsure"):
                continue
            return None
        verdict: Optional[str] = rule["do"]
        if verdict in ("jump", "goto"):
            verdict = _walk(chains, rule["to"], packet, depth + 1)
        if verdict == "accept" or (verdict == "drop" and not rule.get("unsure")):
            return verdict
        if rule["do"] == "goto" and not rule.get("unsure"):
            return None
    return None


def _matches(rule: Rule, packet: Packet) -> bool:
    """Return whether those conditions hold that are known; the others are told by `unsure`."""
    if rule.get("proto", packet.proto) != packet.proto:
        return False
    if "ports" in rule and not any(first <= packet.port <= last for first, last in rule["ports"]):
        return False
    wanted = rule.get("in", packet.interface)
    if wanted != packet.interface and not (wanted.endswith("*") and packet.interface.startswith(wanted[:-1])):
        return False
    if "from" not in rule:
        return True
    address = ipaddress.ip_address(packet.source)
    return any(address in ipaddress.ip_network(network, strict=False) for network in rule["from"])


def filters(table: Table) -> bool:
    """Return whether anything is ever dropped in the table."""
    return any(base["policy"] == "drop" for base in table["bases"]) or any(
        rule["do"] == "drop" for rules in table["chains"].values() for rule in rules
    )
