# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a parameter-server job without an operator: from its root, its batch Jobs and its pods. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._job_model.kind import JobKind
from .._job_model.read_state import read_state, seconds_between
from .._job_model.state import FAILED, SUCCEEDED, SUSPENDED, JobState, Noted, Replica
from .._kube.pod_reason import condition, pod_reason, said
from .._kube.resource import Manifest, Ref, ref_of
from .ps_disruption import ignores

# Role (lower case) and number.
Task = Tuple[str, int]

_WORKER = "worker"
_INCOMPLETE = "Incomplete"


def read_ps_state(
    kind: JobKind,
    root: Optional[Manifest],
    batch_jobs: Sequence[Manifest],
    pods: Sequence[Manifest],
    events: Sequence[Manifest],
    uid: str = "",
    now: Optional[datetime] = None,
) -> JobState:
    """Return a job's state.

    root: the ConfigMap that stands for it, None when there is none. batch_jobs: with its labels; those of another root
    do not count. pods: of these; of several that were made for one task the last one speaks for it. events: of the
    batch Jobs. uid: of the root that is meant, when it was seen before.
    """
    tries = _tries(kind, pods)
    latest = [each[-1] for each in tries.values()]
    earlier = {str(each[-1]["metadata"]["name"]): len(each) - 1 for each in tries.values()}
    state = read_state(kind, root, latest, events, uid, now)
    replicas = [replace(each, restarts=each.restarts + earlier[each.pod]) for each in state.replicas]
    state = replace(state, replicas=replicas)
    if root is None or state.ended:
        return state
    jobs = {_task(kind, job): job for job in batch_jobs if of_root(job, root)}
    started = [str(job["status"]["startTime"]) for job in jobs.values() if (job.get("status") or {}).get("startTime")]
    over, message = _over(root, jobs)
    failures = sorted((_since(job, "Failed"), name) for name, job in jobs.items() if _failed(job))
    # What comes first decides: tasks whose peers are gone fail, too, and a job that failed stays failed.
    if failures and (not over or failures[0][0] < over):
        when, first = failures[0]
        reason, message = _why(kind, jobs[first], state)
        duration = seconds_between(min(started, default=""), when, now)
        return JobState(FAILED, reason, message, state.replicas, duration, noted=_noted(kind, root, jobs))
    if over:
        duration = seconds_between(min(started, default=""), over, now)
        noted = _noted(kind, root, jobs, succeeded=True)
        return JobState(SUCCEEDED, "Completed", message, state.replicas, duration, noted=noted)
    open_jobs = [job for job in jobs.values() if not _completed(job)]
    if open_jobs and all((job.get("spec") or {}).get("suspend") for job in open_jobs):
        return replace(state, state=SUSPENDED, reason="Suspended", message="its Jobs are suspended", duration_s=None)
    again = _tried_again(kind, open_jobs, state.replicas, tries)
    if again:
        state = replace(state, state="restarting", reason="Restarting", message="; ".join(again))
    missing = _missing(root, jobs)
    if missing:
        message = f"{', '.join(missing)} is not there: a run was stopped in between, or somebody deleted it; run again"
        state = replace(state, reason=_INCOMPLETE, message=message)
    return replace(state, duration_s=seconds_between(min(started, default=""), "", now))


def _over(root: Manifest, jobs: Mapping[Task, Manifest]) -> Tuple[str, str]:
    """Return when the job was over by its rule, and the rule; empty while it is not."""
    wanted, rule = len(hosts_of(root, _WORKER)), str((root.get("data") or {}).get("end"))
    counting = [jobs.get((_WORKER, index)) for index in ((0,) if rule == "worker_0" else range(wanted))]
    ended = [_since(job, "Complete") for job in counting if job is not None and _completed(job)]
    if not counting or len(ended) < len(counting):
        return "", ""
    return max(ended), "worker 0 ended well" if rule == "worker_0" else f"all {wanted} workers ended well"


def _noted(kind: JobKind, root: Manifest, jobs: Mapping[Task, Manifest], succeeded: bool = False) -> Dict[str, Noted]:
    """Return what batch Jobs still say of their pods when these are gone. succeeded: the job did."""
    found: Dict[str, Noted] = {}
    for name, role, wanted in ((name, name.lower(), len(hosts_of(root, name.lower()))) for name in kind.types):
        own = [job for (of, _index), job in jobs.items() if of == role]
        well, badly = sum(map(_completed, own)), sum(map(_failed, own))
        # What ran until then, parameter servers above all, was removed with its Jobs.
        active = max(0, wanted - well - badly)
        found[name] = Noted(well + active, badly) if succeeded else Noted(well, badly, active)
    return {name: noted for name, noted in found.items() if noted.total}


