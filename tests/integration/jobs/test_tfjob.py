# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tfjob against a real API server with the operator's CRDs; the tests play the operator."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import container_status, job_condition, later, pod_of

JOBS = "/apis/kubeflow.org/v1/namespaces/{}/tfjobs"
IMAGE = {"image": "tensorflow:1", "replicas": {"Chief": {}, "Worker": {"replicas": 2}}}


class Operator:
    """Does to one job what the operator would."""

    def __init__(self, api: ApiServer, namespace: str, name: str = "digits") -> None:
        self.api = api
        self.namespace = namespace
        self.name = name
        self.path = f"{JOBS.format(namespace)}/{name}"

    def pods(self, kind: str, index: int, **state: Any) -> None:
        """Make a pod of the job, its main container in this state."""
        uid = self.api.client.call("GET", self.path)["metadata"]["uid"]
        pod = pod_of(self.name, self.namespace, kind, index, uid)
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        self.api.create(pod, path)
        self.api.patch_status(f"{path}/{pod['metadata']['name']}", container_status(**state))

    def job(self, kind: str, reason: str = "", message: str = "") -> None:
        """Set the job's condition."""
        self.api.patch_status(self.path, job_condition(kind, reason, message))

    def delete(self) -> None:
        """Delete the job."""
        self.api.client.call("DELETE", self.path)


@pytest.fixture
def operator(api: ApiServer, kubeflow: None, namespace: str) -> Operator:
    """Return the player of the operator for job `digits` in the test's namespace."""
    return Operator(api, namespace)


def test_create_repeat_change_and_absent(api: ApiServer, run: Run, operator: Operator) -> None:
    options = {"name": "digits", "namespace": operator.namespace, **IMAGE}
    mark = api.audit_mark()
    predicted = run("tfjob", check=True, **options)
    assert (predicted["changed"], predicted["state"], api.writes(mark)) == (True, "absent", [])
    first = run("tfjob", **options)
    assert (first["changed"], first["state"], first["reason"]) == (True, "created", "NoPods")
    assert first["message"] == "no pod was made yet"

    mark = api.audit_mark()
    again = run("tfjob", **options)
    assert (again["changed"], again["diff"], api.writes(mark)) == (False, [], [])
    changed = run("tfjob", **options, ttl_seconds_after_finished=60, labels={"team": 1})
    assert changed["changed"]
    live = api.client.call("GET", operator.path)
    assert live["spec"]["runPolicy"]["ttlSecondsAfterFinished"] == 60
    assert live["metadata"]["labels"] == {"team": "1"}

    assert run("tfjob", state="absent", **options)["changed"]
    gone = run("tfjob", state="absent", **options)
    assert (gone["changed"], gone["state"]) == (False, "absent")


