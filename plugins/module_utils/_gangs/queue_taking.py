# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues that gangs are sent to: a scheduler leaves the pods of a queue that takes none alone, without a word."""

from __future__ import annotations

from types import MappingProxyType
from typing import Dict, Iterable, List, Mapping, Sequence, Set, Tuple

from .._common.problem import Problem
from .._kube.errors import ApiError
from .._kube.resource import Manifest
from .._kube.store import Store
from .backend import Backend
from .gang import backend_of
from .queue import DEFAULT, KIND, QUEUES, ROOT, below

# States of Volcano's queues in which they take nothing new.
SHUT = ("Closed", "Closing")
NO_KINDS: Mapping[Tuple[str, str], str] = MappingProxyType({})


def queues_taking(
    store: Store, manifests: Sequence[Manifest], own_queue: Mapping[Tuple[str, str], str] = NO_KINDS
) -> List[Problem]:
    """Return which queues do not take the PodGroups and jobs among these objects. Raises ApiError.

    own_queue: kinds of job (API version, kind) that name their queue themselves, each with its backend.
    """
    wanted: Dict[Tuple[str, str], Set[str]] = {}
    for manifest in manifests:
        queue, backend = (manifest.get("spec") or {}).get("queue"), backend_of(manifest)
        own = own_queue.get((manifest["apiVersion"], manifest["kind"]))
        name, field = (own, "queue") if own else (backend.name if backend else "", "gang.queue")
        if name and queue:
            wanted.setdefault((name, field), set()).add(str(queue))
    return [
        problem
        for (name, field), queues in wanted.items()
        for problem in _problems(store, QUEUES[name], sorted(queues), field)
    ]


def _problems(store: Store, backend: Backend, names: Iterable[str], field: str) -> List[Problem]:
    try:
        lives = store.list(backend.api_version, KIND)
    except ApiError as error:
        if error.status == 403:
            # Who may not read queues hears of them from the scheduler.
            return []
        raise
    return judge({str(live["metadata"]["name"]): live for live in lives}, names, field)


def judge(lives: Mapping[str, Manifest], names: Iterable[str], field: str = "gang.queue") -> List[Problem]:
    """Return which of these queues take no jobs. lives: all queues there are. field: that names them. Pure."""
    problems = []
    for name in names:
        rule, way_out = _rule(lives, name)
        if rule:
            problems.append(Problem(field, name, rule, way_out))
    return problems


def _rule(lives: Mapping[str, Manifest], name: str) -> Sequence[str]:
    others = ", ".join(sorted(set(lives) - {name, ROOT})) or "none"
    if name == DEFAULT and name not in lives:
        # The scheduler makes it when it comes.
        return "", ""
    if name not in lives:
        return (
            f"there is no such queue; there are: {others}",
            "Make it with module trainyard.mlstack.queue, or name another",
        )
    state = (lives[name].get("status") or {}).get("state")
    if state in SHUT:
        way_out = f"Have it opened (vcctl queue operate --action open --name {name}), or name another"
        return f"the queue is {state} and takes no new jobs; there are: {others}", way_out
    lower = below(lives, name)
    if lower:
        return "the queue has others below it, and jobs go to those that have none", f"Name one of {', '.join(lower)}"
    return "", ""
