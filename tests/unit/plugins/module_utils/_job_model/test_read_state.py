# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.read_state import leader, read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import Noted
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.report import headline
from tests.support.tfjob_objects import ENDS, FAILS, NOW, RUNS, job, pod


@pytest.mark.parametrize(
    ("live", "pods", "state"),
    [
        (job(), [], "created"),
        (job("Created"), [], "created"),
        (job("Created"), [pod("chief", 0, "Pending")], "queued"),
        (job("Created"), [pod("chief", 0, "Pending"), pod("worker", 0, **RUNS)], "running"),
        (job("Created", "Running"), [pod("chief", 0, **RUNS)], "running"),
        (job("Created", "Running"), [pod("chief", 0, "Succeeded", **ENDS)], "running"),
        (job("Created"), [pod("chief", 0, "Pending"), pod("worker", 0, "Succeeded", **ENDS)], "queued"),
        (job("Created", "Running", "Restarting"), [pod("chief", 0, **RUNS)], "restarting"),
        (job("Created", "Running", "Succeeded"), [pod("ps", 0, **RUNS)], "succeeded"),
        (job("Created", "Running", "Failed"), [pod("chief", 0, **RUNS)], "failed"),
        (job("Created", "Succeeded", "Failed"), [], "failed"),
        (job("Created", "Failed", "Succeeded"), [], "succeeded"),
        (job("Created", "Suspended"), [], "suspended"),
        (job("Suspended", "Failed"), [], "failed"),
        ({"metadata": {"uid": "1"}}, [], "created"),
    ],
)
def test_states(live: dict[str, Any], pods: list[dict[str, Any]], state: str) -> None:
    assert read_state(TFJOB, live, pods, [], "1", NOW).state == state


def test_an_ended_job_keeps_what_was_noted_of_its_pods() -> None:
    numbers = {"Worker": {"failed": 1, "active": 2}, "Chief": {"succeeded": 1, "selector": "x"}, "PS": {}}
    state = read_state(TFJOB, job("Failed", replicaStatuses=numbers), [], [], "1")
    assert state.noted == {"Chief": Noted(succeeded=1), "PS": Noted(), "Worker": Noted(failed=1, active=2)}
    assert list(state.noted) == ["Chief", "PS", "Worker"]
    # While it goes on its pods say how they are.
    assert read_state(TFJOB, job("Running", replicaStatuses=numbers), [], [], "1").noted == {}


def test_a_condition_that_is_no_longer_true_is_no_state() -> None:
    live = job("Suspended")
    live["status"]["conditions"][0]["status"] = "False"
    assert read_state(TFJOB, live, [], [], "1").state == "created"
    for real, old in (("Succeeded", "Failed"), ("Failed", "Succeeded")):
        live = job(real, old)
        live["status"]["conditions"][1]["status"] = "False"
        assert read_state(TFJOB, live, [], [], "1").state == real.lower()


@pytest.mark.parametrize(
    ("conditions", "state"),
    [
        # Resumed after a pause: the operator keeps the old condition, as false.
        ([("Created", True), ("Suspended", False), ("Running", True)], "queued"),
        # Restarted and on its way again.
        ([("Created", True), ("Restarting", True), ("Running", False)], "restarting"),
        ([("Created", True), ("Restarting", False), ("Running", True)], "queued"),
        # Success after a failed try turns the failure false; a failure after success is appended.
        ([("Created", True), ("Running", False), ("Failed", False), ("Succeeded", True)], "succeeded"),
        ([("Created", True), ("Running", False), ("Succeeded", True), ("Failed", True)], "failed"),
        ([("Created", True), ("Restarting", True), ("Failed", True)], "failed"),
        ([("Suspended", True), ("Succeeded", True)], "succeeded"),
    ],
)
def test_of_several_conditions_the_one_that_holds_counts(conditions: list[tuple[str, bool]], state: str) -> None:
    live = job()
    live["status"]["conditions"] = [{"type": name, "status": str(holds)} for name, holds in conditions]
    assert read_state(TFJOB, live, [pod("worker", 0, "Pending")], [], "1").state == state


