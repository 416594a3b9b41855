# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Swap that role `node` cannot turn off for good, or shall not, and that the kubelet would refuse."""

from __future__ import annotations

from typing import Any, List, Mapping

from ...module_utils._common.problem import Problem, Rule

IN_CONTAINER = Rule(
    "swap",
    "the kubelet refuses to run beside swap, and a container cannot turn off that of the machine below",
    "Turn it off there (swapoff -a), or let the kubelet run beside it: kubernetes_fail_swap_on: false",
)
KEPT = Rule(
    "swap",
    "the kubelet refuses to run beside swap, and node_swap says that it is kept",
    "Set node_swap: \"off\", or let the kubelet run beside it: kubernetes_fail_swap_on: false",
)
MAKER = Rule(
    "swap",
    "this service makes swap anew at each boot, and the kubelet would not come back after one",
    "Turn it off: systemctl disable --now {unit}, or let the kubelet run beside swap: kubernetes_fail_swap_on: false",
)
NO_ROOM = Rule(
    "swap",
    "what lies in swap must fit into the {available} MiB of memory that are free, or programs are killed when it is"
    " turned off",
    "Stop some programs first, or turn swap off by hand (swapoff -a)",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with swap; what node_info could not read (None) is not judged.

    facts: what node_info read there.
    options: `swap` (node_swap) and `fail_swap_on` (the kubelet's setting).
    """
    swaps, makers = facts["swaps"] or [], facts["swap_makers"] or []
    names = ", ".join(f"{swap['path']} ({swap['size_mb']} MiB)" for swap in swaps)
    if options["swap"] != "off" or facts["container"]:
        rule = IN_CONTAINER if facts["container"] else KEPT
        return [rule.broken(names)] if swaps and options["fail_swap_on"] else []
    problems = [MAKER.broken(unit, unit=unit) for unit in makers] if options["fail_swap_on"] else []
    used, available = sum(swap["used_mb"] for swap in swaps), facts["memory_available_mb"]
    if available is not None and used > available:
        problems.append(NO_ROOM.broken(f"{used} MiB used in {names}", available=available))
    return problems
