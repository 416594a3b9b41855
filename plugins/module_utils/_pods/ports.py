# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of the container that trains, as the operator makes Services of them. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Set

from .._common.problem import Problem

# By the container that trains: the port that the operator adds when no port has its name.
_OPERATOR_PORTS = {"tensorflow": ("tfjob-port", 2222), "pytorch": ("pytorchjob-port", 23456)}


def name_ports(container: Dict[str, Any]) -> None:
    """Give each port of a container that trains under the operator a name: a Service with several ports needs them."""
    own_name, own_number = _OPERATOR_PORTS.get(str(container.get("name")), ("", 0))
    for port in container.get("ports") or [] if own_name else []:
        if not port.get("name"):
            port["name"] = own_name if port["containerPort"] == own_number else f"port-{port['containerPort']}"


def check_ports(container: Dict[str, Any], field: str) -> List[Problem]:
    """Return what is wrong with the ports of a container: the operator opens each of them by number, in TCP."""
    problems: List[Problem] = []
    own_name, own_number = _OPERATOR_PORTS.get(str(container.get("name")), ("", 0))
    names: Set[str] = set()
    numbers: Set[int] = set()
    for port in container.get("ports") or []:
        name, number = port.get("name"), port.get("containerPort")
        if name and name in names:
            problems.append(Problem(f"{field}.ports", name, "two ports have this name", "Rename one of them"))
        if own_name and number in numbers:
            rule = "two ports have this number, and the operator's Service opens each number once"
            problems.append(Problem(f"{field}.ports", str(number), rule, "Drop one of them"))
        if own_name and number == own_number and name != own_name:
            rule = f"the operator adds port {own_number} by the name {own_name}"
            problems.append(Problem(f"{field}.ports", f"{name}: {number}", rule, f"Name it {own_name}"))
        names.add(str(name))
        numbers.add(int(number or 0))
    return problems
