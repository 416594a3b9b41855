# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A table as `nft -j list table` prints it, firewalld's among them. Python 3.8, standard library only."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

from .firewall import Rule, Table

VERDICTS = {"accept": "accept", "drop": "drop", "reject": "drop", "return": "return", "jump": "jump", "goto": "goto"}
# iptables keeps its rules in tables of these names.
COMPATIBLE = ("filter", "nat", "mangle", "raw", "security")
# A condition on a header of one IP version holds for no packet of the other.
EVERYWHERE = {"ip": "0.0.0.0/0", "ip6": "::/0"}
# Tables that Kubernetes and pod networks write.
KUBERNETES = ("kube-proxy", "flannel-ipv4", "flannel-ipv6", "calico", "cilium")


def native_tables(text: str) -> List[Tuple[str, str]]:
    """Return family and name of the tables that neither iptables nor Kubernetes writes.

    text: what `nft -j list tables` prints. Raises ValueError and KeyError when it is no such thing.
    """
    tables = [entry["table"] for entry in json.loads(text)["nftables"] if "table" in entry]
    return [
        (table["family"], table["name"])
        for table in tables
        if table["family"] in ("ip", "ip6", "inet")
        and not (table["family"] != "inet" and table["name"] in COMPATIBLE)
        and table["name"] not in KUBERNETES
    ]


def table(text: str) -> Table:
    """Return one table. Raises ValueError and KeyError when the text is none."""
    found: Table = {"family": "inet", "bases": [], "chains": {}}
    for entry in json.loads(text)["nftables"]:
        if "chain" in entry:
            chain = entry["chain"]
            found["chains"].setdefault(chain["name"], [])
            if chain.get("type") == "filter" and chain.get("hook") in ("input", "forward"):
                policy = {"hook": chain["hook"], "chain": chain["name"], "policy": chain.get("policy", "accept")}
                found["bases"].append(policy)
        elif "table" in entry:
            found["family"] = entry["table"]["family"]
        elif "rule" in entry:
            rule = _rule(entry["rule"]["expr"])
            if rule:
                found["chains"].setdefault(entry["rule"]["chain"], []).append(rule)
    return found


def _rule(expressions: List[Any]) -> Optional[Rule]:
    """Return the rule, or None for one that never decides about a new connection to the host."""
    rule: Rule = {}
    for expression in expressions:
        if not isinstance(expression, dict):
            continue
        ((kind, body),) = list(expression.items())[:1]
        if kind in VERDICTS:
            rule["do"] = VERDICTS[kind]
            if kind in ("jump", "goto"):
                rule["to"] = body["target"]
        elif kind == "match":
            if not _match(rule, body):
                return None
        elif kind not in ("counter", "log", "comment"):
            rule["unsure"] = True
    return rule if "do" in rule else None


def _match(rule: Rule, match: Dict[str, Any]) -> bool:
    """Add one condition to the rule; return False when no new connection meets it."""
    left, values = match["left"], _values(match["right"])
    protocol = left["payload"].get("protocol") if isinstance(left, dict) and "payload" in left else None
    if protocol not in (None, "ip", "ip6", "tcp", "udp", "th"):
        return False
    if protocol in ("tcp", "udp"):
        rule["proto"] = protocol
    if protocol in EVERYWHERE:
        rule.setdefault("from", [EVERYWHERE[protocol]])
    key = _key(left)
    if match["op"] not in ("==", "in") or values is None or not key:
        rule["unsure"] = True
    elif key == "state":
        return "new" in values
    elif key == "status":
        return False
    elif key == "dport":
        rule["ports"] = [value if isinstance(value, list) else [value, value] for value in values]
    elif key == "l4proto":
        if not {"tcp", "udp"} & set(map(str, values)):
            return False
        if len(values) == 1:
            rule["proto"] = values[0]
    elif key == "saddr":
        rule["from"] = values
    elif len(values) == 1:
        rule["in"] = values[0]
    else:
        rule["unsure"] = True
    return True


def _key(left: Any) -> str:
    """Return the name of what a condition looks at, empty when it is none that we judge."""
    if not isinstance(left, dict):
        return ""
    for kind in ("payload", "meta", "ct"):
        body = left.get(kind)
        name = (body.get("field") or body.get("key")) if isinstance(body, dict) else None
        if name in ("dport", "saddr", "l4proto", "iifname", "state", "status"):
            return str(name)
        if name == "iif":
            return "iifname"
    return ""


def _values(right: Any) -> Optional[List[Any]]:
    """Return the values of a condition: numbers, [first, last], names or networks; None when they cannot be told."""
    if isinstance(right, dict) and "set" in right:
        right = right["set"]
    found: List[Any] = []
    for value in right if isinstance(right, list) else [right]:
        if isinstance(value, dict) and "prefix" in value:
            found.append(f"{value['prefix']['addr']}/{value['prefix']['len']}")
        elif isinstance(value, dict) and "range" in value and all(isinstance(end, int) for end in value["range"]):
            found.append(list(value["range"]))
        elif isinstance(value, (int, str)) and not str(value).startswith("@"):
            found.append(value)
        else:
            return None
    return found
