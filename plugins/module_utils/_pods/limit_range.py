# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a namespace's LimitRanges make of a pod: amounts that they fill in, pods that they refuse. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from .._common.problem import Problem
from .._kube.quantity import parse, readable
from .._kube.resource import Manifest
from .demand import Amounts, amounts, container_requests, demand_of_pod

_LISTS = ("initContainers", "containers")


def filled(spec: Manifest, ranges: Sequence[Manifest]) -> Manifest:
    """Return a pod's spec as it is after admission: with requests for limits, then with what the ranges fill in."""
    result = dict(spec)
    for part in _LISTS:
        if spec.get(part):
            result[part] = [_filled(container, ranges) for container in spec[part]]
    return result


def _filled(container: Mapping[str, Any], ranges: Sequence[Manifest]) -> Dict[str, Any]:
    resources = container.get("resources") or {}
    limits = dict(resources.get("limits") or {})
    requests = {**limits, **(resources.get("requests") or {})}
    for _name, limit in _limits(ranges, "Container"):
        limits = {**(limit.get("default") or {}), **limits}
        requests = {**(limit.get("defaultRequest") or {}), **requests}
    return {**container, "resources": {**resources, "limits": limits, "requests": requests}}


def range_problems(spec: Manifest, ranges: Sequence[Manifest]) -> List[Problem]:
    """Return why the ranges refuse a pod whose spec is filled in."""
    problems: List[Problem] = []
    for name, limit in _limits(ranges, "Container"):
        for part in _LISTS:
            for container in spec.get(part) or []:
                limits = amounts((container.get("resources") or {}).get("limits"))
                where = f"container {container.get('name')}"
                problems += _broken(name, limit, container_requests(container), limits, where)
    demand = demand_of_pod(spec)
    for name, limit in _limits(ranges, "Pod"):
        problems += _broken(name, limit, demand.requests, demand.limits, "pod")
    return problems


def _limits(ranges: Sequence[Manifest], kind: str) -> List[Tuple[str, Mapping[str, Any]]]:
    """Return the limits of one type, each with the name of its range."""
    return [
        (str(item["metadata"]["name"]), limit)
        for item in ranges
        for limit in (item.get("spec") or {}).get("limits") or []
        if limit.get("type") == kind
    ]


def _broken(name: str, limit: Mapping[str, Any], requests: Amounts, limits: Amounts, where: str) -> List[Problem]:
    problems: List[Problem] = []

    def refuse(resource: str, rule: str) -> None:
        shown = f"request {_shown(requests, resource)}, limit {_shown(limits, resource)}"
        problems.append(
            Problem(f"{where}.resources[{resource}]", shown, f"LimitRange {name} {rule}", "Correct resources")
        )

    for resource, bound in (limit.get("min") or {}).items():
        request, most = requests.get(resource), limits.get(resource)
        if request is None or request < parse(bound) or (most is not None and most < parse(bound)):
            refuse(resource, f"wants a request and a limit of at least {bound}")
    for resource, bound in (limit.get("max") or {}).items():
        request, most = requests.get(resource), limits.get(resource)
        if most is None or most > parse(bound) or (request is not None and request > parse(bound)):
            refuse(resource, f"wants a limit of at most {bound}")
    for resource, bound in (limit.get("maxLimitRequestRatio") or {}).items():
        request, most = requests.get(resource), limits.get(resource)
        if not request or not most or most > request * parse(bound):
            refuse(resource, f"wants a limit of at most {bound} times the request")
    return problems


def _shown(amounts_given: Amounts, resource: str) -> str:
    return readable(amounts_given[resource]) if resource in amounts_given else "none"
