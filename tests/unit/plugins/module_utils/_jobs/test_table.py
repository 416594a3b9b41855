# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState, Noted, Replica
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import Why
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.table import (
    details_text,
    job_row,
    ready,
    table,
)
from tests.support.why_objects import NOW, job

REF = TFJOB.ref("bert", "team-a")
CHIEF = Replica("Chief", 0, "bert-chief-0", "gpu-1", "running")


def row(state: JobState, why: Why, **types: int) -> dict[str, Any]:
    return job_row(TFJOB, REF, state, job(**types), why, NOW)


def test_replicas_without_a_pod_count_as_not_ready() -> None:
    state = JobState("running", replicas=[CHIEF, Replica("Worker", 0, "bert-worker-0", "", "pending")])
    assert ready(TFJOB, state, job(Chief=1, Worker=4)) == {
        "Chief": {"ready": 1, "total": 1},
        "Worker": {"ready": 0, "total": 4},
    }


def test_a_replica_that_was_tried_again_is_one() -> None:
    tries = [Replica("Worker", 0, f"bert-worker-0-{n}", "n", state) for n, state in enumerate(("failed", "running"))]
    assert ready(TFJOB, JobState("running", replicas=tries), job(Worker=1)) == {"Worker": {"ready": 1, "total": 1}}


def test_the_table() -> None:
    waits = row(JobState("queued"), Why("No node has room for Worker-0"), Worker=2)
    ended = Replica("Chief", 0, "bert-chief-0", "gpu-1", "succeeded")
    done = row(JobState("succeeded", replicas=[ended], duration_s=600, rule="its Chief ended well"), Why(), Chief=1)
    assert table([waits, done]).splitlines() == [
        "NAMESPACE  KIND   NAME  STATE      READY       AGE  DURATION  WHY",
        "team-a     tfjob  bert  queued     Worker 0/2  60m  -         No node has room for Worker-0",
        "team-a     tfjob  bert  succeeded  Chief 1/1   60m  10m       its Chief ended well",
    ]
    assert table([]) == "no jobs"


def test_a_long_sentence_is_cut_in_the_table_alone() -> None:
    long = row(JobState("queued"), Why("x" * 300), Worker=1)
    assert table([long]).endswith("x" * 117 + "...")
    assert long["why"]["sentence"] == "x" * 300


def test_the_details_of_one_job() -> None:
    state = JobState("failed", replicas=[CHIEF], rule="Chief-0 ended with exit code 1")
    text = details_text([row(state, Why("it failed", ["what to do: mend it"]), Chief=1)], {REF: state})
    assert text.splitlines() == [
        "TFJob team-a/bert is failed: Chief-0 ended with exit code 1",
        "  it failed",
        "    what to do: mend it",
        "  Chief-0, pod bert-chief-0 on gpu-1: running",
    ]


def test_the_pods_of_an_ended_job_may_be_gone() -> None:
    well = JobState("succeeded", noted={"Worker": Noted(succeeded=3)})
    badly = JobState("failed", noted={"Worker": Noted(failed=1, active=2)})
    rows = [row(state, Why(), Worker=3) for state in (well, badly)]
    assert [line[35:70].strip() for line in table(rows).splitlines()[1:]] == [
        "Worker 3/3",
        "Worker 0/3 (1 failed, 3 pods gone)",
    ]
    assert [details_text([each], {REF: state}).splitlines()[1:] for each, state in zip(rows, (well, badly))] == [
        ["  Worker: 3 of 3 ended well or with the job, 3 pods gone"],
        ["  Worker: 0 of 3 ended well or with the job, 1 failed, 3 pods gone"],
    ]


def test_a_row_says_when_the_job_was_made() -> None:
    made = row(JobState("created"), Why())
    assert (made["created"], made["age_s"]) == ("2026-11-28T11:00:00Z", 3600)


def test_a_job_without_an_operator_is_not_called_a_configmap() -> None:
    ref, state = PS_JOB.ref("bert", "team-a"), JobState("running")
    assert details_text([row(state, Why())], {ref: state}) == "parameter-server job team-a/bert is running"
