# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of gangs: what is due to each, what it uses, what waits in it; for people and for programs. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

from .._common.columns import columns
from .._kube.quantity import readable
from .._kube.resource import Manifest
from .._pods.demand import Amounts, amounts, sum_of_all
from .queue import DEFAULT, parent_of, queue_of, way_to

_TITLES = ("SCHEDULER", "QUEUE", "STATE", "WEIGHT", "SHARE", "USE", "USED", "LIMIT", "RUNNING", "PENDING")
# In which order resources are named: what training is short of first.
_ORDER = ("cpu", "memory")


@dataclass(frozen=True)
class Member:
    """A pod that has not ended. group: its PodGroup; empty for none. placed: it has a node."""

    namespace: str
    group: str
    placed: bool
    requests: Amounts


@dataclass(frozen=True)
class Waiting:
    """A gang of which there is no pod yet, because its scheduler has not let it in. asked: for its minimum."""

    queue: str
    pods: int
    asked: Amounts


@dataclass
class _Load:
    """What is in one queue."""

    used: Amounts = field(default_factory=dict)
    asked: Amounts = field(default_factory=dict)
    running: int = 0
    pending: int = 0
    pending_pods: int = 0

    def add(self, other: _Load) -> None:
        """Count what is in another queue as being in this one."""
        self.used = sum_of_all([(1, self.used), (1, other.used)])
        self.asked = sum_of_all([(1, self.asked), (1, other.asked)])
        self.running += other.running
        self.pending += other.pending
        self.pending_pods += other.pending_pods

    @property
    def busy(self) -> bool:
        return bool(self.running or self.pending)


def members_waiting(groups: Sequence[Manifest], members: Sequence[Member]) -> List[Waiting]:
    """Return the gangs whose pods are only made once they are let in: those of Volcano's own jobs."""
    known = {(member.namespace, member.group) for member in members}
    found: List[Waiting] = []
    for group in groups:
        metadata, spec = group["metadata"], group.get("spec") or {}
        owners = [str(owner.get("apiVersion")) for owner in metadata.get("ownerReferences") or []]
        held = (group.get("status") or {}).get("phase") == "Pending"
        made_late = any(owner.startswith("batch.volcano.sh/") for owner in owners)
        if held and made_late and (metadata.get("namespace"), metadata["name"]) not in known:
            asked = amounts(spec.get("minResources"))
            found.append(Waiting(queue_of(group), int(spec.get("minMember") or 0), asked))
    return found


def queue_rows(
    queues: Sequence[Manifest], groups: Sequence[Manifest], members: Sequence[Member], total: Optional[Amounts] = None
) -> List[Dict[str, Any]]:
    """Return the queues of one scheduler as data, those below others after them.

    members: pods that this scheduler places. total: what all nodes have; None when they may not be read.
    """
    parents = {_name(queue): parent_of(queue) for queue in queues}
    loads = _with_those_below(_loads(list(parents), groups, members), parents)
    busy = [name for name, load in loads.items() if load.busy]
    weights = {_name(queue): int((queue.get("spec") or {}).get("weight") or 1) for queue in queues}
    found = {_name(queue): queue for queue in queues}
    rows: List[Dict[str, Any]] = []
    for name in sorted(found, key=lambda each: way_to(each, parents)):
        load, spec = loads[name], found[name].get("spec") or {}
        row: Dict[str, Any] = {
            "name": name,
            "parent": parents[name],
            "state": str((found[name].get("status") or {}).get("state") or ""),
            "weight": weights[name],
            "share": round(float(_share(name, parents, weights, busy)), 4),
            "used": _texts(load.used),
            "capability": _texts(amounts(spec.get("capability"))),
            "deserved": _texts(amounts(spec.get("deserved"))),
            "running": load.running,
            "pending": load.pending,
            "pending_pods": load.pending_pods,
            "pending_asks": _texts(load.asked),
        }
        if total is not None:
            row["use"] = round(float(_dominant(load.used, total)), 4)
        rows.append(row)
    return rows


