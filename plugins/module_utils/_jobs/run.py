# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings a list of jobs to its wanted state: everything is planned, then only what differs is written."""

from __future__ import annotations

from functools import partial
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from .._common import parallel
from .._common.deadline import Deadline
from .._common.problem import Problem
from .._gangs.gang import GROUPS, backend_of, explained, gang_available
from .._gangs.queue_taking import queues_taking
from .._job_kinds.fixed import fixed_part_changes
from .._job_model.job import Job
from .._job_model.state import FAILED
from .._kube.apply import Applier, Step
from .._kube.discovery import KindUnknown
from .._kube.errors import ApiError
from .._kube.outcome import ObjectsFailed, Outcome, Trouble, count, steps
from .._kube.remove import remove
from .._kube.resource import Item, Manifest, Ref, ref_of
from .._kube.store import KIND_GRACE_S, Store, patiently
from .._kube.wait import Say
from .live import JobsReader
from .name_clash import check_live, check_root
from .plan import JobPlan, end_of, owned, part_refs
from .quota import IGNORE, check_quota

# For the operator's webhook to come up; the jobs' own timeout may be hours.
WRITE_PATIENCE_S = 120.0
# For jobs and their pods to go: a pod has 30 s to end by itself.
REMOVAL_S = 300.0
_PAUSE_S = 1.0

# What a job of any kind may own besides pods.
_PARTS = tuple(backend.identity for backend in GROUPS)

Outcomes = Dict[Ref, List[Outcome]]


class JobsRefused(Exception):
    """Some jobs cannot be brought to the wanted state; nothing was written.

    problems: what the live jobs do not take. troubles: what the server refuses.
    """

    def __init__(self, problems: Sequence[Problem], troubles: Sequence[Trouble] = ()) -> None:
        found = [problem.line() for problem in problems] + [
            f"{item.ref}: {explained(item.reason)}" for item in troubles
        ]
        lines = [f"{count(len(found), 'problem')}, nothing was changed:"]
        super().__init__("\n".join(lines + [f"  {number}. {line}" for number, line in enumerate(found, start=1)]))
        self.problems = list(problems)
        self.troubles = list(troubles)


