# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a parameter-server job, from its root, its batch Jobs and its pods."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_disruption import failure_policy
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_state import left_over, read_ps_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState, Noted

Manifest = dict[str, Any]
START, END = "2026-11-28T10:00:00Z", "2026-11-28T10:01:00Z"
NOW = datetime(2026, 11, 28, 10, 0, 30, tzinfo=timezone.utc)


def root(workers: int = 2, end: str = "all_workers", uid: str = "u") -> Manifest:
    hosts = ",".join(f"worker-{n}-j:2222" for n in range(workers))
    data = {"ps_hosts": "ps-0-j:2222", "worker_hosts": hosts, "end": end}
    metadata = {"name": "j", "namespace": "n", "uid": uid}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def batch(role: str, index: int, condition: str = "", uid: str = "u", when: str = END, **more: Any) -> Manifest:
    """Return the Job of a task, with one condition that is true since a time."""
    labels = {PS_JOB.labels.job: "j", PS_JOB.labels.type: role, PS_JOB.labels.index: str(index)}
    metadata = {"name": f"{role}-{index}-j", "namespace": "n", "labels": labels, "ownerReferences": [{"uid": uid}]}
    status: Manifest = {"startTime": START}
    if condition == "Complete":
        status["completionTime"] = when
    if condition:
        status["conditions"] = [{"type": condition, "status": "True", "lastTransitionTime": when, **more}]
    spec = {"suspend": condition == "Suspended"}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec, "status": status}


def pod(role: str, index: int, made: int = 0, restarts: int = 0, **state: Any) -> Manifest:
    """Return a pod of a task. made: which of its tries it is."""
    labels = {PS_JOB.labels.job: "j", PS_JOB.labels.type: role, PS_JOB.labels.index: str(index)}
    name = next(iter(state))
    phase = {"running": "Running", "waiting": "Pending"}.get(name)
    if phase is None:
        phase = "Succeeded" if state[name]["exitCode"] == 0 else "Failed"
    statuses = [{"name": "main", "state": state, "restartCount": restarts}]
    metadata: Manifest = {"name": f"{role}-{index}-j-{made}", "namespace": "n", "labels": labels}
    metadata["creationTimestamp"] = f"2026-11-28T10:00:0{made}Z"
    conditions = [{"type": "PodScheduled", "status": "True"}]
    status = {"phase": phase, "containerStatuses": statuses, "conditions": conditions}
    return {"metadata": metadata, "spec": {"nodeName": "a"}, "status": status}


RUNNING = [pod("ps", 0, running={}), pod("worker", 0, running={}), pod("worker", 1, running={})]
PS = batch("ps", 0)
FAILED = {"reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"}


def look(live: Manifest | None, jobs: list[Manifest], pods: list[Manifest] | None = None, uid: str = "") -> JobState:
    return read_ps_state(PS_JOB, live, jobs, RUNNING if pods is None else pods, [], uid, NOW)


@pytest.mark.parametrize(
    ("end", "workers", "state", "message"),
    [
        pytest.param("all_workers", ["", ""], "running", "", id="runs"),
        pytest.param("all_workers", ["Complete", ""], "running", "", id="one of two"),
        pytest.param("all_workers", ["Complete", "Complete"], "succeeded", "all 2 workers ended well", id="all"),
        pytest.param("worker_0", ["Complete", ""], "succeeded", "worker 0 ended well", id="worker 0"),
        pytest.param("worker_0", ["", "Complete"], "running", "", id="the other worker"),
        pytest.param("worker_0", ["", "Failed"], "failed", "Worker-1 failed", id="a failure of another worker"),
    ],
)
def test_the_rule_of_its_end(end: str, workers: list[str], state: str, message: str) -> None:
    jobs = [PS, *(batch("worker", n, condition) for n, condition in enumerate(workers))]
    found = look(root(end=end), jobs)
    assert found.state == state
    assert message in found.message
    assert found.duration_s == (30.0 if state == "running" else 60.0)