def queue_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return queues, each with the `backend` whose it is, as lines of a table; empty without any."""
    if not rows:
        return ""
    return columns([list(_TITLES), *(_cells(row, rows) for row in rows)])


def _cells(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> List[str]:
    limit = _listed(row["capability"])
    due = _listed(row["deserved"])
    pending = (
        f"{row['pending']} ({_pods(row['pending_pods'])}: {_listed(row['pending_asks'])})" if row["pending"] else "0"
    )
    return [
        row["backend"],
        "  " * _depth(row, rows) + row["name"],
        row["state"] or "-",
        str(row["weight"]),
        f"{row['share']:.0%}" + (f", {due}" if due else ""),
        f"{row['use']:.0%}" if "use" in row else "-",
        _listed(row["used"]) or "-",
        limit or "-",
        str(row["running"]),
        pending,
    ]


def _pods(number: int) -> str:
    return "1 pod" if number == 1 else f"{number} pods"


def _depth(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    beside = [each for each in rows if each["backend"] == row["backend"]]
    return len(way_to(row["name"], {each["name"]: each["parent"] for each in beside})) - 1


def _listed(texts: Mapping[str, str]) -> str:
    names = sorted(texts, key=lambda name: (_ORDER.index(name) if name in _ORDER else -1, name))
    return ", ".join(f"{texts[name]} {name}" for name in names)


def _texts(found: Amounts) -> Dict[str, str]:
    return {name: readable(value) for name, value in sorted(found.items()) if value}


def _name(queue: Manifest) -> str:
    return str(queue["metadata"]["name"])


def _loads(queues: Sequence[str], groups: Sequence[Manifest], members: Sequence[Member]) -> Dict[str, _Load]:
    """Return what is in each queue. A pod whose PodGroup names a queue that does not exist is in none of them."""
    queues_of = {
        (str(group["metadata"].get("namespace")), str(group["metadata"]["name"])): queue_of(group) for group in groups
    }
    loads = {name: _Load() for name in queues}
    gangs: Dict[Any, List[Member]] = {}
    for number, member in enumerate(members):
        # A pod without a PodGroup is a gang by itself, which its scheduler puts into the default queue.
        key = (member.namespace, member.group) if member.group else number
        gangs.setdefault(key, []).append(member)
    for key, pods in gangs.items():
        load = loads.get(queues_of.get(key, DEFAULT))
        if load is not None:
            _count(load, pods)
    for late in members_waiting(groups, members):
        load = loads.get(late.queue)
        if load is not None:
            load.pending += 1
            load.pending_pods += late.pods
            load.asked = sum_of_all([(1, load.asked), (1, late.asked)])
    return loads


def _count(load: _Load, pods: Sequence[Member]) -> None:
    placed = [pod.requests for pod in pods if pod.placed]
    waiting = [pod.requests for pod in pods if not pod.placed]
    load.used = sum_of_all([(1, load.used), *((1, asked) for asked in placed)])
    load.asked = sum_of_all([(1, load.asked), *((1, asked) for asked in waiting)])
    load.pending_pods += len(waiting)
    # One that runs with its minimum and waits for more is both.
    load.running += 1 if placed else 0
    load.pending += 1 if waiting else 0


def _with_those_below(loads: Mapping[str, _Load], parents: Mapping[str, str]) -> Dict[str, _Load]:
    """Return what is in each queue and in those below it: a parent has no pods of its own."""
    every = {name: _Load() for name in loads}
    for name, load in loads.items():
        for above in way_to(name, parents):
            every[above].add(load)
    return every


def _share(name: str, parents: Mapping[str, str], weights: Mapping[str, int], busy: Iterable[str]) -> Decimal:
    """Return which part of the cluster is due to a queue, by weights: among those beside it that have gangs."""
    share, path = Decimal(1), way_to(name, parents)
    for place, each in enumerate(path):
        above = path[place - 1] if place else ""
        beside = [other for other in parents if other in (each, *busy) and _above(other, parents) == above]
        share *= Decimal(weights[each]) / sum(weights[other] for other in beside)
    return share


def _above(name: str, parents: Mapping[str, str]) -> str:
    path = way_to(name, parents)
    return path[-2] if len(path) > 1 else ""


def _dominant(used: Amounts, total: Amounts) -> Decimal:
    """Return the part of the cluster that is used, of the resource of which it is the most."""
    parts = [value / total[name] for name, value in used.items() if total.get(name)]
    return max(parts, default=Decimal(0))
