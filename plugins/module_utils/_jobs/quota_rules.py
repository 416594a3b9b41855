# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ResourceQuota counts, whom it concerns, what it wants of every container. Pure."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Tuple

from .._common.problem import Problem
from .._kube.resource import Manifest
from .._pods.demand import Amounts, amounts, container_requests, demand_of_pod

PRIORITY = "PriorityClass"
# Counted by its own name too, without a word before it.
_PLAIN = ("cpu", "memory", "ephemeral-storage")
# Of these a quota wants every container to say something; of everything else nothing counts as none.
_TO_BE_SAID = {
    f"{prefix}{resource}": (part, resource)
    for resource in ("cpu", "memory")
    for prefix, part in (("", "requests"), ("requests.", "requests"), ("limits.", "limits"))
}


def usage_of_pod(spec: Manifest) -> Amounts:
    """Return what a quota counts for a pod whose spec is as admission leaves it."""
    demand = demand_of_pod(spec)
    usage = amounts({"pods": 1, "count/pods": 1})
    for name, value in demand.requests.items():
        usage[f"requests.{name}"] = value
        if name in _PLAIN or name.startswith("hugepages-"):
            usage[name] = value
    usage.update({f"limits.{name}": demand.limits[name] for name in _PLAIN if name in demand.limits})
    return usage


def usage_of_objects(manifests: Iterable[Manifest]) -> Amounts:
    """Return what a quota counts for objects."""
    counts: Dict[str, int] = {}

    def add(group: str, plural: str, number: int) -> None:
        names = [f"count/{plural}.{group}"] if group else [plural, f"count/{plural}"]
        for name in names:
            counts[name] = counts.get(name, 0) + number

    for manifest in manifests:
        kind = str(manifest["kind"]).lower()
        plural = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
        add(str(manifest["apiVersion"]).rpartition("/")[0], plural, 1)
    return amounts(counts)


def hard_and_used(quota: Manifest) -> Tuple[Amounts, Amounts]:
    """Return what a quota allows, and what of it is used."""
    status = quota.get("status") or {}
    # A quota that its controller has not seen yet has no status.
    hard = amounts(status.get("hard") or (quota.get("spec") or {}).get("hard"))
    return hard, {name: value for name, value in amounts(status.get("used")).items() if name in hard}


def scopes_of(quota: Manifest) -> List[Mapping[str, Any]]:
    """Return what a pod must be for this quota to count it."""
    spec = quota.get("spec") or {}
    selected: List[Mapping[str, Any]] = (spec.get("scopeSelector") or {}).get("matchExpressions") or []
    return [*({"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or []), *selected]


def concerns(quota: Manifest, spec: Manifest) -> bool:
    """Tell whether a quota counts a pod whose spec is as admission leaves it."""
    return all(_in_scope(scope, spec) for scope in scopes_of(quota))


def _in_scope(scope: Mapping[str, Any], spec: Manifest) -> bool:
    name = str(scope.get("scopeName"))
    if name in ("Terminating", "NotTerminating"):
        return (spec.get("activeDeadlineSeconds") is not None) == (name == "Terminating")
    if name in ("BestEffort", "NotBestEffort"):
        return _best_effort(spec) == (name == "BestEffort")
    if name == "CrossNamespacePodAffinity":
        return _looks_into_other_namespaces(spec)
    return name == PRIORITY and _has_priority(scope, str(spec.get("priorityClassName") or ""))


def _has_priority(scope: Mapping[str, Any], name: str) -> bool:
    operator, values = scope.get("operator"), scope.get("values") or []
    if operator == "Exists":
        return bool(name)
    if operator == "DoesNotExist":
        return not name
    return (name in values) == (operator == "In")


def _best_effort(spec: Manifest) -> bool:
    parts = [spec, *(spec.get("containers") or []), *(spec.get("initContainers") or [])]
    return not any(
        value
        for part in parts
        for kind in ("requests", "limits")
        for name, value in amounts((part.get("resources") or {}).get(kind)).items()
        if name in ("cpu", "memory")
    )


def _looks_into_other_namespaces(spec: Manifest) -> bool:
    affinity = spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        rules = affinity.get(kind) or {}
        terms = list(rules.get("requiredDuringSchedulingIgnoredDuringExecution") or [])
        preferred = rules.get("preferredDuringSchedulingIgnoredDuringExecution") or []
        terms += [term.get("podAffinityTerm") or {} for term in preferred]
        if any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms):
            return True
    return False


def unsaid(quota: Manifest, spec: Manifest) -> List[Problem]:
    """Return what a quota wants to be said and a pod's containers leave out: such pods are all refused."""
    hard, _used = hard_and_used(quota)
    wanted = [_TO_BE_SAID[name] for name in hard if name in _TO_BE_SAID]
    # A pod that says something as a whole is not asked for its containers.
    whole = spec.get("resources") or {}
    if whole.get("requests") or whole.get("limits"):
        return []
    problems: List[Problem] = []
    for container in [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]:
        limits = amounts((container.get("resources") or {}).get("limits"))
        said = {"requests": container_requests(container), "limits": limits}
        for part, resource in dict.fromkeys(wanted):
            if resource not in said[part]:
                rule = f"ResourceQuota {quota['metadata']['name']} wants it of every container, and refuses the pods"
                way_out = f"Give {part}: {{{resource}: ...}} in resources, or have a LimitRange with a default"
                where = f"container {container.get('name')}.resources.{part}[{resource}]"
                problems.append(Problem(where, "none", rule, way_out))
    return problems
