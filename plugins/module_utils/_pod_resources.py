# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources of a container: what the server refuses only when it makes the pod, long after it took the job. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._quantity import parse

_MIG = "nvidia.com/mig-"
_PARTS = ("requests", "limits")

Resources = Dict[str, Any]


def normal(resources: Any, field: str) -> Tuple[Resources, List[Problem]]:
    """Return resources as they are sent, and what is wrong with them.

    Quantities are sent as text, so that 1 and "1" are one object. An extended resource (a GPU) has its limit written,
    as the server wants it; none of them is the same as leaving it out.
    """
    problems: List[Problem] = []
    maps = (
        [resources, *(resources.get(part) or {} for part in _PARTS)] if isinstance(resources, Mapping) else [resources]
    )
    if not all(isinstance(item, Mapping) for item in maps):
        rule = "must map requests and limits to quantities"
        return {}, [Problem(field, repr(resources)[:60], rule, "Write for example {limits: {cpu: 1}}")]
    result: Resources = {key: value for key, value in resources.items() if key not in _PARTS and value}
    amounts: Dict[str, Dict[str, Decimal]] = {}
    for part in _PARTS:
        amounts[part] = {}
        for name, value in (resources.get(part) or {}).items():
            amount = _amount(value, name, f"{field}.{part}[{name}]", problems)
            if amount is not None and not (_extended(name) and amount == 0):
                amounts[part][name] = amount
                result.setdefault(part, {})[name] = str(value)
    for name in sorted({*amounts["requests"], *amounts["limits"]}):
        request, limit = amounts["requests"].get(name), amounts["limits"].get(name)
        if limit is None and _extended(name):
            result.setdefault("limits", {})[name] = result["requests"][name]
        elif request is not None and limit is not None:
            problems += _pair(name, request, limit, field, result)
    mig = sorted(name for name in amounts["limits"].keys() | amounts["requests"].keys() if name.startswith(_MIG))
    if len(mig) > 1:
        rule = "a container sees MIG devices of one kind only"
        problems.append(Problem(field, ", ".join(mig), rule, "Use one kind in each container"))
    return result, problems


def _extended(name: str) -> bool:
    """Tell whether a resource is one that a device plugin brings."""
    domain = name.rpartition("/")[0]
    return bool(domain) and domain != "kubernetes.io" and not domain.endswith(".kubernetes.io")


def _amount(value: Any, name: str, field: str, problems: List[Problem]) -> Optional[Decimal]:
    try:
        amount = parse(value)
    except ValueError:
        problems.append(Problem(field, repr(value), "must be a quantity", 'Write for example 2, "500m" or "4Gi"'))
        return None
    if amount < 0:
        problems.append(Problem(field, str(value), "must not be below 0", "Give the amount that a container needs"))
        return None
    if _extended(name) and amount != amount.to_integral_value():
        way_out = "Give whole devices; a part of a GPU is a MIG device or a time slice with a name of its own"
        problems.append(Problem(field, str(value), "must be a whole number", way_out))
        return None
    return amount


def _pair(name: str, request: Decimal, limit: Decimal, field: str, resources: Resources) -> List[Problem]:
    shown = f"request {resources['requests'][name]}, limit {resources['limits'][name]}"
    if _extended(name) and request != limit:
        return [
            Problem(f"{field}[{name}]", shown, "request and limit of a device must be equal", "Give only the limit")
        ]
    if request > limit:
        return [Problem(f"{field}[{name}]", shown, "the request must not be above the limit", "Lower the request")]
    return []
