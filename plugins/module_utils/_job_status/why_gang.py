# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why its gang does not come together. Pure."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from .._gangs.backend import Backend
from .._gangs.gang import backend_of, least_of
from .._gangs.queue import queue_of
from .._gangs.why_queue import QUEUE_TURN, why_held, why_silent
from .._job_model.cause import BROKEN, WAITS, Cause, Evidence, Finding, Subject, seconds_since, who
from .._kube.pod_reason import condition
from .._kube.quantity import readable
from .._kube.resource import Manifest
from .._pods.demand import Amounts, Replicas, demand_of_least, demand_of_pod
from .._pods.node_fit import Ground, Room, shortfall
from .why_placing import holders, plain, why_unplaced

MISSING = Cause(
    "the PodGroup is gone",
    "PodGroup {group} does not exist, so the scheduler holds back {who}",
    "Run the task of the job again: it makes the PodGroup anew",
)
MORE_THAN_PODS = Cause(
    "a minimum above the number of pods",
    "The gang starts with {least} pods, and the job has only {count}",
    "Set gang.min_available to {count} or less",
)
NEVER = Cause(
    "a gang that this cluster can never hold",
    "The gang can never start: its {least} pods ask for at least {asked} {resource} together, and the {nodes} nodes"
    " that it may use have {total} in all, even when they are empty",
    "Lower gang.min_available or what a pod asks for, or add nodes",
)
NO_PLACES = Cause(
    "a gang with more pods than places",
    "The gang can never start: empty, the {nodes} nodes that it may use have room for {places} of its {least} pods",
    "Lower gang.min_available or what a pod asks for, or add nodes",
)
TOGETHER = Cause(
    "a gang waits for its turn",
    "The gang waits until {least} pods have room at once; now there is room for {places}",
    "Wait until the pods that hold it end, lower gang.min_available, or add nodes",
    rank=WAITS,
)


def why_gang(
    name: str, subjects: Sequence[Subject], replicas: Sequence[Replicas], evidence: Evidence
) -> Iterator[Finding]:
    """Yield why the pods of one gang wait. replicas: all pods that the job makes; empty when that is not known."""
    if name not in evidence.groups:
        yield from _each(subjects, evidence)
        return
    group, ground = evidence.groups[name], evidence.ground
    backend = backend_of(group) if group else None
    if group is None or backend is None:
        yield MISSING.found(group=name, who=who(subjects))
        return
    least = least_of([group]) or 1
    count = sum(item.count for item in replicas)
    if count and least > count:
        yield MORE_THAN_PODS.found(least=least, count=count)
        return
    every = list(replicas) or [Replicas(item.replica.label, 1, item.spec) for item in subjects]
    held = list(why_held(backend, group, evidence.queues, least, demand_of_least(every, least).requests))
    stopped = [finding for finding in held if finding.rank == BROKEN]
    stopped = stopped or list(_silent(backend, group, subjects, evidence))
    if stopped:
        yield from stopped
        return
    never = _never(least, every, ground) if ground.known and ground.rooms else None
    alone = list(_each(subjects, evidence))
    # A pod that fits nowhere explains more than the sum does.
    broken = [finding for finding in alone if finding.rank == BROKEN]
    if broken or never:
        yield from broken or filter(None, [never])
    elif held:
        yield from (replace(finding, facts=(*finding.facts, *_words(group))) for finding in held)
    elif ground.known and ground.full and ground.rooms:
        usable = [room.name for room in _usable(every, ground)]
        places, facts = _together(subjects, alone, ground, usable)
        facts += _words(group)
        if places >= least and "queue" in backend.extras:
            yield QUEUE_TURN.found(facts, title=backend.title, queue=queue_of(group))
        else:
            yield TOGETHER.found(facts, least=least, places=places)
    else:
        yield from alone


def _silent(backend: Backend, group: Manifest, subjects: Sequence[Subject], evidence: Evidence) -> Iterator[Finding]:
    if any(condition(subject.pod, "PodScheduled") for subject in subjects):
        return
    scheduler = str(subjects[0].spec.get("schedulerName") or "")
    waited = min(seconds_since(item.pod["metadata"].get("creationTimestamp"), evidence.now) for item in subjects)
    yield from why_silent(backend, group, scheduler, waited)


