# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings queues to their wanted state: parents before those below them, and away the other way round."""

from __future__ import annotations

from typing import Dict, List, Mapping, Sequence

from .._common.deadline import Deadline
from .._common.problem import Problem
from .._kube.apply import Applier
from .._kube.outcome import Outcome, after
from .._kube.remove import remove
from .._kube.resource import Item, Manifest, Ref
from .._kube.store import Store, served
from .._kube.wait import Say, until_ready
from .gang import BACKENDS
from .queue import DEFAULT, KIND, ROOT, Options, below, levels, parent_of, queue_of, queue_ref, render

# Gangs that hold nothing and want nothing any more.
_ENDED = ("Completed", "Finished", "Failed")


class QueuesRefused(Exception):
    """Queues cannot be brought to the wanted state; nothing was written."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__()
        self.problems = list(problems)


class Queues:
    """The queues of one backend of one cluster."""

    def __init__(self, store: Store, backend: str, deadline: Deadline, say: Say, check_mode: bool) -> None:
        self._store = store
        self._backend = backend
        self._deadline = deadline
        self._say = say
        self._check_mode = check_mode

    def present(self, queues: Sequence[Options], wait: bool) -> List[Outcome]:
        """Create or change queues. Raises QueuesRefused and ObjectsFailed before anything is written; ApiError."""
        lives = self._lives()
        if not self._check_mode:
            # In check mode an earlier task may be what installs the scheduler, or makes the parent.
            self._refuse(self._not_served() or self._orphans(queues, lives))
        # The server can only judge a queue whose parent is there.
        known = [queue for queue in queues if queue.get("parent") in (None, ROOT, *lives)]
        predicted = self._by_name(self._applier(known, lives, check_mode=True).run())
        if self._check_mode:
            return [predicted.get(queue["name"]) or self._predicted(queue, lives) for queue in queues]
        done: Dict[str, Outcome] = {}
        for level in levels(queues):
            with after(list(done.values())):
                done.update(self._by_name(self._applier(level, lives, check_mode=False).run()))
        outcomes = [done[queue["name"]] for queue in queues]
        if wait:
            with after(outcomes):
                until_ready(self._store, [outcome.ref for outcome in outcomes], self._deadline, self._say)
        return outcomes

    def absent(self, queues: Sequence[Options]) -> List[Outcome]:
        """Delete queues, and return when they are gone. Raises QueuesRefused, ObjectsFailed, ApiError."""
        lives = self._lives()
        names = [str(queue["name"]) for queue in queues]
        self._refuse(self._needed(names, lives))
        # Who is below whom is known from the cluster: an absent queue needs no more than its name.
        there = [{"name": name, "parent": parent_of(lives.get(name) or {})} for name in names]
        done: Dict[str, Outcome] = {}
        for level in reversed(levels(there)):
            items = [Item(self._ref(queue["name"]), {}) for queue in level]
            done.update(
                self._by_name(remove(self._store, items, self._deadline, self._say, self._check_mode, wait=True))
            )
        return [done[name] for name in names]

    def _lives(self) -> Dict[str, Manifest]:
        found = self._store.list(BACKENDS[self._backend].api_version, KIND)
        return {str(live["metadata"]["name"]): live for live in found}

    def _ref(self, name: str) -> Ref:
        return queue_ref(self._backend, name)

    def _predicted(self, queue: Options, lives: Mapping[str, Manifest]) -> Outcome:
        """Return what becomes of a queue whose parent is yet to be made."""
        live = lives.get(queue["name"])
        result = "created" if live is None else "changed"
        return Outcome(self._ref(queue["name"]), result, live, render(self._backend, queue))

    def _applier(self, queues: Sequence[Options], lives: Mapping[str, Manifest], check_mode: bool) -> Applier:
        items = [Item(self._ref(queue["name"]), render(self._backend, queue)) for queue in queues]
        known = {item.ref: lives.get(item.ref.name) for item in items}
        return Applier(self._store, items, self._deadline, self._say, check_mode, known)

    @staticmethod
    def _by_name(outcomes: Sequence[Outcome]) -> Dict[str, Outcome]:
        return {outcome.ref.name: outcome for outcome in outcomes}

    @staticmethod
    def _refuse(problems: Sequence[Problem]) -> None:
        if problems:
            raise QueuesRefused(problems)

    def _not_served(self) -> List[Problem]:
        backend = BACKENDS[self._backend]
        if served(self._store, backend.api_version, KIND):
            return []
        rule = f"the API server does not serve {KIND} in {backend.api_version}"
        return [Problem("backend", self._backend, rule, backend.way_out[:1].upper() + backend.way_out[1:])]

    def _orphans(self, queues: Sequence[Options], lives: Mapping[str, Manifest]) -> List[Problem]:
        names = {queue["name"] for queue in queues}
        return [
            Problem(
                f"queue {queue['name']}: parent",
                str(queue["parent"]),
                f"there is no such queue, only {', '.join(sorted(lives)) or 'none'}",
                "Add it to the list, or leave parent out",
            )
            for queue in queues
            if queue.get("parent") not in (None, ROOT, *names, *lives)
        ]

    def _needed(self, names: Sequence[str], lives: Mapping[str, Manifest]) -> List[Problem]:
        """Return why queues cannot go: what waits in a queue that is gone waits for ever."""
        problems = [
            Problem("name", name, "is the scheduler's own: jobs that name no queue need it", "Leave it out")
            for name in names
            if name in (DEFAULT, ROOT)
        ]
        for name in names:
            children = [child for child in below(lives, name) if child not in names]
            if children:
                rule = f"has queues below it: {_some(children)}"
                problems.append(Problem("name", name, rule, "Remove these too, or give them another parent"))
        for name, groups in self._inside([name for name in names if name in lives]).items():
            rule = f"gangs are in it: {_some(groups)}"
            problems.append(Problem("name", name, rule, "Wait until these jobs end, or remove them"))
        return problems

    def _inside(self, names: Sequence[str]) -> Dict[str, List[str]]:
        """Return the gangs that are in these queues."""
        if not names:
            return {}
        found: Dict[str, List[str]] = {}
        for group in self._store.list(*BACKENDS[self._backend].identity, shape=_slim):
            if group["queue"] in names and group["phase"] not in _ENDED:
                found.setdefault(group["queue"], []).append(group["title"])
        return found


def _slim(group: Manifest) -> Manifest:
    """Return what is needed of a PodGroup: there may be thousands."""
    metadata, status = group["metadata"], group.get("status") or {}
    owner = next(iter(metadata.get("ownerReferences") or ()), {"kind": "PodGroup", "name": metadata["name"]})
    title = f"{owner['kind']} {metadata.get('namespace')}/{owner['name']}"
    return {"queue": queue_of(group), "phase": status.get("phase"), "title": title}


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(sorted(names)[:3]) + more