def test_one_and_text_one_are_equal(api: ApiServer, run: Run, operator: Operator) -> None:
    def options(amount: Any) -> dict[str, Any]:
        resources = {"limits": {"nvidia.com/gpu": amount, "cpu": "1000m"}}
        return {"name": "digits", "namespace": operator.namespace, **IMAGE, "resources": resources}

    assert run("tfjob", **options(1))["changed"]
    assert not run("tfjob", **options("1"))["changed"]
    worker = api.client.call("GET", operator.path)["spec"]["tfReplicaSpecs"]["Worker"]
    assert worker["template"]["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "1", "cpu": "1000m"}


def test_a_change_that_a_live_job_does_not_take(api: ApiServer, run: Run, operator: Operator) -> None:
    options = {"name": "digits", "namespace": operator.namespace, **IMAGE}
    run("tfjob", **options)
    uid = api.client.call("GET", operator.path)["metadata"]["uid"]
    options |= {"image": "tensorflow:2", "replicas": {"Chief": {}, "Worker": {"replicas": 3}}}
    mark = api.audit_mark()
    for check in (True, False):
        refused = run("tfjob", check=check, **options)
        assert refused["failed"]
        for part in (
            "3 problems, nothing was changed",
            "spec.tfReplicaSpecs.Worker.replicas = 2 on the live job, 3 wanted",
            'Chief.template.spec.containers[0].image = "tensorflow:1" on the live job, "tensorflow:2" wanted',
            "Set recreate",
        ):
            assert part in refused["msg"]
    assert api.writes(mark) == []
    assert run("tfjob", recreate=True, check=True, **options)["changed"]
    assert run("tfjob", recreate=True, **options)["changed"]
    assert api.client.call("GET", operator.path)["metadata"]["uid"] != uid
    assert not run("tfjob", recreate=True, **options)["changed"]


def test_wait_to_success(run: Run, operator: Operator, tmp_path: Any) -> None:
    def play() -> None:
        operator.pods("Chief", 0, running={"startedAt": "2026-11-28T00:00:00Z"})
        operator.job("Running")
        time.sleep(1.5)
        operator.job("Succeeded", message="successfully completed")

    progress = tmp_path / "progress"
    options = {"name": "digits", "namespace": operator.namespace, **IMAGE, "wait": True, "timeout": 60, "logs": True}
    with later(1.0, play):
        result = run("tfjob", **options, progress_file=str(progress))
    assert (result.get("failed"), result["changed"], result["end"], result["state"]) == (
        None,
        True,
        "succeeded",
        "succeeded",
    )
    assert result["duration_s"] == 42.0
    assert [(r["type"], r["index"], r["pod"], r["node"]) for r in result["replicas"]] == [
        ("Chief", 0, "digits-chief-0", "node-0"),
    ]
    # There is no kubelet that could serve a log: that must be said, never hidden behind an empty text.
    assert "not available" in result["logs_unavailable"]
    said = [json.loads(line)["text"] for line in progress.read_text(encoding="utf-8").splitlines()]
    assert any(line.startswith("running: Chief 1/1") for line in said)
    assert said[-1].startswith("succeeded")

    finished = run("tfjob", **options)
    assert (finished["changed"], finished["end"]) == (False, "succeeded")


def test_wait_to_failure(run: Run, operator: Operator) -> None:
    def play() -> None:
        operator.pods("Chief", 0, running={"startedAt": "2026-11-28T00:00:00Z"})
        operator.pods("Worker", 1, terminated={"exitCode": 137, "reason": "OOMKilled"})
        operator.job("Failed", message="TFJob digits has failed because 1 Worker replica(s) failed.")

    options = {"name": "digits", "namespace": operator.namespace, **IMAGE, "wait": True, "timeout": 600}
    started = time.monotonic()
    with later(1.0, play):
        result = run("tfjob", **options)
    assert time.monotonic() - started < 15
    assert (result["failed"], result["changed"], result["end"]) == (True, True, "failed")
    for part in (
        f"TFJob {operator.namespace}/digits failed after 42 s: TFJobFailed: TFJob digits has failed because 1 Worker",
        "Worker-1, pod digits-worker-1 on node-1: failed (container tensorflow: exit code 137 (OOMKilled))",
        "Chief-0, pod digits-chief-0 on node-0: running",
    ):
        assert part in result["msg"]
    assert [r["exit_code"] for r in result["replicas"]] == [None, 137]
    again = run("tfjob", **options)
    assert (again["failed"], again["changed"], again["end"]) == (True, False, "failed")


def test_wait_for_a_job_that_vanishes(run: Run, operator: Operator) -> None:
    options = {"name": "digits", "namespace": operator.namespace, **IMAGE, "wait": True, "timeout": 600}
    with later(1.5, operator.delete):
        result = run("tfjob", **options)
    assert (result["failed"], result["end"], result["state"]) == (True, "vanished", "vanished")


def test_wait_that_is_too_long(run: Run, operator: Operator) -> None:
    def play() -> None:
        operator.pods("Worker", 0, waiting={"reason": "ImagePullBackOff", "message": "no such image"})

    with later(0.5, play):
        result = run("tfjob", name="digits", namespace=operator.namespace, **IMAGE, wait=True, timeout=3)
    assert (result["failed"], result["end"], result["state"]) == (True, "timed_out", "queued")
    assert "did not end within 3 s, it is queued" in result["msg"]
    assert "Worker-0: container tensorflow: ImagePullBackOff: no such image" in result["msg"]


def test_a_failed_job_is_replaced_on_request(api: ApiServer, run: Run, operator: Operator) -> None:
    options = {"name": "digits", "namespace": operator.namespace, **IMAGE}
    run("tfjob", **options)
    operator.job("Failed")
    assert (run("tfjob", **options)["changed"], run("tfjob", **options)["state"]) == (False, "failed")
    replaced = run("tfjob", recreate=True, **options)
    assert (replaced["changed"], replaced["state"]) == (True, "created")


def test_suspended_on_request(run: Run, operator: Operator) -> None:
    with later(1.0, lambda: operator.job("Suspended")):
        result = run("tfjob", name="digits", namespace=operator.namespace, **IMAGE, suspend=True, wait=True, timeout=60)
    assert (result.get("failed"), result["end"]) == (None, "suspended")


def test_check_mode_without_crd_or_namespace(run: Run, cluster: ApiServer, operator: Operator) -> None:
    options = {"name": "digits", "namespace": "not-there", **IMAGE, "wait": True}
    for where in ({}, {"kubeconfig": str(cluster.kubeconfig)}, {"kubeconfig": "/not/there"}):
        assert run("tfjob", check=True, **options, **where)["changed"], where


def test_absent_without_crd_or_namespace(run: Run, cluster: ApiServer, operator: Operator) -> None:
    for where in ({}, {"kubeconfig": str(cluster.kubeconfig)}):
        for check in (True, False):
            result = run("tfjob", check=check, name="digits", namespace="not-there", state="absent", **where)
            assert (result.get("failed"), result["changed"], result["state"]) == (None, False, "absent"), where


def test_all_problems_before_any_request(api: ApiServer, run: Run) -> None:
    mark = api.audit_mark()
    result = run(
        "tfjob",
        name="Digits",
        replicas={"Chief": {"replicas": 2}, "Worker": {"resources": {"limits": {"nvidia.com/gpu": 0.5}}}},
        template={"spec": {"restartPolicy": "ExitCode"}},
    )
    assert result["failed"]
    for part in ("name = Digits", "Chief.replicas = 2", "restartPolicy = ExitCode"):
        assert part in result["msg"]
    assert api.audit_mark() == mark


def test_a_namespace_is_not_made(run: Run, operator: Operator) -> None:
    result = run("tfjob", name="digits", namespace="not-there", **IMAGE)
    assert 'namespaces "not-there" not found' in result["msg"]
