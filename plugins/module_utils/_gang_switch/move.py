# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How jobs that wait come under another gang scheduler, and what stays as it is. Pure.

A job that has begun finishes where it is. A job of the operator is changed in place: its templates get the other mark,
and its pods, none of which ever ran, are made again by the operator. The template of a batch Job cannot be changed, so
those of a job without an operator are made anew. What is to be done follows from what is there, at whatever point an
earlier run was killed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.backend import Backend, Group
from .._gangs.gang import BACKENDS, DEFAULT_SCHEDULER, GROUPS, least_of, marked_template, standing
from .._job_model.kind import job_title
from .._job_model.replicas import replicas_of
from .._jobs.plan import owned
from .._kube.resource import Manifest, Ref, ref_of
from .._pods.demand import demand_of_least
from .jobs import ENDED, RUNNING, WAITING, GangJob

_FEW = 5
_SCHEDULER = ("spec", "schedulerName")
_PRIORITY = ("spec", "priorityClassName")
# What the server adds to a batch Job: in a new one it is refused, or another.
_BOOKKEEPING = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")
_OWN_PREFIX = "batch.kubernetes.io/"
_LABELS = ("controller-uid", "job-name", f"{_OWN_PREFIX}controller-uid", f"{_OWN_PREFIX}job-name")


@dataclass(frozen=True)
class Goal:
    """The backend to which jobs move. scheduler: schedulerName of their pods; empty for the default one."""

    backend: Backend
    scheduler: str = ""

    @property
    def name(self) -> str:
        """Return the backend's name."""
        return self.backend.name

    def marks(self, template: Manifest) -> bool:
        """Tell whether a template or a pod is under it."""
        given = standing(template, _SCHEDULER) or DEFAULT_SCHEDULER
        marked = standing(template, self.backend.mark) is not None
        return marked and given == (self.scheduler or DEFAULT_SCHEDULER)


@dataclass(frozen=True)
class Move:
    """What is done with one job.

    group: its new PodGroup, None when it is there. gates: its former PodGroups, which go before all else: without them
    none of its pods is placed. root: its root with the other mark, None when it has it. anew: batch Jobs that are made
    anew. pods: with the former mark; the operator makes them again. notes: what does not come along.
    """

    job: GangJob
    group: Optional[Manifest] = None
    gates: Sequence[Manifest] = ()
    root: Optional[Manifest] = None
    anew: Sequence[Manifest] = ()
    pods: Sequence[Manifest] = ()
    notes: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        """Tell whether nothing is to be done."""
        return not (self.group or self.gates or self.root or self.anew or self.pods)

    @property
    def way(self) -> str:
        """Return how the job is moved, in words."""
        return "changed in place, its pods made again" if self.job.kind.replica_specs else "its Jobs made anew"


@dataclass(frozen=True)
class Back:
    """A job that began while it was to move: it loses the new PodGroup, and gets the former one back if it was gone."""

    job: GangJob
    former: Optional[Manifest]
    new: Manifest


@dataclass(frozen=True)
class Left:
    """A job that stays where it is, and why."""

    job: GangJob
    why: str


@dataclass(frozen=True)
class Plan:
    """What becomes of all jobs.

    problems: what stands in the way; then nothing is done. forget: Services that remember a Job which is there again.
    notes: PodGroups that stay because they are of no job that is known here.
    """

    moves: Sequence[Move] = ()
    backs: Sequence[Back] = ()
    left: Sequence[Left] = ()
    problems: Sequence[Problem] = ()
    forget: Sequence[Ref] = ()
    notes: Sequence[str] = ()


def goal_of(backend: Backend, scheduler: str = "") -> Goal:
    """Return a backend as the goal, with its own scheduler where no other is named."""
    return Goal(backend, scheduler or backend.scheduler)


