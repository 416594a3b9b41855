# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clocks of the hosts, against the controller's and against each other.

What is known of a clock is an interval: it was read somewhere between the moment the controller asked and the moment it
had the answer. Only an interval that lies beyond the limit as a whole is a problem, so a slow host raises no alarm.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

from ...module_utils._common.problem import Problem, Rule

MAX_DIFFERENCE = 5.0

AGAINST_CONTROLLER = Rule(
    "clock",
    "clocks may differ by {limit:.0f} s: certificates, tokens and leases are judged by them",
    "Start its time service (timedatectl set-ntp true) or set it (timedatectl set-time); role node keeps it right"
    " afterwards (node_time_service)",
)
CONTROLLER = Rule(
    "clock of the controller",
    "clocks may differ by {limit:.0f} s, and all hosts agree with each other",
    "Set the clock of the machine that runs Ansible",
)
AGAINST_EACH_OTHER = Rule(
    "clock",
    "clocks may differ by {limit:.0f} s: certificates, tokens and leases are judged by them",
    "Let both follow one time server (timedatectl set-ntp true), or set them (timedatectl set-time)",
)

Interval = Tuple[float, float]


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the clocks.

    facts: `hosts`, host -> what node_info read there; `clock_offset` holds `low` and `high`, between which the host's
        clock is ahead of the controller's, in seconds.
    options: none is used.
    """
    offsets: Dict[str, Interval] = {
        host: (float(node["clock_offset"]["low"]), float(node["clock_offset"]["high"]))
        for host, node in sorted(facts["hosts"].items())
        if node.get("clock_offset")
    }
    wrong = {host: offset for host, offset in offsets.items() if _beyond(offset) > 0}
    if len(wrong) == len(offsets) > 1 and _gap(offsets) <= MAX_DIFFERENCE:
        first = next(iter(wrong.values()))
        return [CONTROLLER.broken(_text((-first[1], -first[0]), "the hosts"), limit=MAX_DIFFERENCE)]
    problems = [
        AGAINST_CONTROLLER.broken(_text(offset, "the controller"), host, limit=MAX_DIFFERENCE)
        for host, offset in wrong.items()
    ]
    right = {host: offset for host, offset in offsets.items() if host not in wrong}
    if right and _gap(right) > MAX_DIFFERENCE:
        ahead = max(right, key=lambda host: right[host][0])
        behind = min(right, key=lambda host: right[host][1])
        value = f"{ahead} is at least {_gap(right):.0f} s ahead of {behind}"
        problems.append(AGAINST_EACH_OTHER.broken(value, limit=MAX_DIFFERENCE))
    return problems


def _beyond(offset: Interval) -> float:
    """Return by how many seconds the whole interval lies beyond the limit; 0 when a part of it is within."""
    return max(offset[0] - MAX_DIFFERENCE, -MAX_DIFFERENCE - offset[1], 0.0)


def _gap(offsets: Mapping[str, Interval]) -> float:
    """Return by how many seconds two of the clocks differ at least."""
    return max(low for low, _high in offsets.values()) - min(high for _low, high in offsets.values())


def _text(offset: Interval, other: str) -> str:
    middle = (offset[0] + offset[1]) / 2
    return f"{abs(middle):.0f} s {'ahead of' if middle > 0 else 'behind'} {other}"
