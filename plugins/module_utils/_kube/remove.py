# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take objects away: a given list, or what is left over from former lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Set, Tuple

from .._common import parallel
from .._common.deadline import Deadline
from .._common.problem import Problem
from .errors import ApiError
from .outcome import ObjectsFailed, Outcome, Trouble, after, count, steps
from .resource import Item, ref_of, stages
from .store import Store
from .wait import Say, until_gone


@dataclass(frozen=True)
class Prune:
    """What may be deleted because it has left the list: labelled objects of some kinds.

    selector: labels. kinds: (api version, kind). namespace: only there; empty means everywhere.
    """

    selector: Dict[str, str]
    kinds: Sequence[Tuple[str, str]]
    namespace: str = ""

    def label_selector(self) -> str:
        """Return the labels as the server wants them in a query."""
        return ",".join(f"{key}={value}" for key, value in sorted(self.selector.items()))


def check_prune(prune: Prune, items: Sequence[Item]) -> List[Problem]:
    """Return what makes a prune dangerous or useless."""
    problems: List[Problem] = []
    if not prune.selector:
        way_out = "Without one every object of these kinds would be deleted"
        problems.append(Problem("prune.selector", "{}", "must name at least one label", way_out))
    kinds = {(api_version.rpartition("/")[0], kind) for api_version, kind in prune.kinds}
    for item in items:
        labels = (item.manifest.get("metadata") or {}).get("labels") or {}
        missing = any(str(labels.get(key)) != value for key, value in prune.selector.items())
        if (item.ref.group, item.ref.kind) in kinds and missing:
            problems.append(
                Problem(
                    "metadata.labels",
                    str(item.ref),
                    f"must carry {prune.label_selector()}",
                    "Label it, or prune would not find it once it has left the list",
                )
            )
    return problems


def leftovers(store: Store, prune: Prune, items: Sequence[Item]) -> List[Item]:
    """Return the live objects that carry the labels and are not in the list. Raises ApiError."""
    listed: Set[Any] = {item.ref.key() for item in items}
    found: List[Item] = []
    for api_version, kind in prune.kinds:
        for live in store.list(api_version, kind, prune.namespace, prune.label_selector()):
            # What a controller made for an object in the list (with copied labels) is the controller's.
            owned = any(owner.get("controller") for owner in live["metadata"].get("ownerReferences") or [])
            if not owned and ref_of(live).key() not in listed:
                found.append(Item(ref_of(live), live))
    return found


def remove(
    store: Store, items: Sequence[Item], deadline: Deadline, say: Say, check_mode: bool, wait: bool
) -> List[Outcome]:
    """Delete what exists of a list, dependents first; with `wait` until it is gone. Raises ObjectsFailed, ApiError."""
    lives = dict(zip([item.ref for item in items], parallel.each(lambda item: store.read(item.ref), items)))
    outcomes = {ref: Outcome(ref, "deleted" if live else "absent", live, None) for ref, live in lives.items()}
    if not check_mode:
        for stage in reversed(stages(items)):
            todo = [outcomes[item.ref] for item in stage if outcomes[item.ref].changed]
            troubles = [answer for answer in parallel.each(lambda outcome: _delete(store, outcome), todo) if answer]
            if troubles:
                raise ObjectsFailed(
                    f"{count(len(troubles), 'object')} could not be deleted", troubles, list(outcomes.values())
                )
            for line in steps(todo):
                say(line)
            with after(list(outcomes.values())):
                if wait:
                    until_gone(store, [outcome.ref for outcome in todo], deadline, say)
    return [outcomes[item.ref] for item in items]


def _delete(store: Store, outcome: Outcome) -> Any:
    """Return the trouble, or None."""
    try:
        store.delete(outcome.ref, str((outcome.before or {})["metadata"]["uid"]))
    except ApiError as error:
        return Trouble(outcome.ref, error.message)
    return None