class JobsRunner:
    """Works on the jobs of a reader. quota_check: one of `_jobs.quota.MODES`. warnings: what users should hear of."""

    def __init__(self, store: Store, reader: JobsReader, say: Say, check_mode: bool, quota_check: str = IGNORE) -> None:
        self._store = store
        self._reader = reader
        self._say = say
        self._check_mode = check_mode
        self._quota_check = quota_check
        self.warnings: List[str] = []

    def present(self, jobs: Sequence[Job], recreate: bool) -> Outcomes:
        """Create or change jobs. Raises JobsRefused before anything is written, ObjectsFailed, ApiError."""
        plans = self._plan(jobs, recreate)
        if self._check_mode:
            return {plan.job.ref: plan.predicted() for plan in plans}
        replaced = [plan.job.ref for plan in plans if plan.replace]
        if replaced:
            self.absent(replaced)
        # A run that was killed between deleting and creating leaves pods with the new job's names.
        self._until_rest_is_gone([plan.job.ref for plan in plans if plan.creates], Deadline(REMOVAL_S))
        return self._write(plans)

    def _plan(self, jobs: Sequence[Job], recreate: bool) -> List[JobPlan]:
        lives = self._reader.roots([job.ref for job in jobs])
        known: Dict[Ref, Optional[Manifest]] = {**lives, **self._store.read_all(part_refs(jobs))}
        problems = self._before_all(jobs, known, recreate)
        if problems:
            raise JobsRefused(problems)
        manager = self._store.field_manager
        items = [Item(job.ref, job.kind.root_to_apply(job, lives[job.ref], manager)) for job in jobs]
        # A change that its server refuses is not asked for: it is told in our words, or the job is made anew.
        ends = {job.ref: end_of(job, lives[job.ref], known) for job in jobs}
        stuck = [job.ref for job in jobs if job.kind.refused_changes(job, lives[job.ref], ends[job.ref])]
        roots, troubles = self._examine([item for item in items if item.ref not in stuck], known)
        roots.update({item.ref: _unasked(item, lives[item.ref]) for item in items if item.ref in stuck})
        plans = [self._judge(job, lives[job.ref], roots[job.ref], known, recreate) for job in jobs if job.ref in roots]
        # Parts of a job that is made anew are judged when their turn comes: the old ones are still there.
        items = [
            step.item for plan in plans if not plan.fixed and not plan.replace for step in _to_examine(plan, known)
        ]
        examined, more = self._examine(items, known)
        for plan in plans:
            plan.parts = [_step(plan, step, examined.get(step.item.ref, step)) for step in plan.parts]
        starting = [plan.job for plan in plans if plan.starts]
        short, self.warnings = check_quota(self._store, starting, self._quota_check)
        several = len(jobs) > 1
        fixed = [_named(problem, plan, several) for plan in plans if not plan.replace for problem in plan.fixed]
        problems = [*fixed, *short]
        if problems or troubles or more:
            raise JobsRefused(problems, [*troubles, *more])
        return plans

    def _before_all(
        self, jobs: Sequence[Job], known: Mapping[Ref, Optional[Manifest]], recreate: bool
    ) -> List[Problem]:
        """Return what the cluster lacks, and which jobs meet somebody else's objects. known: their roots and parts."""
        unknown = [] if self._check_mode else self._unknown_kinds(jobs)
        if unknown:
            return unknown
        problems = [problem for job in jobs for problem in check_root(job, known[job.ref])]
        problems += check_live(self._store, [job for job in jobs if known[job.ref] is None], known)
        if not self._check_mode:
            # In check mode an earlier task may be what switches gangs on.
            groups = [part for job in jobs for part in job.parts if backend_of(part)]
            problems += gang_available(self._store, groups)
            every = [(item, known.get(ref_of(item, job.namespace))) for job in jobs for item in (job.root, *job.parts)]
            # That a live job stays in its queue is told as such, whatever the other queue is.
            moved = [item for item, live in every if _queue(item) != _queue(live) and (recreate or live is None)]
            own_queue = {job.kind.identity: job.kind.gang_backend for job in jobs}
            problems += queues_taking(self._store, moved, own_queue)
        return problems

    def _unknown_kinds(self, jobs: Sequence[Job]) -> List[Problem]:
        """Return the kinds that the server does not serve, after the time that a new CRD needs: once for all jobs."""
        problems: List[Problem] = []
        for kind in {job.kind.name: job.kind for job in jobs}.values():
            ask = partial(self._store.discovery.served, kind.api_version, kind.kind, fresh=True)
            try:
                patiently(ask, Deadline(KIND_GRACE_S), kinds_only=True)
            except KindUnknown as error:
                install = kind.controller.install if kind.controller else "Install its controller"
                problems.append(Problem("kind", kind.name, str(error), install))
        return problems

    def _examine(
        self, items: Sequence[Item], known: Dict[Ref, Optional[Manifest]]
    ) -> Tuple[Dict[Ref, Step], List[Trouble]]:
        planned, troubles = self._applier(items, known).examine()
        return {step.item.ref: step for stage in planned for step in stage}, troubles

    def _applier(self, items: Sequence[Item], known: Optional[Dict[Ref, Optional[Manifest]]] = None) -> Applier:
        return Applier(self._store, items, Deadline(WRITE_PATIENCE_S), self._say, self._check_mode, known)

    def _judge(
        self,
        job: Job,
        live: Optional[Manifest],
        root: Step,
        known: Dict[Ref, Optional[Manifest]],
        recreate: bool,
    ) -> JobPlan:
        """Return the plan of one job, its parts as if each had to be made."""
        plan = JobPlan(job, live, root)
        outcome = root.outcome
        state = end_of(job, live, known)
        plan.fixed += job.kind.refused_changes(job, live, state)
        if outcome.result == "changed":
            plan.fixed += job.kind.immutable_changes(outcome.before, outcome.after)
        own = {ref: known.get(ref) if live is not None else None for ref in part_refs([job])}
        for part, there in zip(job.parts, own.values()):
            if there is not None:
                plan.fixed += fixed_part_changes(part, there, self._store.field_manager)
        plan.replace = recreate and (bool(plan.fixed) or state == FAILED)
        for part, (ref, there) in zip(job.parts, own.items()):
            kept = job.kind.part_to_apply(part, there) if there is not None and not plan.replace else part
            manifest = owned(kept, live) if live is not None else kept
            plan.parts.append(Step(Item(ref, manifest), Outcome(ref, "created", None, manifest)))
        if state and not plan.replace and any((ref.api_version, ref.kind) in job.kind.pod_makers for ref in own):
            # What ran on at its end was removed, and what has ended is not told anything any more.
            plan.parts = []
        if plan.replace:
            plan.root = Step(
                Item(job.ref, job.root), Outcome(job.ref, "changed", outcome.before or live, outcome.after)
            )
        return plan

    def _write(self, plans: Sequence[JobPlan]) -> Outcomes:
        todo = [plan for plan in plans if plan.changed]
        done: Outcomes = {plan.job.ref: plan.predicted() for plan in plans}
        troubles: List[Trouble] = []
        for plan, (outcomes, trouble) in zip(todo, parallel.each(self._write_job, todo)):
            done[plan.job.ref] = outcomes
            troubles += [trouble] if trouble else []
        for line in steps([outcome for plan in todo for outcome in done[plan.job.ref]]):
            self._say(line)
        if troubles:
            every = [outcome for outcomes in done.values() for outcome in outcomes]
            before = count(sum(outcome.changed for outcome in every), "object")
            raise ObjectsFailed(
                f"{count(len(troubles), 'object')} refused, after {before} had been written", troubles, every
            )
        return done

    def _write_job(self, plan: JobPlan) -> Tuple[List[Outcome], Optional[Trouble]]:
        """Write the root, then what it owns. A run that is killed in between is completed by the next one."""
        applier, root = self._applier([]), plan.live or {}
        outcomes: List[Outcome] = []
        if plan.creates or plan.root.outcome.changed:
            step = Step(plan.root.item, plan.root.outcome, open=plan.replace or plan.root.open)
            answer = applier.write_step(step)
            if isinstance(answer, Trouble):
                return outcomes, answer
            root = answer.after or {}
            outcomes.append(Outcome(answer.ref, "changed", plan.root.outcome.before, root) if plan.replace else answer)
        else:
            outcomes.append(plan.root.outcome)
        self._reader.watches[plan.job.ref].uid = str(root["metadata"]["uid"])
        for step in plan.parts:
            if not step.outcome.changed:
                outcomes.append(step.outcome)
                continue
            item = Item(step.item.ref, owned(step.item.manifest, root))
            answer = applier.write_step(Step(item, step.outcome, step.open))
            if isinstance(answer, Trouble):
                return outcomes, answer
            outcomes.append(answer)
        return outcomes, None

    def clear(self, refs: Optional[Sequence[Ref]] = None) -> Outcomes:
        """Remove what runs on in jobs (all, without `refs`) that had ended at the reader's last look.

        Raises ObjectsFailed, ApiError.
        """
        watches = self._reader.watches
        todo = {item: ref for ref in (watches if refs is None else refs) for item in watches[ref].left_over}
        items = [Item(ref, {}) for ref in todo]
        done: Outcomes = {}
        for outcome in remove(self._store, items, Deadline(REMOVAL_S), self._say, self._check_mode, wait=False):
            done.setdefault(todo[outcome.ref], []).append(outcome)
        for ref in done:
            watches[ref].left_over = []
        return done

    def absent(self, refs: Sequence[Ref]) -> Outcomes:
        """Delete jobs; return when they, what they own and their pods are gone. Raises ObjectsFailed, ApiError."""
        deadline = Deadline(REMOVAL_S)
        roots = self._reader.mine(self._reader.roots(refs))
        of = {ref: ref for ref in refs if roots[ref] is not None}
        # Of a job whose root is gone nobody else would remove the parts that bear its label.
        of.update(self._reader.parts(refs))
        items = [Item(ref, {}) for ref in of]
        done: Outcomes = {ref: [] if ref in of else [Outcome(ref, "absent")] for ref in refs}
        for outcome in remove(self._store, items, deadline, self._say, self._check_mode, wait=True):
            done.setdefault(of[outcome.ref], []).append(outcome)
        if not self._check_mode:
            self._until_rest_is_gone(refs, deadline)
        return done

    def _until_rest_is_gone(self, refs: Sequence[Ref], deadline: Deadline) -> None:
        """Wait for what deleted jobs leave behind: its names are the next jobs' too. Raises ObjectsFailed, ApiError."""
        while True:
            rest = [Trouble(ref, f"still there: {', '.join(names)}") for ref, names in self._rest(refs).items()]
            if not rest:
                return
            if not deadline.pause(_PAUSE_S):
                raise ObjectsFailed(f"{count(len(rest), 'job')} gone, what belongs to them is not", rest)

    def _rest(self, refs: Sequence[Ref]) -> Dict[Ref, List[str]]:
        """Return the names of pods and parts of jobs that do not exist."""
        found: Dict[Ref, List[str]] = {}
        for ref, pods in self._reader.pods_of(refs).items():
            found.setdefault(ref, []).extend(str(pod["metadata"]["name"]) for pod in pods)
        by_owner = {(ref.namespace, ref.kind, ref.name): ref for ref in refs}
        groups = tuple(kind for kind in _PARTS if self._store.discovery.offers(kind[0]))
        own = dict.fromkeys(part for ref in refs for part in self._reader.watches[ref].kind.part_kinds)
        for namespace in sorted({ref.namespace for ref in refs}):
            for part in (item for kind in (*groups, *own) for item in self._there(kind, namespace)):
                for owner in part["metadata"].get("ownerReferences") or []:
                    of = by_owner.get((namespace, str(owner.get("kind")), str(owner.get("name"))))
                    if of:
                        found.setdefault(of, []).append(str(ref_of(part)))
        return {ref: names for ref, names in found.items() if names}

    def _there(self, kind: Tuple[str, str], namespace: str) -> List[Manifest]:
        """Return the objects of a kind; of a gang scheduler whose groups this user may not see he has made none."""
        try:
            return self._store.list(*kind, namespace)
        except ApiError as error:
            if error.status == 403 and kind in _PARTS:
                return []
            raise