def _since(job: Manifest, name: str) -> str:
    """Return since when a condition holds."""
    return str(condition(job, name).get("lastTransitionTime") or "")


def left_over(state: JobState, batch_jobs: Sequence[Manifest]) -> List[Ref]:
    """Return the batch Jobs that still run when the job has ended: parameter servers never end by themselves."""
    if state.state not in (SUCCEEDED, FAILED):
        return []
    return [ref_of(job) for job in batch_jobs if not (_completed(job) or _failed(job))]


def _tries(kind: JobKind, pods: Sequence[Manifest]) -> Dict[Task, List[Manifest]]:
    """Return the pods of each task, in the order in which they were made."""
    made: Dict[Task, List[Manifest]] = {}
    for pod in sorted(pods, key=lambda pod: str(pod["metadata"].get("creationTimestamp") or "")):
        made.setdefault(_task(kind, pod), []).append(pod)
    return made


def _tried_again(
    kind: JobKind, open_jobs: Sequence[Manifest], replicas: Sequence[Replica], tries: Mapping[Task, Sequence[Manifest]]
) -> List[str]:
    """Return the tasks whose pod ended too early and that do not run again yet, each with what is known of it."""
    by_label = {each.label: each for each in replicas}
    told: List[str] = []
    for job in open_jobs:
        label, pods = _label(kind, job), tries.get(_task(kind, job), ())
        replica = by_label.get(label)
        if replica and (replica.state == "succeeded" or (replica.state == "running" and not ignores(job, pods[-1]))):
            continue
        lost = [pod for pod in pods if ignores(job, pod)]
        # What its Job has not counted yet, or counts in the pod itself.
        seen = replica.restarts + int(replica.state == "failed") - len(lost) if replica else 0
        failures = max(int((job.get("status") or {}).get("failed") or 0), seen)
        limit = int((job.get("spec") or {}).get("backoffLimit", 6))
        reason = f": {replica.reason}" if replica and replica.reason else ""
        # With one failure more than allowed its Job is about to fail.
        if 0 < failures <= limit:
            told.append(f"{label} is tried again, {failures} of {limit}{reason}")
        elif lost and not failures:
            told.append(f"{label} is made again, its pod was taken from its node: {_taken(lost[-1])}")
    return told


def _taken(pod: Manifest) -> str:
    return pod_reason(pod) or said(condition(pod, "DisruptionTarget"))


def of_root(job: Manifest, root: Manifest) -> bool:
    """Tell whether a batch Job belongs to the ConfigMap: to it, not to a former one of the same name."""
    owners = job["metadata"].get("ownerReferences") or []
    return any(owner.get("uid") == root["metadata"]["uid"] for owner in owners)


def _task(kind: JobKind, item: Manifest) -> Task:
    """Return role (lower case) and number of a batch Job's or a pod's task."""
    labels = item["metadata"].get("labels") or {}
    return str(labels.get(kind.labels.type) or ""), int(labels.get(kind.labels.index) or 0)


def _label(kind: JobKind, job: Manifest) -> str:
    """Return a batch Job's task as its replica is called."""
    role, index = _task(kind, job)
    return f"{kind.type_of(role)}-{index}"


def hosts_of(root: Mapping[str, Any], role: str) -> List[str]:
    """Return the hosts of one role (lower case) that the root lists."""
    listed = str((root.get("data") or {}).get(f"{role}_hosts") or "")
    return [host for host in listed.split(",") if host]


def job_names(root: Manifest) -> List[str]:
    """Return the names of the batch Jobs that the root's job has."""
    return [host.rpartition(":")[0] for role in ("ps", _WORKER) for host in hosts_of(root, role)]


def _missing(root: Manifest, jobs: Dict[Task, Manifest]) -> List[str]:
    """Return the names of the batch Jobs that should be there and are not."""
    there = {str(job["metadata"]["name"]) for job in jobs.values()}
    return [name for name in job_names(root) if name not in there]


def _completed(job: Manifest) -> bool:
    return condition(job, "Complete").get("status") == "True"


def _failed(job: Manifest) -> bool:
    return condition(job, "Failed").get("status") == "True"


def _why(kind: JobKind, job: Manifest, state: JobState) -> Tuple[str, str]:
    """Return reason and message of a failed task: by its pod, where that is still there."""
    failed = condition(job, "Failed")
    label = _label(kind, job)
    reasons = [replica.reason for replica in state.replicas if replica.label == label and replica.reason]
    text = str(failed.get("message") or "its Job failed")
    message = f"{label} failed: {reasons[0]}; {text}" if reasons else f"{label} failed: {text}"
    return str(failed.get("reason") or "Failed"), message