def _words(group: Manifest) -> List[str]:
    """Return what the scheduler says of the group."""
    conditions = (group.get("status") or {}).get("conditions") or []
    messages = [str(each.get("message")) for each in conditions if each.get("message")]
    # The newest stands last in some, alone in others.
    return [f"the scheduler says of the gang: {plain(messages[-1])}"] if messages else []


def _each(subjects: Sequence[Subject], evidence: Evidence) -> Iterator[Finding]:
    namespace = str(subjects[0].pod["metadata"].get("namespace") or "")
    return why_unplaced(subjects, namespace, evidence)


def _usable(every: Sequence[Replicas], ground: Ground) -> List[Room]:
    """Return the nodes that take at least one of the pods, but for what they lack."""
    names = set()
    for item in every:
        found = ground.fit(item.spec, {})
        names |= {*found.roomy, *found.short}
    return [room for room in ground.rooms if room.name in names]


def _never(least: int, every: Sequence[Replicas], ground: Ground) -> Optional[Finding]:
    usable = _usable(every, ground)
    asked = demand_of_least(every, least).requests
    for resource, wanted in sorted(asked.items()):
        total = sum((room.most.get(resource, Decimal(0)) for room in usable), Decimal(0))
        if wanted > total:
            details: Dict[str, Any] = {"asked": readable(wanted), "resource": resource, "total": readable(total)}
            return NEVER.found(_sizes(usable, resource), least=least, nodes=len(usable), **details)
    smallest = _smallest([demand_of_pod(item.spec).requests for item in every])
    places = sum(_times(smallest, room.most) for room in usable)
    return NO_PLACES.found(least=least, nodes=len(usable), places=places) if places < least else None


def _sizes(usable: Sequence[Room], resource: str) -> List[str]:
    sizes = sorted(((room.most.get(resource, Decimal(0)), room.name) for room in usable), reverse=True)
    return [f"the largest: {name} with {readable(amount)} {resource}" for amount, name in sizes[:1]]


def _smallest(each: Sequence[Amounts]) -> Amounts:
    names = {name for asked in each for name in asked}
    return {name: min(asked.get(name, Decimal(0)) for asked in each) for name in names}


def _times(asked: Amounts, room: Amounts) -> int:
    """Return how many pods that ask for this fit at most."""
    counts = [int(room.get(name, Decimal(0)) // value) for name, value in asked.items() if value]
    pods = [int(room["pods"])] if "pods" in room else []
    return max(0, min(counts + pods, default=0)) if counts or pods else 10**6


def _together(
    subjects: Sequence[Subject], alone: Sequence[Finding], ground: Ground, usable: Sequence[str]
) -> Tuple[int, List[str]]:
    """Return how many pods of a gang have room now, and what is known of it. usable: the nodes that take its pods."""
    free = {room.name: dict(room.free) for room in ground.rooms}
    places, lacking = 0, ""
    for subject in subjects:
        asked = demand_of_pod(subject.spec).requests
        found = ground.fit(subject.spec, asked)
        node, lack = _first(asked, found.roomy, free)
        if node:
            for name, value in {**asked, "pods": Decimal(1)}.items():
                free[node][name] = free[node].get(name, Decimal(0)) - value
            places += 1
        else:
            lacking = lacking or lack or next(iter(found.short_of), "")
    facts = [finding.sentence for finding in alone]
    facts += holders(lacking, usable, ground) if lacking else []
    facts += [fact for finding in alone for fact in finding.facts if fact.startswith("the scheduler says")]
    return places, list(dict.fromkeys(facts))


def _first(asked: Amounts, nodes: Sequence[str], free: Dict[str, Amounts]) -> Tuple[str, str]:
    """Return the first node that still has the room, or what is lacking on the last one."""
    lack = ""
    for node in nodes:
        lacks = shortfall(asked, free[node])
        if not lacks:
            return node, ""
        lack = next(iter(lacks))
    return "", lack
