# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of one gang scheduler as those of another, and what does not come along. Pure."""

from __future__ import annotations

from typing import List, Mapping, Sequence, Tuple

from .._gangs.backend import Backend
from .._gangs.gang import BACKENDS
from .._gangs.queue import DEFAULT, KIND, QUEUES, ROOT
from .._kube.resource import Manifest

# What others say of a queue, too, and a scheduler keeps to: kube-batch reads a capability and sets no limit by it.
_KEEPS = {"volcano": ("weight", "capability"), "kube_batch": ("weight",)}
# What Volcano fills in, or means when nothing is said.
_UNSAID: Mapping[str, object] = {"reclaimable": True, "dequeueStrategy": "traverse", "priority": 0}


def moved_queues(queues: Mapping[str, Sequence[Manifest]], goal: Backend) -> Tuple[List[Manifest], List[str]]:
    """Return the queues of other backends as those of a backend, and what of them does not come along.

    queues: by backend. A queue that is there already stays as it is.
    """
    there = {queue["metadata"]["name"] for queue in queues.get(goal.name, ())}
    made: List[Manifest] = []
    notes: List[str] = []
    for title, each, spec in _of_others(queues, goal.name):
        if goal.name not in QUEUES:
            notes.append(f"queue {title} stays with {BACKENDS[each].title}: {goal.title} has none")
        elif title in there:
            continue
        elif title == DEFAULT:
            notes += (
                [f"queue {title} comes with {goal.title}: {', '.join(_said(spec))} stays behind"] if _said(spec) else []
            )
        else:
            kept = {key: spec[key] for key in _KEEPS[goal.name] if spec.get(key)}
            lost = [key for key, value in spec.items() if key not in kept and _says(key, value)]
            notes += [f"queue {title} leaves behind what {goal.title} does not do: {', '.join(lost)}"] if lost else []
            made.append({"apiVersion": goal.api_version, "kind": KIND, "metadata": {"name": title}, "spec": kept})
    return made, notes


def _of_others(queues: Mapping[str, Sequence[Manifest]], name: str) -> List[Tuple[str, str, Mapping[str, object]]]:
    return [
        (str(queue["metadata"]["name"]), backend, queue.get("spec") or {})
        for backend, each in queues.items()
        for queue in each
        # The root of all queues comes with its scheduler and says nothing.
        if backend != name and queue["metadata"]["name"] != ROOT
    ]


def _says(key: str, value: object) -> bool:
    """Tell whether a value is something that somebody asked for."""
    return value not in (None, "", {}, [], _UNSAID.get(key))


def _said(spec: Mapping[str, object]) -> List[str]:
    """Return what a queue says that one which nobody wrote does not."""
    return [key for key in ("weight", "capability") if spec.get(key) not in (None, {}, 1)]
