# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pods ask for, as Kubernetes counts it for scheduling and for quotas; of one pod, of a job, of a gang. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple

from .._kube.quantity import parse
from .._kube.resource import Manifest

Amounts = Dict[str, Decimal]
# How many pods ask for this each.
Counted = Tuple[int, Amounts]

# What may be given for a pod as a whole; everything else only for its containers.
_OF_WHOLE_PODS = ("cpu", "memory")
_HUGE_PAGES = "hugepages-"


@dataclass(frozen=True)
class Demand:
    """Requests and limits, by resource, in base units: cores, bytes, devices."""

    requests: Amounts = field(default_factory=dict)
    limits: Amounts = field(default_factory=dict)


@dataclass(frozen=True)
class Replicas:
    """Pods of one kind. title: what people call them. spec: of one of the pods.."""

    title: str
    count: int
    spec: Manifest


def demand_of_pod(spec: Manifest) -> Demand:
    """Return what a pod asks for. Raises ValueError for what is no quantity.

    A container without a request requests its limit. Containers that run beside each other add up, those that run one
    after another do not: the pod asks for the most that it ever needs.
    """
    requests, limits = _of_containers(spec, container_requests), _of_containers(spec, _limits)
    pod = spec.get("resources") or {}
    pod_requests, pod_limits = amounts(pod.get("requests")), amounts(pod.get("limits"))
    for name, limit in pod_limits.items():
        # Containers speak for what can be shared; whole huge pages are taken as they stand.
        own = requests.get(name) if name in _OF_WHOLE_PODS else None
        pod_requests.setdefault(name, limit if own is None else own)
    requests.update({name: value for name, value in pod_requests.items() if _for_whole_pods(name)})
    for name, limit in limits.items():
        # A pod whose containers are all bounded is bounded itself, but not below what it requests.
        if name in pod_requests and all(name in _limits(container) for container in _containers(spec)):
            pod_limits.setdefault(name, max(limit, pod_requests[name]))
    limits.update({name: value for name, value in pod_limits.items() if _for_whole_pods(name)})
    overhead = amounts(spec.get("overhead"))
    # Overhead needs no limit where nothing else has one.
    limits = {name: value + overhead.get(name, Decimal(0)) if value else value for name, value in limits.items()}
    return Demand(_sum([requests, overhead]), limits)


def amounts(quantities: Any) -> Amounts:
    """Return quantities as numbers. Raises ValueError for what is none."""
    return {str(name): parse(value) for name, value in (quantities or {}).items()}


def container_requests(container: Mapping[str, Any]) -> Amounts:
    """Return what a container requests: its limit where it says nothing."""
    resources = container.get("resources") or {}
    return {**amounts(resources.get("limits")), **amounts(resources.get("requests"))}


def is_sidecar(container: Mapping[str, Any]) -> bool:
    """Tell whether an init container goes on running beside the others."""
    return container.get("restartPolicy") == "Always"


def _limits(container: Mapping[str, Any]) -> Amounts:
    return amounts((container.get("resources") or {}).get("limits"))


def _for_whole_pods(name: str) -> bool:
    return name in _OF_WHOLE_PODS or name.startswith(_HUGE_PAGES)


def _containers(spec: Manifest) -> List[Mapping[str, Any]]:
    return [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]


def _of_containers(spec: Manifest, ask: Callable[[Mapping[str, Any]], Amounts]) -> Amounts:
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("initContainers") or []:
        if is_sidecar(container):
            sidecars = now = _sum([sidecars, ask(container)])
        else:
            # Only the sidecars before it in the list run by then.
            now = _sum([sidecars, ask(container)])
        peak = _most(peak, now)
    return _most(peak, _sum([sidecars, *(ask(container) for container in spec.get("containers") or [])]))


def _sum(parts: Iterable[Amounts]) -> Amounts:
    result: Amounts = {}
    for part in parts:
        for name, value in part.items():
            result[name] = result.get(name, Decimal(0)) + value
    return result


def _most(one: Amounts, other: Amounts) -> Amounts:
    return {name: max(one.get(name, Decimal(0)), other.get(name, Decimal(0))) for name in {**one, **other}}


def demand_of_least(replicas: Sequence[Replicas], least: int) -> Demand:
    """Return what this many of the pods ask for at the very least: see `sum_of_least`."""
    each = [(item.count, demand_of_pod(item.spec)) for item in replicas]
    return Demand(
        sum_of_least([(count, demand.requests) for count, demand in each], least),
        sum_of_least([(count, demand.limits) for count, demand in each], least),
    )


def sum_of_all(each: Sequence[Counted]) -> Amounts:
    """Return the sum over all pods."""
    return _sum({name: value * count for name, value in asked.items()} for count, asked in each)


def sum_of_least(each: Sequence[Counted], least: int) -> Amounts:
    """Return the least that this many of the pods can sum up to.

    Which pods come first is not known, so each resource is counted for those that ask for the least of it: what does
    not fit then fits in no order. Of more pods than there are, all are counted.
    """
    result: Amounts = {}
    for name in sorted({name for _count, asked in each for name in asked}):
        left, result[name] = least, Decimal(0)
        for value, count in sorted((asked.get(name, Decimal(0)), count) for count, asked in each):
            taken = min(count, left)
            result[name], left = result[name] + value * taken, left - taken
    return result
