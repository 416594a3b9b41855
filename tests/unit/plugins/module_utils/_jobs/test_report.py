# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from dataclasses import replace

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.read_state import read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.report import (
    details,
    headline,
    progress_line,
    why_no_log,
)
from tests.support.tfjob_objects import FAILS, NOW, RUNS, job, pod


def test_a_running_pod_that_is_being_deleted_is_told() -> None:
    leaving = pod("worker", 0, **RUNS)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-28T00:00:30Z"
    disrupted = pod("worker", 2, **RUNS)
    disrupted["metadata"]["deletionTimestamp"] = "2026-11-28T00:00:30Z"
    cause = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager", "message": "no node"}
    disrupted["status"]["conditions"] = [cause]
    state = read_state(TFJOB, job("Failed"), [leaving, pod("worker", 1, **RUNS), disrupted], [])
    assert details(state.replicas, {}) == [
        "  Worker-0, pod j-worker-0 on n1: running (it is being deleted)",
        "  Worker-1, pod j-worker-1 on n1: running",
        "  Worker-2, pod j-worker-2 on n1: running (it is being deleted (DeletionByTaintManager: no node))",
    ]


def test_reports() -> None:
    pods = [pod("worker", 0, **RUNS), pod("worker", 1, "Failed", **FAILS), pod("chief", 0, **RUNS)]
    running = read_state(TFJOB, job("Running"), pods, [])
    assert progress_line(running, "loss 0.3") == (
        "running: Chief 1/1, Worker 1/2 (Worker-1: container tensorflow: exit code 1 (Error)) | loss 0.3"
    )
    failed = read_state(TFJOB, job("Failed", startTime="2026-11-28T00:00:00Z"), pods, [], now=NOW)
    ref = TFJOB.ref("j", "n")
    assert headline(ref, "failed", failed, 70) == "TFJob n/j failed after 60 s: TFJobFailed: is Failed"
    assert headline(ref, "timed_out", running, 70).startswith(
        "TFJob n/j did not end within 70 s, it is running: Worker-1"
    )
    assert details(failed.replicas, {"j-worker-1": "a\nb\n"})[:3] == [
        "  Worker-1, pod j-worker-1 on n1: failed (container tensorflow: exit code 1 (Error))",
        "    | a",
        "    | b",
    ]


def test_what_was_removed_comes_before_what_ran_beside_it() -> None:
    pods = [pod("worker", 0, **RUNS), pod("worker", 1, **RUNS)]
    first, second = read_state(TFJOB, job("Failed"), pods, [], now=NOW).replicas
    lines = details([first, replace(second, state="removed")], {})
    assert lines == ["  Worker-1, pod j-worker-1 on n1: removed", "  Worker-0, pod j-worker-0 on n1: running"]


def test_why_there_is_no_log() -> None:
    state = read_state(TFJOB, job("Succeeded"), [], [])
    cleaned = {**job(), "spec": {"runPolicy": {"cleanPodPolicy": "All"}}}
    assert why_no_log(cleaned, state).endswith("removed by clean_pod_policy All")
    limit = job("Failed")
    limit["status"]["conditions"][0]["message"] = "has reached the specified backoff limit"
    assert "at the backoff limit" in why_no_log(limit, read_state(TFJOB, limit, [], []))
    assert "gone with the job" in why_no_log(None, state)