def test_an_evicted_pod_and_one_whose_node_was_lost() -> None:
    evicted = pod("worker", 0, "Failed", terminated={"exitCode": 137})
    evicted["status"].update(reason="Evicted", message="The node was low on resource: memory.")
    lost = pod("worker", 1, "Failed")
    lost["status"].update(reason="NodeLost", message="Node n1 which was running pod is unresponsive")
    first, second = read_state(TFJOB, job("Failed"), [evicted, lost], []).replicas
    assert (first.state, first.reason) == ("failed", "Evicted: The node was low on resource: memory.")
    assert (second.state, second.reason) == ("failed", "NodeLost: Node n1 which was running pod is unresponsive")


def test_removed_by_its_time_to_live_and_made_anew() -> None:
    """Field case FC-21: a job that ran and is gone has vanished; a new one of its name is another one."""
    assert read_state(TFJOB, None, [], [], "1").state == "vanished"
    anew = {**job("Running"), "metadata": {"uid": "2", "name": "j"}}
    state = read_state(TFJOB, anew, [pod("worker", 0, **RUNS)], [], "1")
    assert (state.state, state.message) == ("vanished", "another job took its name before its end was seen")


def test_gone_is_not_succeeded() -> None:
    assert read_state(TFJOB, None, [], []).state == "absent"
    assert read_state(TFJOB, None, [], [], "1").state == "vanished"
    other = job("Succeeded")
    other["metadata"]["uid"] = "2"
    state = read_state(TFJOB, other, [], [], "1")
    assert (state.state, state.ended) == ("vanished", True)
    assert "another job took its name" in state.message


def test_the_reason_is_the_jobs_own() -> None:
    state = read_state(TFJOB, job("Failed"), [], [])
    assert (state.reason, state.message) == ("TFJobFailed", "is Failed")


def test_why_there_are_no_pods() -> None:
    events = [
        {"type": "Normal", "reason": "x"},
        {"type": "Warning", "reason": "FailedCreatePod", "message": "exceeded quota"},
    ]
    assert read_state(TFJOB, job(), [], events).message == "FailedCreatePod: exceeded quota"
    state = read_state(TFJOB, job(), [], [])
    assert state.message == "no pod was made yet"
    assert headline(TFJOB.ref("j", "n"), "timed_out", state, 9).endswith("does the training operator run?")


def test_pods_that_wait_for_the_same_are_named_once() -> None:
    waiting = {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}
    pods = [pod("worker", index, "Pending", **waiting) for index in (1, 0)] + [pod("chief", 0, "Pending")]
    state = read_state(TFJOB, job("Created"), pods, [])
    assert [replica.label for replica in state.replicas] == ["Chief-0", "Worker-0", "Worker-1"]
    assert state.message == "Worker-0, Worker-1: container tensorflow: ErrImagePull: no such image"


def test_only_the_container_that_trains_counts() -> None:
    sidecar = {"name": "log-shipper", "state": FAILS}
    running, ended = read_state(
        TFJOB, job(), [pod("worker", 0, "Running", sidecar, **RUNS), pod("worker", 1, "Running", sidecar, **ENDS)], []
    ).replicas
    assert (running.state, running.exit_code) == ("running", None)
    assert (ended.state, ended.exit_code, ended.restarts) == ("succeeded", 0, 1)


def test_duration() -> None:
    start = {"startTime": "2026-11-28T00:00:00Z"}
    assert read_state(TFJOB, job(), [], [], now=NOW).duration_s is None
    assert read_state(TFJOB, job(**start), [], [], now=NOW).duration_s == 60
    assert read_state(TFJOB, job(**start, completionTime="2026-11-28T00:00:30Z"), [], [], now=NOW).duration_s == 30


def test_the_leader() -> None:
    def speaker(*kinds: str) -> str:
        found = leader(TFJOB, read_state(TFJOB, job(), [pod(kind, 0, **RUNS) for kind in kinds], []))
        return found.label if found else ""

    assert [speaker("worker", "chief"), speaker("ps", "worker"), speaker("ps"), speaker()] == [
        "Chief-0",
        "Worker-0",
        "PS-0",
        "",
    ]
