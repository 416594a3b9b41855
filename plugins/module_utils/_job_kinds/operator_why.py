# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the training operator makes no pods of a job, and by which rule it ended one. Pure.

A job of three workers may be over when one has ended: whoever reads "succeeded" must be able to see why.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._job_model.cause import WAITS, Cause, Finding
from .._job_model.controller import JobController
from .._job_model.state import FAILED, SUCCEEDED, JobState, Replica
from .._kube.resource import Manifest

NO_OPERATOR = Cause(
    "no operator is installed",
    "Nobody makes {who}: there is no training operator in this cluster",
    "Install it: playbook operator, or make the job a ps_job, which needs none",
)
OPERATOR_DOWN = Cause(
    "the operator does not run",
    "Nobody makes {who}: the training operator does not run ({word})",
    "See kubectl -n {its_namespace} get pods, and the events of its Deployment",
)
OPERATOR_SILENT = Cause(
    "the operator does nothing",
    "The training operator has not taken up the job in {ago}, so {who} cannot start",
    "Read the operator's log: kubectl -n {its_namespace} logs deployment/training-operator",
)
MANAGED = Cause(
    "another controller is to make the pods",
    "The training operator leaves {who} to {manager}, as spec.runPolicy.managedBy says",
    "See what that controller says, or leave managedBy out",
    rank=WAITS,
)

OPERATOR = JobController(
    title="the training operator",
    deployment="training-operator",
    namespace="kubeflow",
    install="Install the training operator: playbook trainyard.mlstack.operator does",
    missing=NO_OPERATOR,
    down=OPERATOR_DOWN,
    silent=OPERATOR_SILENT,
)

_LEADERS = ("Chief", "Master")
_BACKOFF, _DEADLINE = "backoff limit", "specified deadline"


def why_managed(names: str, job: Manifest) -> Optional[Finding]:
    """Return that the operator leaves a job to another controller; None when it does not."""
    manager = str(((job.get("spec") or {}).get("runPolicy") or {}).get("managedBy") or "")
    if not manager or manager.endswith(f"/{OPERATOR.deployment}"):
        return None
    return MANAGED.found(who=names, manager=manager)


def ended_by(specs: Mapping[str, Any], all_workers: bool, job: Manifest, state: JobState) -> str:
    """Return the rule that ended a job, in one sentence; empty while it goes on.

    specs: its replica types. all_workers: all of them must end well where nothing else is said.
    """
    spec: Mapping[str, Any] = job.get("spec") or {}
    if state.state == SUCCEEDED:
        return _success(specs, all_workers, spec)
    return _failure(specs, spec, state) if state.state == FAILED else ""


def _success(specs: Mapping[str, Any], all_workers: bool, spec: Mapping[str, Any]) -> str:
    for leader in _LEADERS:
        if leader in specs:
            return f"its {leader} ended well; what the others did does not count"
    workers = int((specs.get("Worker") or {}).get("replicas") or 1)
    if spec.get("elasticPolicy") and workers > 1:
        return "one of its workers ended well, which is the end of an elastic job"
    if all_workers or spec.get("successPolicy") == "AllWorkers":
        return "its worker ended well" if workers == 1 else f"all its {workers} workers ended well"
    return "its worker 0 ended well" + ("; the others do not count (success_policy default)" if workers > 1 else "")


def _failure(specs: Mapping[str, Any], spec: Mapping[str, Any], state: JobState) -> str:
    policy: Mapping[str, Any] = spec.get("runPolicy") or {}
    if _BACKOFF in state.message:
        return f"it was restarted more often than backoff_limit {policy.get('backoffLimit')} allows"
    if _DEADLINE in state.message:
        return f"it ran longer than active_deadline_seconds {policy.get('activeDeadlineSeconds')}"
    failed = _first_failed(state.replicas)
    if failed is None:
        return "a replica ended with an error"
    restart = (specs.get(failed.type) or {}).get("restartPolicy")
    code = "an error" if failed.exit_code is None else f"exit code {failed.exit_code}"
    return f"{failed.label} ended with {code}" + (f", under restart_policy {restart}" if restart else "")


def _first_failed(replicas: Sequence[Replica]) -> Optional[Replica]:
    return next((replica for replica in replicas if replica.state == "failed"), None)
