# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of Volcano and kube-batch as objects, and what is wrong with them. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._common.problem import Problem
from .._kube import names as kube_names
from .._kube.quantity import parse
from .._kube.resource import Manifest, Ref
from .backend import Backend, given
from .gang import BACKENDS

Options = Mapping[str, Any]

KIND = "Queue"
# The backends that have queues.
QUEUES: Mapping[str, Backend] = {name: backend for name, backend in BACKENDS.items() if "queue" in backend.extras}
# Jobs that name no queue go to the first; Volcano hangs every queue without a parent below the other.
DEFAULT, ROOT = "default", "root"
_AMOUNTS = ("guarantee", "deserved", "capability")
# What kube-batch has no field for, or has one and does not look at it.
_VOLCANO_ONLY = {
    "capability": "kube-batch reads this field and keeps to no limit. A ResourceQuota of the team's namespace is one",
    "deserved": "kube-batch shares by weight alone",
    "guarantee": "kube-batch reserves nothing",
    "parent": "kube-batch knows no hierarchy. Give each team one queue, with its share of the whole as weight",
    "priority": "kube-batch orders jobs by their own priority class",
    "reclaimable": "kube-batch gives back to another queue what is above a queue's share, always",
}
_HEAVIEST = 65535


def queue_options() -> Dict[str, Any]:
    """Return the argument spec of one queue, but for its name."""
    return {
        "weight": {"type": "int", "default": 1},
        "capability": {"type": "dict"},
        "deserved": {"type": "dict"},
        "guarantee": {"type": "dict"},
        "parent": {"type": "str"},
        "priority": {"type": "int"},
        "reclaimable": {"type": "bool"},
    }


def queue_ref(backend: str, name: str) -> Ref:
    """Return the identity of a queue."""
    return Ref(BACKENDS[backend].api_version, KIND, name)


def render(backend: str, queue: Options) -> Manifest:
    """Return the queue that its options describe."""
    given_amounts = [name for name in _AMOUNTS if queue.get(name) is not None]
    amounts: Dict[str, Any] = {name: {key: str(value) for key, value in queue[name].items()} for name in given_amounts}
    guarantee = {"guarantee": {"resource": amounts.pop("guarantee")}} if "guarantee" in amounts else {}
    flags = given(**{name: queue.get(name) for name in ("parent", "priority", "reclaimable")})
    spec = {"weight": queue["weight"], **amounts, **guarantee, **flags}
    ref = queue_ref(backend, queue["name"])
    return {"apiVersion": ref.api_version, "kind": KIND, "metadata": {"name": ref.name}, "spec": spec}


def check(backend: str, queues: Sequence[Options]) -> List[Problem]:
    """Return all that is wrong with a list of queues, before any request is made."""
    problems: List[Problem] = []
    names = [str(queue["name"]) for queue in queues]
    for queue in queues:
        broken = kube_names.subdomain(str(queue["name"]))
        if broken:
            problems.append(Problem("name", str(queue["name"]) or "''", broken, "Correct it"))
        problems += _check_numbers(queue)
        if backend == "kube_batch":
            problems += _only_volcano(queue)
        else:
            problems += _check_amounts(queue) + _check_parent(queue)
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        problems.append(Problem("queues", ", ".join(twice), "stands in the list twice", "Keep one of the two"))
    elif not problems:
        problems += _circles(queues)
    return problems


def _check_numbers(queue: Options) -> List[Problem]:
    problems = []
    if not 1 <= queue["weight"] <= _HEAVIEST:
        rule = f"must be between 1 and {_HEAVIEST}: it is the queue's part of the sum of all weights"
        problems.append(_problem(queue, "weight", queue["weight"], rule, "Correct it, or leave it out for 1"))
    if (queue.get("priority") or 0) < 0:
        problems.append(_problem(queue, "priority", queue["priority"], "must not be below 0", "Correct it"))
    return problems


