# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter table as iptables-save prints it, which is how ufw's rules look too. Python 3.8, standard library only."""

from __future__ import annotations

import ipaddress
import shlex
from typing import Collection, List, Optional

from .firewall import Rule, Table

HOOKS = {"INPUT": "input", "FORWARD": "forward"}
VERDICTS = {"ACCEPT": "accept", "DROP": "drop", "REJECT": "drop", "RETURN": "return"}
# Chains that Kubernetes and pod networks write: they are ours, and there may be thousands of rules.
KUBERNETES = ("KUBE-", "FLANNEL-", "CNI-", "cali-", "CILIUM_")
# Options that say nothing that matters here.
HARMLESS = {"--comment", "--reject-with", "--log-prefix", "--log-level", "--sport", "--sports"}


def table(text: str, family: str) -> Table:
    """Return the filter table.

    text: what iptables-save or ip6tables-save prints. family: ip or ip6.
    """
    found: Table = {"family": family, "bases": [], "chains": {}}
    inside = False
    for line in text.splitlines():
        if line.startswith("*"):
            inside = line.strip() == "*filter"
        elif inside and line.startswith(":"):
            name, policy = line[1:].split()[:2]
            if name in HOOKS:
                found["bases"].append({"hook": HOOKS[name], "chain": name, "policy": VERDICTS.get(policy, "accept")})
            if not name.startswith(KUBERNETES):
                found["chains"][name] = []
        elif inside and line.startswith("-A ") and line.split()[1] in found["chains"]:
            words = shlex.split(line)
            rule = _rule(words[2:], found["chains"])
            if rule:
                found["chains"][words[1]].append(rule)
    return found


def _rule(words: List[str], chains: Collection[str]) -> Optional[Rule]:
    """Return the rule, or None for one that never decides about a new connection to the host."""
    rule: Rule = {}
    unsure = False
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "!":
            # Whatever is negated is left to the kernel.
            unsure = True
            del queue[: 1 + _values(queue[1:])]
            continue
        values = [queue.pop(0) for _value in range(_values(queue))]
        value = " ".join(values)
        if word in ("-p", "--protocol"):
            rule["proto"] = {"6": "tcp", "17": "udp"}.get(value, value)
        elif word == "-s":
            rule["from"] = [value]
        elif word == "-i":
            rule["in"] = value.replace("+", "*")
        elif word in ("--dport", "--dports"):
            rule["ports"] = [_range(part) for part in value.split(",")]
        elif word in ("--ctstate", "--state"):
            if "NEW" not in value.split(","):
                return None
        elif word == "--dst-type":
            if value != "LOCAL":
                return None
        elif word == "-d":
            if ipaddress.ip_network(value, strict=False).is_multicast:
                return None
            unsure = True
        elif word in ("-j", "-g"):
            rule["do"] = VERDICTS.get(value, "goto" if word == "-g" else "jump")
            if rule["do"] in ("jump", "goto"):
                if value not in chains:
                    return None
                rule["to"] = value
        elif (word != "-m" and word not in HARMLESS) or (word == "-m" and value in ("limit", "recent", "set", "mark")):
            unsure = True
    if unsure:
        rule["unsure"] = True
    return rule if "do" in rule else None


def _values(words: List[str]) -> int:
    """Return how many of the words belong to the option before them."""
    return next((count for count, word in enumerate(words) if word.startswith("-") or word == "!"), len(words))


def _range(text: str) -> List[int]:
    ends = text.split(":")
    return [int(ends[0] or 0), int(ends[-1] or 65535)]
