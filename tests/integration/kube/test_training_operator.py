# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tfjob with the real training operator: its webhook, its pods, its ends. The tests play scheduler and kubelet."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import container_status, later, namespace_object

NAMESPACE = "jobs"
RUNNING = {"running": {"startedAt": "2026-11-28T00:00:00Z"}}


class Kubelet:
    """Sets what pods do."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api

    def says(self, pod: str, **state: Any) -> None:
        """Let a pod's main container be in a state, as soon as there is such a pod."""
        path, end = f"/api/v1/namespaces/{NAMESPACE}/pods", time.monotonic() + 30
        while pod not in [item["metadata"]["name"] for item in self._api.client.call("GET", path)["items"]]:
            assert time.monotonic() < end, f"the operator made no pod {pod}"
            time.sleep(0.1)
        self._api.patch_status(f"{path}/{pod}", container_status(**state))


@pytest.fixture
def kubelet(training_operator: None, cluster: ApiServer, run: Run) -> Kubelet:
    """Return the player of the kubelet."""
    run("objects", objects=[namespace_object(NAMESPACE)], kubeconfig=str(cluster.kubeconfig))
    return Kubelet(cluster)


def options(cluster: ApiServer, name: str) -> dict[str, Any]:
    """Return the options of a small job."""
    replicas = {"Chief": {}, "PS": {}, "Worker": {"replicas": 2}}
    return {
        "kubeconfig": str(cluster.kubeconfig),
        "name": name,
        "namespace": NAMESPACE,
        "image": "tensorflow:1",
        "replicas": replicas,
        # Keeps the real scheduler away, which another test may have started.
        "template": {"spec": {"schedulerName": "nobody"}},
        "timeout": 60,
    }


def test_a_job_runs_to_success(cluster: ApiServer, run: Run, kubelet: Kubelet) -> None:
    def play() -> None:
        for pod in ("good-ps-0", "good-worker-0", "good-worker-1", "good-chief-0"):
            kubelet.says(pod, **RUNNING)
        time.sleep(1.5)
        kubelet.says("good-chief-0", terminated={"exitCode": 0})

    job = options(cluster, "good")
    with later(0.5, play):
        result = run("tfjob", **job, wait=True)
    assert (result.get("failed"), result["end"], result["reason"]) == (None, "succeeded", "TFJobSucceeded")
    states = {replica["pod"]: replica["state"] for replica in result["replicas"]}
    assert states["good-chief-0"] == "succeeded"
    assert set(states) == {"good-chief-0", "good-ps-0", "good-worker-0", "good-worker-1"}

    mark = cluster.audit_mark()
    again = run("tfjob", **job, wait=True)
    assert (again["changed"], again["end"], cluster.writes(mark)) == (False, "succeeded", [])

    gone = run("tfjob", **job, state="absent")
    assert (gone["changed"], gone["state"]) == (True, "absent")
    assert cluster.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/pods")["items"] == []


def test_a_failed_worker_is_reported_within_seconds(cluster: ApiServer, run: Run, kubelet: Kubelet) -> None:
    def play() -> None:
        kubelet.says("bad-chief-0", **RUNNING)
        kubelet.says("bad-worker-1", terminated={"exitCode": 1, "reason": "Error"})

    started = time.monotonic()
    with later(0.5, play):
        result = run("tfjob", **{**options(cluster, "bad"), "timeout": 600}, wait=True)
    assert time.monotonic() - started < 15
    assert (result["failed"], result["end"], result["reason"]) == (True, "failed", "TFJobFailed")
    assert "Worker-1, pod bad-worker-1: failed (container tensorflow: exit code 1 (Error))" in result["msg"]
    assert "1 Worker replica(s) failed" in result["message"]


def test_restarting_is_no_end(cluster: ApiServer, run: Run, kubelet: Kubelet) -> None:
    def play() -> None:
        kubelet.says("again-chief-0", **RUNNING)
        # A lost node's exit code: the operator deletes the pod and makes it anew.
        kubelet.says("again-worker-0", terminated={"exitCode": 137, "reason": "Error"})
        time.sleep(2)
        kubelet.says("again-worker-0", **RUNNING)
        kubelet.says("again-chief-0", terminated={"exitCode": 0})

    job = options(cluster, "again")
    job["replicas"]["Worker"]["restart_policy"] = "ExitCode"
    with later(0.5, play):
        result = run("tfjob", **job, wait=True)
    assert (result.get("failed"), result["end"]) == (None, "succeeded")


def test_the_deadline_of_a_job(cluster: ApiServer, run: Run, kubelet: Kubelet) -> None:
    # The operator looks at the clock only when something happens to one of the pods.
    with later(4.0, lambda: kubelet.says("late-chief-0", **RUNNING)):
        result = run("tfjob", **options(cluster, "late"), wait=True, active_deadline_seconds=2)
    assert (result["failed"], result["end"]) == (True, "failed")
    assert "active longer than specified deadline" in result["msg"]


def test_a_job_with_a_short_life_vanishes_or_succeeds(cluster: ApiServer, run: Run, kubelet: Kubelet) -> None:
    def play() -> None:
        kubelet.says("brief-chief-0", **RUNNING)
        kubelet.says("brief-chief-0", terminated={"exitCode": 0})

    with later(0.5, play):
        result = run("tfjob", **options(cluster, "brief"), wait=True, ttl_seconds_after_finished=0)
    assert result["end"] in ("succeeded", "vanished")


def test_the_webhook_denies_what_objects_sends(cluster: ApiServer, run: Run, kubelet: Kubelet) -> None:
    template = {"spec": {"containers": [{"name": "tensorflow", "image": "tensorflow:1"}]}}
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "two-leaders", "namespace": NAMESPACE},
        "spec": {"tfReplicaSpecs": {"Chief": {"template": template}, "Master": {"template": template}}},
    }
    started = time.monotonic()
    result = run("objects", objects=[job], kubeconfig=str(cluster.kubeconfig))
    assert "must not have more than 1 Chief or Master role" in result["msg"]
    assert time.monotonic() - started < 10