def _only_volcano(queue: Options) -> List[Problem]:
    return [
        _problem(queue, name, _short(queue[name]), f"is for volcano: {reason}", "Leave it out, or use volcano")
        for name, reason in _VOLCANO_ONLY.items()
        if queue.get(name) is not None
    ]


def _check_amounts(queue: Options) -> List[Problem]:
    problems: List[Problem] = []
    read: Dict[str, Dict[str, Any]] = {}
    for name in _AMOUNTS:
        for resource, value in (queue.get(name) or {}).items():
            field = f"{name}.{resource}"
            broken = kube_names.qualified(str(resource))
            if broken:
                problems.append(_problem(queue, name, resource, broken, "Name a resource, such as nvidia.com/gpu"))
                continue
            try:
                amount = parse(value)
            except ValueError:
                problems.append(_problem(queue, field, value, "must be a quantity", "Write 8, 500m or 16Gi"))
                continue
            if amount < 0:
                problems.append(_problem(queue, field, value, "must not be below 0", "Correct it"))
            read.setdefault(name, {})[resource] = amount
    for low, high in (("guarantee", "deserved"), ("guarantee", "capability"), ("deserved", "capability")):
        for resource, amount in read.get(low, {}).items():
            most = read.get(high, {}).get(resource)
            if most is not None and amount > most:
                value, rule = queue[low][resource], f"is above {high}, which is {queue[high][resource]}"
                problems.append(_problem(queue, f"{low}.{resource}", value, rule, f"Lower it, or raise {high}"))
    return problems


def _check_parent(queue: Options) -> List[Problem]:
    parent = queue.get("parent")
    if parent is None:
        return []
    if parent == DEFAULT:
        rule = "is where jobs wait that name no queue, and a queue with others below it takes no jobs"
        return [_problem(queue, "parent", parent, rule, "Name another one")]
    broken = kube_names.subdomain(parent)
    return [_problem(queue, "parent", parent or "''", broken, "Correct it, or leave it out")] if broken else []


def _circles(queues: Sequence[Options]) -> List[Problem]:
    parents = {str(queue["name"]): queue.get("parent") for queue in queues}
    for name in parents:
        way = [name]
        while parents.get(way[-1]):
            way.append(str(parents[way[-1]]))
            if way[-1] == name:
                rule = "the queue would be below itself"
                return [Problem("parent", " below ".join(way), rule, "Leave the parent of one of them out")]
            if len(way) > len(parents):
                break
    return []


def levels(queues: Sequence[Options]) -> List[List[Options]]:
    """Return the queues in the order in which they can be made: parents first."""
    parents = {str(queue["name"]): queue.get("parent") for queue in queues}
    found: Dict[int, List[Options]] = {}
    for queue in queues:
        found.setdefault(len(way_to(str(queue["name"]), parents)), []).append(queue)
    return [found[depth] for depth in sorted(found)]


def way_to(name: str, parents: Mapping[str, Optional[str]]) -> List[str]:
    """Return the queues from the uppermost one of these down to this one."""
    way: List[str] = []
    # In a cluster a parent may be one that does not exist, or that is its own: it ends the way.
    while name in parents and name not in way:
        way.insert(0, name)
        name = parents[name] or (ROOT if name != ROOT else "")
    return way


def parent_of(live: Manifest) -> str:
    """Return the parent of a live queue; empty for none."""
    return str((live.get("spec") or {}).get("parent") or "")


def below(lives: Mapping[str, Manifest], name: str) -> List[str]:
    """Return which live queues are right below one: then no jobs are started in it itself."""
    return sorted(each for each, live in lives.items() if parent_of(live) == name)


def queue_of(group: Manifest) -> str:
    """Return the queue in which a PodGroup is."""
    return str((group.get("spec") or {}).get("queue") or DEFAULT)


def _problem(queue: Options, field: str, value: Any, rule: str, way_out: str) -> Problem:
    return Problem(f"queue {queue['name']}: {field}", str(value), rule, way_out)


def _short(value: Any) -> str:
    return "a map" if isinstance(value, Mapping) else str(value)
