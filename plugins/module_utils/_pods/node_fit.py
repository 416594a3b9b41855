# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes a pod may be placed on, and what the others lack: the scheduler's own rules, counted again. Pure.

The scheduler says how many nodes are short of what, but neither which nor by how much.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._kube.readiness import READY, readiness
from .._kube.resource import Manifest
from .demand import Amounts, amounts

_BLOCKING = ("NoSchedule", "NoExecute")
# What the node controller puts on nodes that do not answer: told as the node's state, not as a taint.
_STATE_TAINTS = (
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
)


@dataclass(frozen=True)
class Held:
    """A pod that has a node and has not ended: what it holds there.

    title: of its job, or of itself. stays: it is the node's own (static, or of a DaemonSet) and never makes room.
    """

    node: str
    title: str
    requests: Amounts
    stays: bool = False


@dataclass(frozen=True)
class Room:
    """A node as a place for pods.

    closed: why it takes none; empty when it does. most: what is there when no job runs. free: what nobody asked for.
    """

    name: str
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, Any]]
    closed: str
    allocatable: Amounts
    most: Amounts
    free: Amounts


@dataclass
class Fit:
    """What the nodes say to one pod; each node is in one of these, the first that holds.

    unmatched: it is not among those that the pod asks for. tainted, closed: why it takes the pod not. short: what it
    lacks, by resource. roomy: it has the room.
    """

    unmatched: List[str] = field(default_factory=list)
    tainted: Dict[str, str] = field(default_factory=dict)
    closed: Dict[str, str] = field(default_factory=dict)
    short: Dict[str, Amounts] = field(default_factory=dict)
    roomy: List[str] = field(default_factory=list)

    @property
    def closest(self) -> Tuple[str, Amounts]:
        """Return the node that lacks the fewest resources and the least of them, and what it lacks."""
        return min(self.short.items(), key=lambda item: (len(item[1]), *(sorted(item[1].items())), item[0]))

    @property
    def short_of(self) -> Dict[str, int]:
        """Return on how many nodes each resource is short, the scarcest first."""
        names = sorted({name for lacks in self.short.values() for name in lacks})
        counts = {name: sum(name in lacks for lacks in self.short.values()) for name in names}
        return dict(sorted(counts.items(), key=lambda item: -item[1]))


def rooms(nodes: Sequence[Manifest], held: Sequence[Held]) -> List[Room]:
    """Return the nodes with what is free on each. Raises ValueError for what is no quantity."""
    used, own = _sums(held), _sums([pod for pod in held if pod.stays])
    found: List[Room] = []
    for node in nodes:
        name, spec = str(node["metadata"]["name"]), node.get("spec") or {}
        allocatable = amounts((node.get("status") or {}).get("allocatable"))
        most, free = (_less(allocatable, each.get(name, {})) for each in (own, used))
        labels = node["metadata"].get("labels") or {}
        taints = [taint for taint in spec.get("taints") or [] if taint.get("key") not in _STATE_TAINTS]
        found.append(Room(name, labels, taints, _closed(node), allocatable, most, free))
    return found


def _sums(held: Sequence[Held]) -> Dict[str, Amounts]:
    """Return what pods ask for together, by node."""
    used: Dict[str, Amounts] = {}
    for pod in held:
        mine = used.setdefault(pod.node, {})
        for name, value in {**pod.requests, "pods": Decimal(1)}.items():
            mine[name] = mine.get(name, Decimal(0)) + value
    return used


def _less(whole: Amounts, taken: Amounts) -> Amounts:
    return {name: value - taken.get(name, Decimal(0)) for name, value in whole.items()}


def _closed(node: Manifest) -> str:
    if (node.get("spec") or {}).get("unschedulable"):
        return "cordoned"
    answer = readiness(node)
    return "" if answer.state == READY else f"not ready ({answer.reason})"


def fit(spec: Manifest, asked: Amounts, places: Sequence[Room]) -> Fit:
    """Return where a pod can be placed. asked: its requests."""
    found = Fit()
    for room in places:
        barrier = next((taint for taint in room.taints if _blocks(taint, spec)), None)
        if not matches(spec, room.name, room.labels):
            found.unmatched.append(room.name)
        elif barrier:
            found.tainted[room.name] = taint_text(barrier)
        elif room.closed:
            found.closed[room.name] = room.closed
        else:
            lacks = shortfall(asked, room.free)
            if lacks:
                found.short[room.name] = lacks
            else:
                found.roomy.append(room.name)
    return found