def _unasked(item: Item, live: Optional[Manifest]) -> Step:
    """Return the step for a root whose change the server would refuse."""
    return Step(item, Outcome(item.ref, "changed", live, item.manifest))


def _queue(manifest: Optional[Manifest]) -> object:
    """Return the queue that an object names. What is there stays in its own, whatever became of that."""
    return ((manifest or {}).get("spec") or {}).get("queue")


def _to_examine(plan: JobPlan, known: Mapping[Ref, Optional[Manifest]]) -> List[Step]:
    """Return the parts that the server can judge now: not those that go with a former job of this name."""
    if not plan.creates:
        return plan.parts
    return [step for step in plan.parts if not plan.job.owns(known.get(step.item.ref))]


def _step(plan: JobPlan, anew: Step, examined: Step) -> Step:
    """Return the step for a part. With a new root every part is written: it gets another owner."""
    if plan.creates and not examined.outcome.changed:
        return Step(anew.item, Outcome(anew.item.ref, "changed", examined.outcome.before, examined.outcome.after))
    return examined


def _named(problem: Problem, plan: JobPlan, several: bool) -> Problem:
    """Return the problem with the job that it is about, where there are several."""
    if not several:
        return problem
    return Problem(f"{plan.job.ref}: {problem.field}", problem.value, problem.rule, problem.way_out)
