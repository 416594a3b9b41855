# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of a gang scheduler from what a user says of them. Pure."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem, shown
from ansible_collections.trainyard.mlstack.plugins.module_utils._quantity import is_quantity, parse
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest

API_VERSIONS: Mapping[str, str] = {
    "volcano": "scheduling.volcano.sh/v1beta1",
    "kube_batch": "scheduling.incubator.k8s.io/v1alpha1",
}
# Jobs that name no queue are in this one, so there is always one.
DEFAULT = "default"
ROOT = "root"
_AMOUNTS = ("guarantee", "deserved", "capability")
# What a queue may say, by scheduler, and what kind of value that is.
_KEYS: Mapping[str, Mapping[str, Tuple[type, ...]]] = {
    "kube_batch": {"name": (str,), "weight": (int,)},
    "volcano": {
        "name": (str,),
        "weight": (int,),
        "parent": (str,),
        "priority": (int,),
        "reclaimable": (bool,),
        "guarantee": (dict,),
        "deserved": (dict,),
        "capability": (dict,),
        "annotations": (dict,),
    },
}
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def queue_objects(backend: str, queues: Sequence[Mapping[str, Any]]) -> List[Manifest]:
    """Return the Queues, that of jobs which name none among them. queues: found good by `queue_problems`."""
    named = {str(queue["name"]): queue for queue in queues}
    named = named if DEFAULT in named else {DEFAULT: {"name": DEFAULT}, **named}
    return [_queue_object(backend, queue) for queue in named.values()]


def _queue_object(backend: str, queue: Mapping[str, Any]) -> Manifest:
    metadata: Dict[str, Any] = {"name": queue["name"]}
    if queue.get("annotations"):
        metadata["annotations"] = {key: str(value) for key, value in queue["annotations"].items()}
    spec: Dict[str, Any] = {"weight": queue.get("weight", 1)}
    spec.update({key: queue[key] for key in ("parent", "priority", "reclaimable") if key in queue})
    for key in _AMOUNTS:
        if queue.get(key):
            amounts = {name: str(amount) for name, amount in queue[key].items()}
            spec[key] = {"resource": amounts} if key == "guarantee" else amounts
    return {"apiVersion": API_VERSIONS[backend], "kind": "Queue", "metadata": metadata, "spec": spec}


def queue_problems(backend: str, queues: Sequence[Any], plugins: Sequence[str], field: str) -> List[Problem]:
    """Return what is wrong with the queues of a scheduler with these plugins. field: the option that holds them."""
    problems: List[Problem] = []
    names = [str(queue.get("name")) for queue in queues if isinstance(queue, Mapping)]
    for index, queue in enumerate(queues):
        place = f"{field}[{index}]"
        if not isinstance(queue, Mapping):
            problems.append(Problem(place, shown(queue), "must be a map with a name", "Write - name: research"))
            continue
        wrong = _key_problems(backend, queue, place)
        problems += wrong or _amount_problems(queue, place) + _parent_problems(queue, names, plugins, place)
    twice = sorted({name for name in names if names.count(name) > 1})
    return problems + [Problem(field, name, "stands there twice", "Keep one of the two") for name in twice]


def _key_problems(backend: str, queue: Mapping[str, Any], place: str) -> List[Problem]:
    known, problems = _KEYS[backend], []
    for key, value in queue.items():
        if key not in known:
            rule = f"a queue of {backend} has no such key, but {', '.join(known)}"
            problems.append(Problem(place, str(key), rule, "Correct or drop it"))
        elif not isinstance(value, known[key]) or (isinstance(value, bool) and bool not in known[key]):
            kind = {str: "text", int: "a whole number", bool: "true or false", dict: "a map"}[known[key][0]]
            problems.append(Problem(f"{place}.{key}", shown(value), f"must be {kind}", "Correct it"))
        elif key == "weight" and isinstance(value, int) and value < 1:
            problems.append(
                Problem(f"{place}.weight", str(value), "must be 1 or more", "A queue of weight 0 gets nothing")
            )
    name = queue.get("name")
    if name is None or (isinstance(name, str) and not _NAME.fullmatch(name)):
        rule = "must be lower-case letters, digits, - and ."
        problems.append(Problem(f"{place}.name", str(name), rule, "Name it such as team-a"))
    return problems


def _amount_problems(queue: Mapping[str, Any], place: str) -> List[Problem]:
    """Return what Volcano's webhook would refuse: no quantities, and guarantee, deserved, capability out of order."""
    problems = [
        Problem(f"{place}.{key}", f"{name} {amount}", "must be a quantity of Kubernetes", 'Write 8, 500m or "64Gi"')
        for key in _AMOUNTS
        for name, amount in (queue.get(key) or {}).items()
        if isinstance(amount, bool) or not is_quantity(amount)
    ]
    if problems:
        return problems
    for lower, upper, needed in (("guarantee", "deserved", True), ("deserved", "capability", False)):
        bounds = queue.get(upper) or {}
        for name, amount in (queue.get(lower) or {}).items():
            bound = bounds.get(name)
            if bound is None and not needed:
                continue
            if bound is None or parse(bound) < parse(amount):
                there = "nothing" if bound is None else str(bound)
                rule = f"must not be more than {upper}, which has {there} of it"
                problems.append(
                    Problem(f"{place}.{lower}", f"{name} {amount}", rule, f"Raise {upper} or lower {lower}")
                )
    return problems


def _parent_problems(
    queue: Mapping[str, Any], names: Sequence[str], plugins: Sequence[str], place: str
) -> List[Problem]:
    parent = queue.get("parent")
    if parent is None:
        return []
    if "capacity" not in plugins:
        rule = "only the plugin capacity knows queues below queues"
        way_out = "Put it in the place of proportion in gang_scheduler_conf, with enableHierarchy: true"
        return [Problem(f"{place}.parent", str(parent), rule, way_out)]
    if parent == queue["name"] or parent not in (*names, ROOT):
        rule = f"must be {ROOT} or another queue of the list"
        return [Problem(f"{place}.parent", str(parent), rule, f"There is: {', '.join([ROOT, *names])}")]
    return []