def plan_moves(jobs: Sequence[GangJob], goal: Goal, groups: Mapping[str, Sequence[Manifest]]) -> Plan:
    """Return what becomes of the jobs. groups: all PodGroups, by backend."""
    moves: List[Move] = []
    backs: List[Back] = []
    left: List[Left] = []
    problems: List[Problem] = []
    there = {(ref.namespace, ref.name): group for group in groups.get(goal.name, ()) for ref in [ref_of(group)]}
    sharers: Dict[Tuple[str, str, str], List[GangJob]] = {}
    for job in jobs:
        sharers.setdefault(_place(job), []).append(job)
    for job in jobs:
        if job.state == ENDED or job.bound == goal.name:
            continue
        why = _why_stays(job, goal, sharers[_place(job)])
        if why:
            left.append(Left(job, why))
            backs += _backs(job, goal)
        elif job.state == WAITING:
            problems += _conflicts(job, goal, there)
            move = _move(job, goal)
            moves += [] if move.empty else [move]
    forget = [Ref("v1", "Service", name, job.ref.namespace) for job in jobs for name in job.made]
    return Plan(moves, backs, left, problems, forget, _strangers(jobs, goal, groups))


def _strangers(jobs: Sequence[GangJob], goal: Goal, groups: Mapping[str, Sequence[Manifest]]) -> List[str]:
    """Return what is said of PodGroups that nobody moves: made by hand, or by a scheduler for pods without one."""
    known = {ref_of(group) for job in jobs for group in job.groups.values()}
    notes: List[str] = []
    for name, items in groups.items():
        found = [ref for ref in map(ref_of, items) if ref not in known]
        if found and name != goal.name:
            some = ", ".join(f"{ref.namespace}/{ref.name}" for ref in found[:_FEW])
            more = f" and {len(found) - _FEW} more" if len(found) > _FEW else ""
            notes.append(f"PodGroups of {BACKENDS[name].title} that are of no job known here stay: {some}{more}")
    return notes


def _why_stays(job: GangJob, goal: Goal, sharers: Sequence[GangJob]) -> str:
    """Return why a job stays under another scheduler; empty when it can move, or has moved.

    sharers: the jobs of its PodGroup.
    """
    if job.bound:
        return f"it is a {job.kind.title}, which only {BACKENDS[job.bound].title} starts"
    if all(goal.marks(template) for template in job.templates):
        return ""
    title = BACKENDS[job.backend].title
    if job.state == RUNNING:
        return f"it has begun, and finishes under {title}"
    beside = [other for other in sharers if other.ref != job.ref] if job.group else []
    return f"it shares PodGroup {job.group} with {job_title(beside[0].ref)}" if beside else ""


def _place(job: GangJob) -> Tuple[str, str, str]:
    return job.ref.namespace, job.backend, job.group


def _backs(job: GangJob, goal: Goal) -> List[Back]:
    new, name = job.groups.get(goal.name), job.backend
    if job.state != RUNNING or new is None or not job.owns(new) or name == goal.name:
        return []
    former = None if name in job.groups else owned(_group(job, _row(job), new), job.root)
    return [Back(job, former, new)]


def _conflicts(job: GangJob, goal: Goal, there: Mapping[Tuple[str, str], Manifest]) -> List[Problem]:
    """Return what keeps the job's new PodGroup from being made. there: the goal's PodGroups, by namespace and name."""
    field, value, longest = job_title(job.ref), f"PodGroup {job.group}", goal.backend.longest
    if len(job.group) > longest:
        rule = f"has {len(job.group)} characters, and {goal.backend.title} finds pods by names of at most {longest}"
        return [Problem(field, value, rule, "Remove the job, or let it end first")]
    group = there.get((job.ref.namespace, job.group))
    if group is None or job.owns(group):
        return []
    rule = f"is there in {goal.backend.api_version} already, and not this job's"
    return [Problem(field, value, rule, "Remove the PodGroup or the job")]


def _move(job: GangJob, goal: Goal) -> Move:
    former = {name: group for name, group in job.groups.items() if name != goal.name}
    name = job.backend if job.backend in former else next(iter(former), goal.name)
    source = job.groups.get(name)
    # One that is there was made when the former one still told what it says.
    group = None if goal.name in job.groups else _group(job, goal.backend, source)
    return Move(
        job,
        group=owned(group, job.root) if group else None,
        gates=list(former.values()),
        root=_moved_root(job, goal),
        anew=_moved_jobs(job, goal),
        pods=[pod for pod in job.pods if job.kind.replica_specs and not goal.marks(pod)],
        notes=_notes(source, goal) if group else [],
    )