class Ground:
    """The nodes of a cluster as places for many pods.

    nodes, held: None for what was not read. known, full: whether they were.
    """

    def __init__(self, nodes: Optional[Sequence[Manifest]] = None, held: Optional[Sequence[Held]] = None) -> None:
        self.known = nodes is not None
        self.full = held is not None
        self.nodes = nodes or ()
        self.held = held or ()
        self.rooms: List[Room] = rooms(self.nodes, self.held)
        self._fits: Dict[str, Fit] = {}

    def fit(self, spec: Manifest, asked: Amounts) -> Fit:
        """Return where a pod can be placed; pods that ask for the same get the same answer."""
        keys = ("nodeSelector", "affinity", "tolerations")
        key = json.dumps([{name: spec.get(name) for name in keys}, sorted(asked.items())], default=str)
        if key not in self._fits:
            self._fits[key] = fit(spec, asked, self.rooms)
        return self._fits[key]


def shortfall(asked: Amounts, free: Amounts) -> Amounts:
    """Return what is missing, by resource, for what is asked."""
    wanted = {**{name: value for name, value in asked.items() if value}, "pods": Decimal(1)}
    return {
        name: value - free.get(name, Decimal(0))
        for name, value in wanted.items()
        # A cluster that does not count pods or disk space does not refuse for them.
        if value > free.get(name, value if name in ("pods", "ephemeral-storage") else Decimal(0))
    }


def taint_text(taint: Mapping[str, Any]) -> str:
    """Return a taint as kubectl writes it."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"


def _blocks(taint: Mapping[str, Any], spec: Manifest) -> bool:
    return taint.get("effect") in _BLOCKING and not tolerated(taint, spec.get("tolerations") or [])


def tolerated(taint: Mapping[str, Any], tolerations: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether pods with these tolerations may run in spite of a taint."""
    return any(
        one.get("effect") in (None, "", taint["effect"])
        and (
            (one.get("operator") == "Exists" and one.get("key") in (None, "", taint["key"]))
            or (
                one.get("operator") in (None, "", "Equal")
                and one.get("key") == taint["key"]
                and str(one.get("value") or "") == str(taint.get("value") or "")
            )
        )
        for one in tolerations
    )


def matches(spec: Manifest, name: str, labels: Mapping[str, str]) -> bool:
    """Tell whether a node is among those that a pod asks for, by nodeSelector and required node affinity."""
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    terms = _terms(spec)
    return not terms or any(_term(term, name, labels) for term in terms)


def _terms(spec: Manifest) -> List[Mapping[str, Any]]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    found: List[Mapping[str, Any]] = (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get(
        "nodeSelectorTerms"
    ) or []
    return found


def _term(term: Mapping[str, Any], name: str, labels: Mapping[str, str]) -> bool:
    fields = {"metadata.name": name}
    wanted = [(rule, labels) for rule in term.get("matchExpressions") or []]
    wanted += [(rule, fields) for rule in term.get("matchFields") or []]
    # A term without any rule matches nothing.
    return bool(wanted) and all(_rule(rule, values) for rule, values in wanted)


def _rule(rule: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    value, given = values.get(str(rule.get("key"))), rule.get("values") or []
    operator = rule.get("operator")
    if operator in ("Gt", "Lt"):
        try:
            here, bound = int(value or ""), int(given[0])
        except (ValueError, IndexError):
            return False
        return here > bound if operator == "Gt" else here < bound
    answers = {
        "In": value in given,
        "NotIn": value not in given,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }
    return answers.get(str(operator), False)


def wishes(spec: Manifest) -> str:
    """Return what a pod asks of its node, in words."""
    found = [f"{key}={value}" for key, value in sorted((spec.get("nodeSelector") or {}).items())]
    terms = []
    for term in _terms(spec):
        rules = [*(term.get("matchExpressions") or []), *(term.get("matchFields") or [])]
        terms.append(" and ".join(_words(rule) for rule in rules))
    if terms:
        found.append(" or ".join(terms))
    return ", ".join(found)


def _words(rule: Mapping[str, Any]) -> str:
    values = ", ".join(str(value) for value in rule.get("values") or [])
    return f"{rule.get('key')} {rule.get('operator')}" + (f" ({values})" if values else "")
