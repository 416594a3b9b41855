# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and addresses of the nodes: legal, and no two hosts with the same."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping

from ...module_utils._common.problem import Problem, Rule

MAX_LENGTH = 253
LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
LEGAL = re.compile(rf"{LABEL}(\.{LABEL})*")

ILLEGAL = Rule(
    "mlstack_node_name",
    "a node name has at most 253 characters: small letters, digits, - and . (DNS-1123)",
    "Set mlstack_node_name for this host, it need not be the host's own name",
)
SAME = Rule(
    "{option}",
    "hosts {hosts} have the same; in a cluster each node has its own",
    "Set {option} for each of them, or take the double entry out of the inventory",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the names and addresses.

    facts: `hosts`, host -> what node_info read there; `name`, `address` and `address_secondary` are used.
    options: none is used.
    """
    hosts: Mapping[str, Mapping[str, Any]] = facts["hosts"]
    return (
        _illegal_names(hosts)
        + _doubles(hosts, "mlstack_node_name", ["name"])
        + _doubles(hosts, "mlstack_node_ip", ["address", "address_secondary"])
    )


def _illegal_names(hosts: Mapping[str, Mapping[str, Any]]) -> List[Problem]:
    problems = []
    for host, node in sorted(hosts.items()):
        name = node.get("name")
        if name is not None and not (len(name) <= MAX_LENGTH and LEGAL.fullmatch(name)):
            problems.append(ILLEGAL.broken(name, host))
    return problems


def _doubles(hosts: Mapping[str, Mapping[str, Any]], option: str, keys: List[str]) -> List[Problem]:
    """Return one problem for each value that several hosts share, upper and lower case being one to a cluster."""
    owners: Dict[str, List[str]] = {}
    for host, node in sorted(hosts.items()):
        for value in sorted({str(node[key]).lower() for key in keys if node.get(key)}):
            owners.setdefault(value, []).append(host)
    return [
        SAME.broken(value, option=option, hosts=", ".join(shared))
        for value, shared in sorted(owners.items())
        if len(shared) > 1
    ]
