# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_job import OperatorJob
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState, Replica


def job(
    kind: OperatorJob, replicas: dict[str, int], policy: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    specs = {name: {"replicas": number, "restartPolicy": "Never"} for name, number in replicas.items()}
    return {"spec": {kind.replica_specs: specs, "runPolicy": policy or {}, **spec}}


@pytest.mark.parametrize(
    ("kind", "live", "rule"),
    [
        (TFJOB, job(TFJOB, {"Chief": 1, "Worker": 2}), "its Chief ended well; what the others did does not count"),
        (TFJOB, job(TFJOB, {"Worker": 3}), "its worker 0 ended well; the others do not count (success_policy default)"),
        (TFJOB, job(TFJOB, {"Worker": 1}), "its worker 0 ended well"),
        (TFJOB, job(TFJOB, {"Worker": 3}, successPolicy="AllWorkers"), "all its 3 workers ended well"),
        (
            TFJOB,
            job(TFJOB, {"Chief": 1, "Worker": 3}, successPolicy="AllWorkers"),
            "its Chief ended well; what the others did does not count",
        ),
        (
            PYTORCHJOB,
            job(PYTORCHJOB, {"Master": 1, "Worker": 3}),
            "its Master ended well; what the others did does not count",
        ),
        (PYTORCHJOB, job(PYTORCHJOB, {"Worker": 3}), "all its 3 workers ended well"),
        (
            PYTORCHJOB,
            job(PYTORCHJOB, {"Worker": 3}, elasticPolicy={"minReplicas": 1}),
            "one of its workers ended well, which is the end of an elastic job",
        ),
    ],
)
def test_success(kind: OperatorJob, live: dict[str, Any], rule: str) -> None:
    assert kind.ended_by(live, JobState("succeeded")) == rule


@pytest.mark.parametrize(
    ("message", "replicas", "rule"),
    [
        ("TFJob j has failed because it has reached the specified backoff limit", [],
         "it was restarted more often than backoff_limit 3 allows"),
        ("TFJob j has failed because it was active longer than specified deadline", [],
         "it ran longer than active_deadline_seconds 60"),
        ("1 Worker replica(s) failed", [Replica("Chief", 0, "c", "n", "running"),
                                        Replica("Worker", 1, "w", "n", "failed", exit_code=137)],
         "Worker-1 ended with exit code 137, under restart_policy Never"),
        ("1 Worker replica(s) failed", [Replica("Worker", 1, "w", "n", "removed")], "a replica ended with an error"),
    ],
)  # fmt: skip
def test_failure(message: str, replicas: list[Replica], rule: str) -> None:
    live = job(TFJOB, {"Chief": 1, "Worker": 2}, {"backoffLimit": 3, "activeDeadlineSeconds": 60})
    assert TFJOB.ended_by(live, JobState("failed", "TFJobFailed", message, replicas)) == rule


@pytest.mark.parametrize("state", ["running", "restarting", "suspended", "vanished"])
def test_no_rule_without_an_end(state: str) -> None:
    assert TFJOB.ended_by(job(TFJOB, {"Worker": 1}), JobState(state)) == ""