BEFORE, AFTER = "2026-11-28T10:00:59Z", "2026-11-28T10:01:02Z"


@pytest.mark.parametrize(
    ("end", "jobs", "state", "message", "seconds"),
    [
        pytest.param(
            "worker_0",
            [PS, batch("worker", 0, "Complete"), batch("worker", 1, "Failed", when=AFTER)],
            "succeeded",
            "worker 0 ended well",
            60,
            id="a worker fails because worker 0 is gone",
        ),
        pytest.param(
            "worker_0",
            [PS, batch("worker", 0, "Complete"), batch("worker", 1, "Failed", when=END)],
            "succeeded",
            "worker 0 ended well",
            60,
            id="a worker fails in the same second",
        ),
        pytest.param(
            "worker_0",
            [PS, batch("worker", 0, "Complete"), batch("worker", 1, "Failed", when=BEFORE)],
            "failed",
            "Worker-1 failed",
            59,
            id="a worker failed before",
        ),
        pytest.param(
            "all_workers",
            [batch("ps", 0, "Failed", when=AFTER), batch("worker", 0, "Complete"), batch("worker", 1, "Complete")],
            "succeeded",
            "all 2 workers ended well",
            60,
            id="a server fails when all is over",
        ),
        pytest.param(
            "all_workers",
            [batch("ps", 0, "Failed", when=BEFORE), batch("worker", 0, "Complete"), batch("worker", 1, "Complete")],
            "failed",
            "PS-0 failed",
            59,
            id="a server failed before, and nobody looked",
        ),
        pytest.param(
            "all_workers",
            [PS, batch("worker", 0, "Failed", when=AFTER), batch("worker", 1, "Failed")],
            "failed",
            "Worker-1 failed",
            60,
            id="the first one that failed is the reason",
        ),
        pytest.param(
            "worker_0",
            [PS, batch("worker", 0, "Complete"), batch("worker", 1, "Complete", when=AFTER)],
            "succeeded",
            "worker 0 ended well",
            60,
            id="another worker ends well later",
        ),
    ],
)
def test_what_comes_first_decides(end: str, jobs: list[Manifest], state: str, message: str, seconds: int) -> None:
    found = look(root(end=end), jobs)
    assert (found.state, found.duration_s) == (state, seconds)
    assert message in found.message


def test_a_failed_worker_ends_the_job_with_its_reason() -> None:
    jobs = [PS, batch("worker", 0), batch("worker", 1, "Failed", **FAILED)]
    dead = pod("worker", 1, terminated={"exitCode": 137, "reason": "OOMKilled"})
    found = look(root(), jobs, [*RUNNING[:2], dead])
    assert (found.state, found.reason) == ("failed", "BackoffLimitExceeded")
    told = "Worker-1 failed: container main: exit code 137 (OOMKilled); Job has reached the specified backoff limit"
    assert found.message == told
    assert [ref.name for ref in left_over(found, jobs)] == ["ps-0-j", "worker-0-j"]


def test_a_failed_parameter_server_ends_the_job_too() -> None:
    found = look(root(), [batch("ps", 0, "Failed", **FAILED), batch("worker", 0), batch("worker", 1)], RUNNING[1:])
    assert (found.state, found.message.split(":")[0]) == ("failed", "PS-0 failed")


def test_ended_with_its_servers_removed_it_stays_ended() -> None:
    jobs = [batch("worker", 0, "Complete"), batch("worker", 1, "Complete")]
    found = look(root(), jobs, [])
    assert (found.state, left_over(found, jobs)) == ("succeeded", [])


def test_only_an_ended_job_has_something_left_over() -> None:
    jobs = [PS, batch("worker", 0, "Complete"), batch("worker", 1)]
    assert left_over(look(root(), jobs), jobs) == []
    jobs[2] = batch("worker", 1, "Complete")
    assert [ref.name for ref in left_over(look(root(), jobs), jobs)] == ["ps-0-j"]