def _notes(source: Optional[Manifest], goal: Goal) -> List[str]:
    if source is None:
        return ["its PodGroup was gone: the new one wants all of its pods"]
    queue = _queue(source)
    return [f"leaves queue {queue}: {goal.backend.title} has none"] if queue and not _has_queues(goal.backend) else []


def _has_queues(backend: Backend) -> bool:
    return "queue" in backend.extras


def _queue(group: Manifest) -> str:
    return str((group.get("spec") or {}).get("queue") or "")


def _row(job: GangJob) -> Backend:
    """Return the backend whose mark a job bears, in the shape in which it bears it."""
    rows = [each for each in GROUPS if each.name == job.backend]
    return next(each for each in rows if any(standing(template, each.mark) is not None for template in job.templates))


def _group(job: GangJob, backend: Backend, source: Optional[Manifest]) -> Manifest:
    """Return a job's PodGroup for a backend, saying what another one says."""
    replicas = replicas_of([job.root, *job.batch_jobs, *job.saved])
    least = (least_of([source]) if source else None) or sum(item.count for item in replicas)
    spec = (source or {}).get("spec") or {}
    said = Group(
        least,
        next((str(each) for each in (standing(template, _PRIORITY) for template in job.templates) if each), ""),
        spec.get("scheduleTimeoutSeconds") if "timeout" in backend.extras else None,
        _queue(source or {}) if _has_queues(backend) else "",
        demand_of_least(replicas, least).requests,
    )
    return backend.manifest(job.group, job.ref.namespace, said)


def moved(template: Manifest, goal: Goal, group: str) -> Manifest:
    """Return a pod template with the goal's mark instead of any other."""
    for backend in GROUPS:
        template = _without(template, backend.mark)
    return marked_template(goal.backend, group, goal.scheduler, _without(template, _SCHEDULER))


def _moved_root(job: GangJob, goal: Goal) -> Optional[Manifest]:
    key = job.kind.replica_specs
    if not key or all(goal.marks(template) for template in job.templates):
        return None
    specs = {
        name: {**spec, "template": moved(spec.get("template") or {}, goal, job.group)}
        for name, spec in job.root["spec"][key].items()
    }
    return {**job.root, "spec": {**job.root["spec"], key: specs}}


def _moved_jobs(job: GangJob, goal: Goal) -> List[Manifest]:
    """Return the batch Jobs that are to be made anew: those with another mark, and those that a killed run left out."""
    found: List[Manifest] = []
    for each in (*job.batch_jobs, *job.saved):
        template = each["spec"]["template"]
        if not goal.marks(template) or each in job.saved:
            spec = {**each["spec"], "template": moved(template, goal, job.group)}
            found.append(fresh({**each, "spec": spec}))
    return found


def fresh(job: Manifest) -> Manifest:
    """Return a batch Job as it was before the server saw it."""
    metadata = {key: value for key, value in job["metadata"].items() if key not in _BOOKKEEPING}
    metadata["annotations"] = {
        key: value for key, value in (metadata.get("annotations") or {}).items() if not key.startswith(_OWN_PREFIX)
    }
    spec = {key: value for key, value in job["spec"].items() if key != "selector"}
    pods = {key: value for key, value in spec["template"]["metadata"].items() if key != "creationTimestamp"}
    pods["labels"] = {key: value for key, value in pods["labels"].items() if key not in _LABELS}
    template = {**spec["template"], "metadata": pods}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {**spec, "template": template}}


def _without(tree: Mapping[str, Any], path: Sequence[str]) -> Manifest:
    """Return a copy of a tree without a value, nor a map that held nothing else."""
    rest: Dict[str, Any] = {key: value for key, value in tree.items() if key != path[0]}
    if len(path) > 1 and isinstance(tree.get(path[0]), Mapping):
        below = _without(tree[path[0]], path[1:])
        return {**rest, **({path[0]: below} if below else {})} if below != tree[path[0]] else dict(tree)
    return rest
