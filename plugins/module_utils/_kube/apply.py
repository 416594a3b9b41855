# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring a list of objects to its wanted state: plan everything by dry run, then write only what differs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple, Union

from .._common import parallel
from .._common.deadline import Deadline
from .applied import is_as_applied
from .compare import equal
from .discovery import KindUnknown
from .errors import ApiError
from .outcome import ObjectsFailed, Outcome, Trouble, after, count, steps
from .resource import Item, Manifest, Ref, defined_kinds, stages
from .store import Store, patiently
from .wait import Say, until_ready

# Between our read and our dry run somebody may write the object; the comparison is then made again.
_READS = 3

REFUSALS = (KindUnknown, ApiError)

Known = Mapping[Ref, Optional[Manifest]]


@dataclass(frozen=True)
class Step:
    """What is to be done with one item. open: the server cannot judge it yet; planned again in its turn."""

    item: Item
    outcome: Outcome
    open: bool = False


def plan_one(store: Store, ref: Ref, manifest: Manifest, known: Optional[Known] = None) -> Outcome:
    """Ask the server what applying a manifest would do. Raises KindUnknown, ApiError.

    known: live objects that were read a moment ago, None for what does not exist.
    """
    live = known[ref] if known and ref in known else store.read(ref)
    result = store.apply(ref, manifest, dry_run=True)
    for _attempt in range(_READS):
        if live is None or live["metadata"]["resourceVersion"] == result["metadata"].get("resourceVersion"):
            break
        live, result = store.read(ref), store.apply(ref, manifest, dry_run=True)
    if live is None:
        return Outcome(ref, "created", None, result)
    same = equal(live, result) and not store.takes_over(live)
    return Outcome(ref, "unchanged" if same else "changed", live, result)


def write_one(store: Store, ref: Ref, manifest: Manifest, before: Optional[Manifest]) -> Manifest:
    """Apply a manifest, after taking over what kubectl made. before: as planned. Raises KindUnknown, ApiError."""
    if before is not None and store.takes_over(before):
        # Read again: a status that was written since the plan must not count as a conflict.
        live = store.read(ref)
        if live is not None and store.takes_over(live):
            store.take_over(ref, live)
    return store.apply(ref, manifest, dry_run=False)


class Applier:
    """Applies one list within one deadline. known: as `plan_one` takes it."""

    def __init__(
        self,
        store: Store,
        items: Sequence[Item],
        deadline: Deadline,
        say: Say,
        check_mode: bool,
        known: Optional[Known] = None,
    ) -> None:
        self._store = store
        self._items = list(items)
        self._deadline = deadline
        self._say = say
        self._check_mode = check_mode
        self._known = known
        self._kinds = defined_kinds(item.manifest for item in items)

    def run(self) -> List[Outcome]:
        """Plan, then write. Raises ObjectsFailed; when the plan already shows a refusal, nothing is written."""
        planned = self.plan()
        outcomes = {step.item.ref: step.outcome for stage in planned for step in stage}
        if not self._check_mode:
            outcomes.update({outcome.ref: outcome for outcome in self.write(planned)})
        return [outcomes[item.ref] for item in self._items]

    def plan(self) -> List[List[Step]]:
        """Return what is to be done, in the stages in which it is done. Raises ObjectsFailed with all refusals."""
        planned, troubles = self.examine()
        if troubles:
            raise ObjectsFailed(f"{count(len(troubles), 'object')} refused, nothing was changed", troubles)
        return planned

    def examine(self) -> Tuple[List[List[Step]], List[Trouble]]:
        """Return what is to be done, in the stages in which it is done, and what is refused."""
        planned: List[List[Step]] = []
        troubles: List[Trouble] = []
        pending: Set[Ref] = set()
        for stage in stages(self._items):
            answers = parallel.each(partial(self._plan_step, frozenset(pending)), stage)
            steps = [answer for answer in answers if isinstance(answer, Step)]
            troubles += [answer for answer in answers if isinstance(answer, Trouble)]
            pending |= {step.item.ref for step in steps if step.outcome.changed}
            planned.append(steps)
        return planned, troubles

    def _plan_step(self, pending: FrozenSet[Ref], item: Item) -> Union[Step, Trouble]:
        """Plan one item. pending: objects of earlier stages that will change, so a refusal may prove nothing yet."""
        live = (self._known or {}).get(item.ref)
        if live and not self._store.takes_over(live) and is_as_applied(item.manifest, live, self._store.field_manager):
            return Step(item, Outcome(item.ref, "unchanged", live, live))
        own = self._kinds.get((item.ref.group, item.ref.kind))
        crd_comes = own is not None and own.crd in pending
        try:
            if self._check_mode or crd_comes:
                return Step(item, plan_one(self._store, item.ref, item.manifest, self._known))
            ask = partial(plan_one, self._store, item.ref, item.manifest, self._known)
            return Step(item, patiently(ask, self._deadline, kinds_only=True))
        except REFUSALS as error:
            if crd_comes or self._may_pass(item.ref, error, pending):
                return Step(item, Outcome(item.ref, "created", None, item.manifest), open=True)
            return Trouble(item.ref, str(error))

    def _may_pass(self, ref: Ref, error: Exception, pending: FrozenSet[Ref]) -> bool:
        """Tell whether a refusal falls once the objects before it exist (in check mode: an earlier task's too)."""
        if isinstance(error, KindUnknown):
            return self._check_mode
        if not isinstance(error, ApiError):
            return False
        if error.namespace_missing:
            return self._check_mode or Ref("v1", "Namespace", ref.namespace) in pending
        if error.webhook_silent:
            return not self._check_mode or self._store.read(ref) is None
        # Admission looks up a bare pod's service account and priority class, which may be in the list.
        return (error.kind_unknown and self._check_mode) or (
            error.status == 403 and ref.kind == "Pod" and bool(pending)
        )

    def write(self, planned: Sequence[Sequence[Step]]) -> List[Outcome]:
        """Do what is planned; return what was really done. Raises ObjectsFailed with all refusals of a stage."""
        done: List[Outcome] = []
        for stage in planned:
            todo = [step for step in stage if step.outcome.changed]
            answers = parallel.each(self.write_step, todo)
            written = [answer for answer in answers if isinstance(answer, Outcome)]
            done += written
            for line in steps(written):
                self._say(line)
            troubles = [answer for answer in answers if isinstance(answer, Trouble)]
            if troubles:
                before = count(sum(outcome.changed for outcome in done), "object")
                headline = f"{count(len(troubles), 'object')} refused, after {before} had been written"
                raise ObjectsFailed(headline, troubles, done)
            definitions = [step.item.ref for step in stage if step.item.ref.kind == "CustomResourceDefinition"]
            if todo and definitions:
                # An object of a kind that is not Established yet would be refused as unknown.
                with after(done):
                    until_ready(self._store, definitions, self._deadline, self._say)
        return done

    def write_step(self, step: Step) -> Union[Outcome, Trouble]:
        """Do what is planned for one item; return what was really done, or why it was refused."""
        ref, manifest, planned = step.item.ref, step.item.manifest, step.outcome
        try:
            if step.open:
                planned = patiently(lambda: plan_one(self._store, ref, manifest), self._deadline)
            if not planned.changed:
                return planned
            written = patiently(lambda: write_one(self._store, ref, manifest, planned.before), self._deadline)
        except REFUSALS as error:
            return Trouble(ref, str(error))
        return Outcome(ref, planned.result, planned.before, written)