def test_suspended_and_resumed() -> None:
    jobs = [batch(role, n, "Suspended") for role, n in (("ps", 0), ("worker", 0), ("worker", 1))]
    assert look(root(), jobs, []).state == "suspended"
    jobs = [batch(role, n) for role, n in (("ps", 0), ("worker", 0), ("worker", 1))]
    assert look(root(), jobs).state == "running"


def test_what_is_missing_is_named() -> None:
    found = look(root(), [PS], [])
    assert (found.state, found.reason) == ("created", "Incomplete")
    assert found.message.startswith("worker-0-j, worker-1-j is not there")


def tries(limit: int, failed: int) -> list[Manifest]:
    """Return Jobs of which worker 1 has failed some times already."""
    last = batch("worker", 1)
    last["spec"]["backoffLimit"], last["status"]["failed"] = limit, failed
    return [PS, batch("worker", 0), last]


CRASHED = {"exitCode": 3}
LOOPS = {"reason": "CrashLoopBackOff", "message": "back-off"}


@pytest.mark.parametrize(
    ("jobs", "pods", "state", "message"),
    [
        pytest.param(
            tries(6, 1),
            [pod("worker", 1, terminated=CRASHED)],
            "restarting",
            "Worker-1 is tried again, 1 of 6: container main: exit code 3",
            id="its pod failed, the next one is not there yet",
        ),
        pytest.param(tries(6, 1), [], "restarting", "Worker-1 is tried again, 1 of 6", id="its pod is gone"),
        pytest.param(
            tries(6, 1),
            [pod("worker", 1, made=0, terminated=CRASHED), pod("worker", 1, made=1, waiting={})],
            "restarting",
            "Worker-1 is tried again, 1 of 6",
            id="the next one waits",
        ),
        pytest.param(
            tries(6, 1),
            [pod("worker", 1, made=1, running={}), pod("worker", 1, made=0, terminated=CRASHED)],
            "running",
            "",
            id="the next one runs",
        ),
        pytest.param(
            tries(6, 0),
            [pod("worker", 1, restarts=2, waiting=LOOPS)],
            "restarting",
            "Worker-1 is tried again, 2 of 6: container main: CrashLoopBackOff: back-off",
            id="its container is started again",
        ),
        pytest.param(
            tries(0, 1),
            [pod("worker", 1, terminated=CRASHED)],
            "running",
            "exit code 3",
            id="it may not be tried again",
        ),
    ],
)
def test_a_task_that_is_tried_again(jobs: list[Manifest], pods: list[Manifest], state: str, message: str) -> None:
    found = look(root(), jobs, [*RUNNING[:2], *pods])
    assert found.state == state
    assert message in found.message
    assert [replica.index for replica in found.replicas if replica.type == "Worker"] == ([0, 1] if pods else [0])


def ignoring(limit: int = 0, failed: int = 0) -> list[Manifest]:
    """Return Jobs that do not count pods that are taken from their nodes."""
    jobs = tries(limit, failed)
    jobs[2]["spec"]["podFailurePolicy"] = failure_policy("Never")
    return jobs


def taken(made: int = 0, **state: Any) -> Manifest:
    """Return a pod of worker 1 that was evicted."""
    found = pod("worker", 1, made=made, **state)
    found["status"]["conditions"].append({"type": "DisruptionTarget", "status": "True", "reason": "ByTheTest"})
    if "terminated" in state:
        found["status"].update(reason="Evicted", message="low on memory")
    return found


