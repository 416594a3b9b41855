# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a job's state from its live object, its pods and events, as training operators write it. Pure."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._kube.pod_reason import condition, pod_reason, said
from .._kube.resource import Manifest
from .kind import JobKind
from .state import FAILED, NO_PODS, SUCCEEDED, SUSPENDED, VANISHED, JobState, Noted, Replica


def read_state(
    kind: JobKind,
    job: Optional[Manifest],
    pods: Sequence[Manifest],
    events: Sequence[Manifest],
    uid: str = "",
    now: Optional[datetime] = None,
) -> JobState:
    """Return a job's state.

    job: the live object, None when there is none. events: of the job. uid: of the job that is meant, when it was seen
    before; another one of the same name is not it. now: for the duration of a job that runs.
    """
    replicas = sorted(
        (_replica(kind, pod) for pod in pods), key=lambda item: (_place(kind, item.type), item.type, item.index)
    )
    if job is None or (uid and job["metadata"].get("uid") != uid):
        if not uid:
            return JobState("absent")
        gone = "it was deleted" if job is None else "another job took its name"
        return JobState(VANISHED, "Vanished", f"{gone} before its end was seen", replicas)
    status = job.get("status") or {}
    duration = seconds_between(str(status.get("startTime") or ""), str(status.get("completionTime") or ""), now)
    end = _last_end(status)
    if end:
        state = SUCCEEDED if end["type"] == "Succeeded" else FAILED
        said_of_it = (_text(end, "reason"), _text(end, "message"))
        return JobState(state, *said_of_it, replicas, duration, noted=_noted(kind, status))
    suspended = condition(job, "Suspended")
    if suspended.get("status") == "True":
        return JobState(SUSPENDED, _text(suspended, "reason"), _text(suspended, "message"), replicas, duration)
    restarting = condition(job, "Restarting")
    states = {replica.state for replica in replicas}
    # Where all pods have ended, their job is about to: it waits for nothing.
    running = "running" in states or ("pending" not in states and bool(states & {SUCCEEDED, FAILED}))
    if restarting.get("status") == "True":
        return JobState("restarting", _text(restarting, "reason"), _text(restarting, "message"), replicas, duration)
    if running:
        return JobState("running", "", _not_running(replicas), replicas, duration)
    if replicas:
        return JobState("queued", "PodsPending", _not_running(replicas), replicas, duration)
    return JobState("created", NO_PODS, _why_no_pods(events), replicas, duration)


def _last_end(status: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the condition that is the job's end; empty while there is none.

    The operator appends what becomes true. A replica that fails after success leaves both in the list: the last counts.
    """
    conditions: Sequence[Mapping[str, Any]] = status.get("conditions") or []
    ends = [item for item in conditions if item.get("type") in ("Succeeded", "Failed") and item.get("status") == "True"]
    return ends[-1] if ends else {}


def _noted(kind: JobKind, status: Mapping[str, Any]) -> Dict[str, Noted]:
    """Return what the operator noted of the pods."""
    found: Mapping[str, Mapping[str, int]] = status.get("replicaStatuses") or {}
    return {
        name: Noted(**{key: int(found[name].get(key) or 0) for key in ("succeeded", "failed", "active")})
        for name in sorted(found, key=lambda name: _place(kind, name))
    }


def leader(kind: JobKind, state: JobState) -> Optional[Replica]:
    """Return the replica that speaks for the job: its log is the job's log."""
    for name in kind.leaders:
        found = [replica for replica in state.replicas if replica.type == name]
        if found:
            return found[0]
    return state.replicas[0] if state.replicas else None


def _replica(kind: JobKind, pod: Manifest) -> Replica:
    labels, status = pod["metadata"].get("labels") or {}, pod.get("status") or {}
    containers: List[Dict[str, Any]] = status.get("containerStatuses") or []
    # Only the container that trains counts: a sidecar's end says nothing about the training.
    main = next((item for item in containers if item.get("name") == kind.container), {})
    terminated = (main.get("state") or {}).get("terminated") or (main.get("lastState") or {}).get("terminated") or {}
    state = _pod_state(status, main)
    return Replica(
        type=kind.type_of(str(labels.get(kind.labels.type, ""))),
        index=int(labels.get(kind.labels.index) or 0),
        pod=str(pod["metadata"]["name"]),
        node=str((pod.get("spec") or {}).get("nodeName") or ""),
        state=state,
        reason="" if state == SUCCEEDED else pod_reason(pod) or _leaving(pod),
        exit_code=terminated.get("exitCode"),
        restarts=int(main.get("restartCount") or 0),
    )


def _leaving(pod: Manifest) -> str:
    """Return why a pod that still runs counts as failed for the operator."""
    if not pod["metadata"].get("deletionTimestamp"):
        return ""
    cause = said(condition(pod, "DisruptionTarget"))
    return f"it is being deleted ({cause})" if cause else "it is being deleted"


def _pod_state(status: Mapping[str, Any], main: Mapping[str, Any]) -> str:
    phase = status.get("phase")
    if phase in ("Succeeded", "Failed"):
        return str(phase).lower()
    # A pod with a sidecar is Running on and on; what the training container did is what counts.
    state = main.get("state") or {}
    if state.get("terminated"):
        return SUCCEEDED if state["terminated"].get("exitCode") == 0 else FAILED
    return "running" if phase == "Running" and not state.get("waiting") else "pending"


def _place(kind: JobKind, name: str) -> int:
    return kind.types.index(name) if name in kind.types else len(kind.types)


def _not_running(replicas: Sequence[Replica]) -> str:
    """Return why some replicas do not run; pods that wait for the same thing are named once."""
    reasons: Dict[str, List[str]] = {}
    for replica in replicas:
        if replica.state != "running" and replica.reason:
            reasons.setdefault(replica.reason, []).append(replica.label)
    return "; ".join(f"{', '.join(labels)}: {reason}" for reason, labels in reasons.items())


def _why_no_pods(events: Sequence[Manifest]) -> str:
    warnings = [event for event in events if event.get("type") == "Warning"]
    if warnings:
        return said(warnings[-1])
    return "no pod was made yet"


def _text(found: Mapping[str, Any], key: str) -> str:
    return str(found.get(key) or "")


def seconds_between(start: str, end: str, now: Optional[datetime] = None) -> Optional[float]:
    """Return the seconds between two times as the API writes them; None before the start, to now before the end."""
    if not start:
        return None
    until = _time(end) if end else now or datetime.now(timezone.utc)
    return max(0.0, (until - _time(start)).total_seconds())


def _time(value: str) -> datetime:
    return datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
