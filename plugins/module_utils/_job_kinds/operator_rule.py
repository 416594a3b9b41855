# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rule of the operator ended a job. Pure.

A job of three workers may be over when one has ended: whoever reads "succeeded" must be able to see why.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from .._job_model.kind import PYTORCHJOB, VOLCANO_JOB, JobKind
from .._job_model.state import FAILED, SUCCEEDED, JobState, Replica
from .._kube.resource import Manifest

_LEADERS = ("Chief", "Master")
_BACKOFF, _DEADLINE = "backoff limit", "specified deadline"


def ended_by(kind: JobKind, job: Manifest, state: JobState) -> str:
    """Return the rule that ended a job, in one sentence; empty while it goes on."""
    if not kind.replica_specs or kind is VOLCANO_JOB:
        return state.message if state.state in (SUCCEEDED, FAILED) else ""
    spec: Mapping[str, Any] = job.get("spec") or {}
    if state.state == SUCCEEDED:
        return _success(kind, spec)
    return _failure(kind, spec, state) if state.state == FAILED else ""


def _success(kind: JobKind, spec: Mapping[str, Any]) -> str:
    specs: Dict[str, Any] = spec.get(kind.replica_specs) or {}
    for leader in _LEADERS:
        if leader in specs:
            return f"its {leader} ended well; what the others did does not count"
    workers = int((specs.get("Worker") or {}).get("replicas") or 1)
    if spec.get("elasticPolicy") and workers > 1:
        return "one of its workers ended well, which is the end of an elastic job"
    if kind is PYTORCHJOB or spec.get("successPolicy") == "AllWorkers":
        return "its worker ended well" if workers == 1 else f"all its {workers} workers ended well"
    return "its worker 0 ended well" + ("; the others do not count (success_policy default)" if workers > 1 else "")


def _failure(kind: JobKind, spec: Mapping[str, Any], state: JobState) -> str:
    policy: Mapping[str, Any] = spec.get("runPolicy") or {}
    if _BACKOFF in state.message:
        return f"it was restarted more often than backoff_limit {policy.get('backoffLimit')} allows"
    if _DEADLINE in state.message:
        return f"it ran longer than active_deadline_seconds {policy.get('activeDeadlineSeconds')}"
    failed = _first_failed(state.replicas)
    if failed is None:
        return "a replica ended with an error"
    restart = ((spec.get(kind.replica_specs) or {}).get(failed.type) or {}).get("restartPolicy")
    code = "an error" if failed.exit_code is None else f"exit code {failed.exit_code}"
    return f"{failed.label} ended with {code}" + (f", under restart_policy {restart}" if restart else "")


def _first_failed(replicas: Sequence[Replica]) -> Optional[Replica]:
    return next((replica for replica in replicas if replica.state == "failed"), None)
