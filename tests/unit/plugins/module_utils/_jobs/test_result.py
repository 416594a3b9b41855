# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState, Replica
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import Why
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.result import (
    ending_result,
    failure,
    state_result,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.wait import Ending

WORKER = Replica("Worker", 0, "j-worker-0", "n1", "failed", "exit code 1 (Error)", 1)
FAILED = JobState("failed", "TFJobFailed", "it failed", [WORKER], 3.0, "Worker-0 ended with exit code 1")


def test_a_state() -> None:
    assert state_result(JobState("created", "NoPods"), {}) == {
        "state": "created",
        "reason": "NoPods",
        "message": "",
        "replicas": [],
    }
    result = state_result(FAILED, {"j-worker-0": "Traceback"})
    assert (result["duration_s"], result["ended_by"]) == (3.0, "Worker-0 ended with exit code 1")
    assert (result["replicas"][0]["exit_code"], result["replicas"][0]["log"]) == (1, "Traceback")


def test_a_log_that_cannot_be_read_is_never_an_empty_success() -> None:
    ending = Ending("succeeded", JobState("succeeded"), 1.0, log="", no_log="not available: the pods are gone")
    assert ending_result(ending, True)["logs_unavailable"] == "not available: the pods are gone"
    assert "logs" not in ending_result(ending, False)


def test_each_job_that_did_not_end_well_is_told_with_its_replicas() -> None:
    jobs = {name: TFJOB.ref(name, "n") for name in ("a", "b", "c")}
    good, bad = Ending("succeeded", JobState("succeeded"), 1.0), Ending("failed", FAILED, 1.0, {"j-worker-0": "oops"})
    assert failure({jobs["a"]: good, jobs["b"]: good}) == ""
    assert failure({jobs["a"]: good, jobs["b"]: bad, jobs["c"]: bad}).splitlines() == [
        "2 of 3 jobs did not end well:",
        "TFJob n/b failed after 3 s: TFJobFailed: it failed",
        "  Worker-0, pod j-worker-0 on n1: failed (exit code 1 (Error))",
        "    | oops",
        "TFJob n/c failed after 3 s: TFJobFailed: it failed",
        "  Worker-0, pod j-worker-0 on n1: failed (exit code 1 (Error))",
        "    | oops",
    ]
    assert failure({jobs["b"]: bad}).startswith("TFJob n/b failed")


def test_why_it_did_not_end_well_stands_below_the_headline_and_in_the_result() -> None:
    why = Why("the program failed", ["| last words", "what to do: mend it"])
    ending = Ending("failed", FAILED, 1.0, {"j-worker-0": "last words"}, why=why)
    assert ending_result(ending, False)["why"] == {"sentence": "the program failed", "facts": why.facts}
    assert failure({TFJOB.ref("b", "n"): ending}).splitlines()[1:] == [
        "  why: the program failed",
        "    what to do: mend it",
        "  Worker-0, pod j-worker-0 on n1: failed (exit code 1 (Error))",
        "    | last words",
    ]