@pytest.mark.parametrize(
    ("jobs", "pods", "state", "message"),
    [
        pytest.param(
            ignoring(),
            [taken(terminated={"exitCode": 137})],
            "restarting",
            "Worker-1 is made again, its pod was taken from its node: Evicted: low on memory",
            id="evicted",
        ),
        pytest.param(
            ignoring(),
            [taken(running={})],
            "restarting",
            "Worker-1 is made again, its pod was taken from its node: ByTheTest",
            id="it is being drained",
        ),
        pytest.param(
            ignoring(),
            [taken(terminated={"exitCode": 137}), pod("worker", 1, made=1, waiting={})],
            "restarting",
            "Worker-1 is made again, its pod was taken from its node: Evicted",
            id="the next one waits",
        ),
        pytest.param(
            ignoring(),
            [taken(terminated={"exitCode": 137}), pod("worker", 1, made=1, running={})],
            "running",
            "",
            id="the next one runs",
        ),
        pytest.param(
            ignoring(2, 1),
            [pod("worker", 1, terminated=CRASHED), taken(made=1, terminated={"exitCode": 137})],
            "restarting",
            "Worker-1 is tried again, 1 of 2: Evicted",
            id="only what it did itself counts",
        ),
        pytest.param(tries(0, 0), [taken(terminated={"exitCode": 137})], "running", "Evicted", id="its Job counts it"),
    ],
)
def test_a_task_whose_pod_was_taken_from_its_node(
    jobs: list[Manifest], pods: list[Manifest], state: str, message: str
) -> None:
    found = look(root(), jobs, [*RUNNING[:2], *pods])
    assert found.state == state
    assert message in found.message


def test_a_parameter_server_that_crashes_is_tried_again() -> None:
    server = batch("ps", 0)
    server["spec"]["backoffLimit"], server["status"]["failed"] = 2, 1
    dead = pod("ps", 0, terminated={"exitCode": 139})
    found = look(root(), [server, batch("worker", 0), batch("worker", 1)], [dead, *RUNNING[1:]])
    assert found.state == "restarting"
    assert found.message == "PS-0 is tried again, 1 of 2: container main: exit code 139 (Error)"


def test_restarts_count_pods_and_containers() -> None:
    pods = [pod("worker", 1, made=n, restarts=2 if n == 3 else 0, running={}) for n in (3, 1, 2)]
    (replica,) = [each for each in look(root(), tries(6, 2), pods).replicas if each.index == 1]
    assert (replica.pod, replica.restarts) == ("worker-1-j-3", 4)


def test_jobs_of_a_former_root_do_not_count() -> None:
    old = [batch(role, n, "Complete", uid="old") for role, n in (("ps", 0), ("worker", 0), ("worker", 1))]
    assert look(root(), old, []).state == "created"


def test_pods_that_wait_are_queued_with_their_reason() -> None:
    waiting = [pod("worker", 0, waiting={"reason": "ImagePullBackOff", "message": "no such image"})]
    found = look(root(), [PS, batch("worker", 0), batch("worker", 1)], waiting)
    assert found.state == "queued"
    assert "Worker-0: container main: ImagePullBackOff: no such image" in found.message


@pytest.mark.parametrize(
    ("live", "uid", "state"), [(None, "", "absent"), (None, "u", "vanished"), (root(uid="other"), "u", "vanished")]
)
def test_gone(live: Manifest | None, uid: str, state: str) -> None:
    assert look(live, [PS], [], uid).state == state


def test_batch_jobs_say_what_became_of_pods_that_are_gone() -> None:
    done = [batch("worker", n, "Complete") for n in range(2)]
    state = read_ps_state(PS_JOB, root(), done, [], [])
    assert (state.state, state.noted) == ("succeeded", {"PS": Noted(succeeded=1), "Worker": Noted(succeeded=2)})
    state = read_ps_state(PS_JOB, root(), [PS, batch("worker", 0, "Failed", **FAILED), batch("worker", 1)], [], [])
    assert (state.state, state.noted) == ("failed", {"PS": Noted(active=1), "Worker": Noted(failed=1, active=1)})
    assert read_ps_state(PS_JOB, root(), [PS, batch("worker", 0, "Complete"), batch("worker", 1)], [], []).noted == {}
