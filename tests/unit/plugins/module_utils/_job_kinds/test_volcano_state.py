# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a Volcano Job by the phase that Volcano writes, read through _state_reader."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.read_state import leader
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState, Noted

Manifest = dict[str, Any]
START, END = "2026-11-28T10:00:00Z", "2026-11-28T10:01:00Z"
NOW = datetime(2026, 11, 28, 10, 0, 30, tzinfo=timezone.utc)
COMPLETES = [{"event": "TaskCompleted", "action": "CompleteJob"}]


def job(phase: str = "", since: str = END, spec: Manifest | None = None, **status: Any) -> Manifest:
    """Return a job of a parameter server and two workers in a phase. spec: more of it. status: more of it."""
    tasks = [{"name": "ps", "replicas": 1}, {"name": "worker", "replicas": 2, "policies": COMPLETES}]
    state = {"phase": phase, "lastTransitionTime": since, **status.pop("state", {})} if phase else {}
    return {
        "apiVersion": VOLCANO_JOB.api_version,
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "n", "uid": "u"},
        "spec": {"tasks": tasks, **(spec or {})},
        "status": {"state": state, **status},
    }


def pod(task: str, index: int, **state: Any) -> Manifest:
    labels = VOLCANO_JOB.labels
    name = next(iter(state))
    phase = {"running": "Running", "waiting": "Pending"}.get(name)
    if phase is None:
        phase = "Succeeded" if state[name]["exitCode"] == 0 else "Failed"
    metadata = {
        "name": f"j-{task}-{index}",
        "namespace": "n",
        "labels": {labels.job: "j", labels.type: task, labels.index: str(index)},
    }
    statuses = [{"name": "main", "state": state, "restartCount": 0}]
    conditions = [{"type": "PodScheduled", "status": "True"}]
    status = {"phase": phase, "containerStatuses": statuses, "conditions": conditions}
    return {"metadata": metadata, "spec": {"nodeName": "a"}, "status": status}


RUNS = [{"status": "Pending", "lastTransitionTime": "2026-11-28T09:59:00Z"}]
RUNS += [{"status": "Running", "lastTransitionTime": START}]
RUNNING = [pod("worker", 1, running={}), pod("worker", 0, running={}), pod("ps", 0, running={})]
CRASHED = [pod("worker", 0, terminated={"exitCode": 3}), pod("ps", 0, running={})]
DONE = [pod("worker", n, terminated={"exitCode": 0}) for n in (0, 1)]


def read(live: Manifest | None, pods: list[Manifest] | None = None, uid: str = "") -> JobState:
    return VOLCANO_JOB.state(live, [], RUNNING if pods is None else pods, [], uid, NOW)


@pytest.mark.parametrize(
    ("live", "pods", "state", "reason", "message"),
    [
        (job(), [], "created", "NoPods", "no pod was made yet"),
        (job("Pending"), [], "created", "NoPods", "no pod was made yet"),
        (job("Pending", state={"message": "queue is full"}), [], "created", "NoPods", "queue is full"),
        (job("Pending"), [pod("ps", 0, waiting={})], "queued", "PodsPending", ""),
        (job("Running"), None, "running", "", ""),
        (job("Restarting", retryCount=2), [], "restarting", "Restarting", "for the second time"),
        (
            job("Restarting", state={"reason": "PodEvicted", "message": "x"}),
            [],
            "restarting",
            "Restarting",
            "Evicted: x",
        ),
        (job("Completing"), None, "running", "Completing", "then it is Completed"),
        (job("Aborting"), None, "running", "Aborting", "then it is Aborted"),
        (job("Terminating"), None, "running", "Terminating", "then it is Terminated"),
        # FC-02: each of these is an end, and none of them a good one.
        (job("Failed"), CRASHED, "failed", "Failed", "its retries allow; worker-0 failed with exit code 3"),
        (job("Failed", retryCount=3), [], "failed", "Failed", "its retries allow; restarted 3 times"),
        (job("Aborted", retryCount=1), [], "failed", "Aborted", "by a policy or by hand; restarted once"),
        (job("Terminated"), [], "failed", "Terminated", "it was terminated, by a policy or by hand"),
        (job("Failed", state={"reason": "R", "message": "M"}), [], "failed", "Failed", "R: M"),
        (job("Completed"), DONE, "succeeded", "Completed", "all 2 pods of its task worker ended well, and its policy"),
        (job("Completed", succeeded=1), RUNNING, "succeeded", "Completed", "1 of its 3 pods ended well"),
        (job("Completed", succeeded=3), [], "succeeded", "Completed", "all its 3 pods ended well"),
        (job("Completed", succeeded=2), [], "succeeded", "Completed", "2 of its 3 pods ended well"),
        (
            job("Completed", succeeded=1, spec={"minSuccess": 1}),
            [],
            "succeeded",
            "Completed",
            "1 of its pods ended well, and min_success is 1",
        ),
        (
            job("Completed", succeeded=1, spec={"tasks": [{"name": "one", "replicas": 1}]}),
            [],
            "succeeded",
            "Completed",
            "its only pod ended well",
        ),
    ],
)
def test_each_phase(live: Manifest, pods: list[Manifest] | None, state: str, reason: str, message: str) -> None:
    found = read(live, pods)
    assert (found.state, found.reason) == (state, reason)
    assert message in found.message
    assert VOLCANO_JOB.ended_by(live, found) == (found.message if state in ("succeeded", "failed") else "")


def test_gone_and_another_of_its_name() -> None:
    assert read(None, []).state == "absent"
    assert read(None, [], uid="u").state == "vanished"
    assert read(job("Completed"), [], uid="other").state == "vanished"


@pytest.mark.parametrize(
    ("live", "seconds"),
    [
        (job("Pending"), None),
        (job("Running", conditions=RUNS), 30.0),
        (job("Completed", conditions=RUNS), 60.0),
        (job("Failed"), None),
    ],
)
def test_how_long(live: Manifest, seconds: float | None) -> None:
    assert read(live).duration_s == seconds


def test_what_was_counted_of_pods_that_are_gone() -> None:
    counts = {"ps": {"phase": {"Running": 1}}, "worker": {"phase": {"Succeeded": 1, "Failed": 1}}}
    assert read(job("Failed", taskStatusCount=counts), []).noted == {"ps": Noted(active=1), "worker": Noted(1, 1)}
    # Servers ended with the job, well.
    assert read(job("Completed"), []).noted == {"ps": Noted(1), "worker": Noted(2)}
    assert read(job("Completed", taskStatusCount=counts), []).noted == {"ps": Noted(1), "worker": Noted(1, 1)}
    assert read(job("Failed"), []).noted == {}


def test_tasks_stand_together_and_a_worker_speaks() -> None:
    found = read(job("Running"))
    assert [replica.label for replica in found.replicas] == ["ps-0", "worker-0", "worker-1"]
    speaker = leader(VOLCANO_JOB, found)
    assert speaker is not None
    assert speaker.label == "worker-0"
