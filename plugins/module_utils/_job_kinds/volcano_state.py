# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a Volcano Job: from the phase that Volcano's controller writes, and its pods. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._job_model.kind import JobKind
from .._job_model.read_state import read_state, seconds_between
from .._job_model.state import FAILED, NO_PODS, SUCCEEDED, JobState, Noted
from .._kube.resource import Manifest
from .volcano_policies import COMPLETE, events_of

# An aborted job may be resumed by hand; by itself it stays as it is, and waiting for it would never end.
_FAILED = {
    "Failed": "its pods ended badly, or it was restarted more often than its retries allow",
    "Aborted": "it was aborted, by a policy or by hand",
    "Terminated": "it was terminated, by a policy or by hand",
}
_COMPLETED = "Completed"
_RESTARTING = "Restarting"
# Its pods are being taken away, after which it has ended.
_LEAVING = {"Aborting": "Aborted", "Completing": _COMPLETED, "Terminating": "Terminated"}
_PENDING = "Pending"


def read_volcano_state(
    kind: JobKind,
    job: Optional[Manifest],
    pods: Sequence[Manifest],
    events: Sequence[Manifest],
    uid: str = "",
    now: Optional[datetime] = None,
) -> JobState:
    """Return a job's state. The arguments are those of `read_state`."""
    # Conditions of Volcano have no type: of an operator's job nothing is found in them.
    state = read_state(kind, job, pods, events, uid, now)
    if job is None or state.ended:
        return state
    status = job.get("status") or {}
    said: Mapping[str, Any] = status.get("state") or {}
    phase, since = str(said.get("phase") or ""), str(said.get("lastTransitionTime") or "")
    started = _since(status, "Running")
    own = ": ".join(str(said[key]) for key in ("reason", "message") if said.get(key))
    if phase == _COMPLETED:
        rule = _why_completed(kind, job, state)
        noted = _noted(kind, job, succeeded=True)
        return JobState(SUCCEEDED, phase, rule, state.replicas, seconds_between(started, since, now), noted=noted)
    if phase in _FAILED:
        message = "; ".join([own or _FAILED[phase], *_failures(status, state)])
        noted = _noted(kind, job)
        return JobState(FAILED, phase, message, state.replicas, seconds_between(started, since, now), noted=noted)
    duration = seconds_between(started, "", now)
    if phase == _RESTARTING:
        message = own or f"Volcano starts its pods anew, for the {_nth(int(status.get('retryCount') or 0))} time"
        return JobState("restarting", phase, message, state.replicas, duration)
    if phase in _LEAVING:
        message = own or f"its pods are taken away, then it is {_LEAVING[phase]}"
        return JobState("running", phase, message, state.replicas, duration)
    if state.reason == NO_PODS and phase == _PENDING and own:
        state = replace(state, message=own)
    return replace(state, duration_s=duration)


def _since(status: Mapping[str, Any], phase: str) -> str:
    """Return when a job first came into a phase; empty when it never did."""
    conditions: Sequence[Mapping[str, Any]] = status.get("conditions") or []
    times = [str(each["lastTransitionTime"]) for each in conditions if each.get("status") == phase]
    return min((time for time in times if time), default="")


def _noted(kind: JobKind, job: Manifest, succeeded: bool = False) -> Dict[str, Noted]:
    """Return what Volcano counted of the pods of an ended job. succeeded: then those that ran on ended with it."""
    counted = (job.get("status") or {}).get("taskStatusCount") or {}
    found: Dict[str, Noted] = {}
    for name, task in kind.specs(job).items():
        phases: Mapping[str, int] = (counted.get(name) or {}).get("phase") or {}
        well, badly = int(phases.get("Succeeded") or 0), int(phases.get("Failed") or 0)
        active = sum(int(number) for phase, number in phases.items() if phase not in ("Succeeded", "Failed"))
        if succeeded:
            well, active = max(well, int(task.get("replicas") or 0) - badly), 0
        found[name] = Noted(well, badly, active)
    return {name: noted for name, noted in found.items() if noted.total}


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def _failures(status: Mapping[str, Any], state: JobState) -> List[str]:
    """Return what went wrong with pods that are still there, and how often the job was started anew."""
    found = []
    for replica in state.replicas:
        if replica.state == FAILED:
            code = "" if replica.exit_code is None else f" with exit code {replica.exit_code}"
            found.append(f"{replica.label} failed{code}")
    retries = int(status.get("retryCount") or 0)
    return [*found[:1], *([f"restarted {retries} times"] if retries > 1 else ["restarted once"] if retries else [])]


def _why_completed(kind: JobKind, job: Manifest, state: JobState) -> str:
    """Return the rule by which a job was completed."""
    spec: Mapping[str, Any] = job.get("spec") or {}
    succeeded = int((job.get("status") or {}).get("succeeded") or 0)
    total = sum(int(task.get("replicas") or 0) for task in kind.specs(job).values())
    if spec.get("minSuccess") and succeeded >= int(spec["minSuccess"]):
        return f"{succeeded} of its pods ended well, and min_success is {spec['minSuccess']}"
    for name, task in kind.specs(job).items():
        own = [replica.state for replica in state.replicas if replica.type == name]
        if own and set(own) == {SUCCEEDED} and _completes(task.get("policies")):
            what = f"all {len(own)} pods of its task {name}" if len(own) > 1 else f"its task {name}"
            return f"{what} ended well, and its policy is CompleteJob"
    if succeeded >= total:
        return "its only pod ended well" if total == 1 else f"all its {total} pods ended well"
    return f"{succeeded} of its {total} pods ended well"


def _completes(policies: Optional[Sequence[Mapping[str, Any]]]) -> bool:
    return any(each.get("action") == COMPLETE and "TaskCompleted" in events_of(each) for each in policies or ())
