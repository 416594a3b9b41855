# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""objects: one wait for all, and only as long as waiting helps."""

from __future__ import annotations

import time
import uuid
from typing import Any, Callable, Iterator

import pytest

from tests.integration.conftest import Run, apply_crds, run_module
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import config_map, crd, deployment, later, open_crd, results, widget
from tests.integration.support.webhook import Webhook


def rolled_out(replicas: int = 1) -> dict[str, Any]:
    numbers = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), replicas)
    return {"observedGeneration": 1, **numbers}


def test_a_deployment_is_waited_for(api: ApiServer, run: Run, namespace: str, tmp_path: Any) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/web"
    progress = tmp_path / "progress"
    with later(1.5, lambda: api.patch_status(path, rolled_out())):
        started = time.monotonic()
        result = run("objects", objects=[deployment("web", namespace)], timeout=60, progress_file=str(progress))
    assert results(result) == ["created"]
    assert time.monotonic() - started > 1
    assert "0 of 1 ready, waiting for Deployment" in progress.read_text(encoding="utf-8")
    assert results(run("objects", state="ready", objects=[deployment("web", namespace)])) == ["ready"]


def test_timeout_says_why_pods_do_not_run(api: ApiServer, run: Run, namespace: str) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "slow-1", "labels": {"app": "slow"}},
        "spec": {"containers": [{"name": "main", "image": "main:1"}]},
    }
    api.create(pod, f"/api/v1/namespaces/{namespace}/pods")
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
    container = {"name": "main", "state": waiting, "ready": False, "restartCount": 0, "image": "main:1", "imageID": ""}
    scheduled = {"type": "PodScheduled", "status": "True"}
    status = {"phase": "Pending", "conditions": [scheduled], "containerStatuses": [container]}
    api.patch_status(f"/api/v1/namespaces/{namespace}/pods/slow-1", status)
    result = run("objects", objects=[deployment("slow", namespace), config_map("fine", namespace)], timeout=1)
    assert [entry["name"] for entry in result["failed_objects"]] == ["slow"]
    assert "pod slow-1: container main: ImagePullBackOff: no such image" in result["msg"]


def test_ready_reads_only_and_names_what_is_missing(api: ApiServer, run: Run, namespace: str) -> None:
    mark = api.audit_mark()
    result = run("objects", state="ready", objects=[config_map("never", namespace)], timeout=1)
    assert "does not exist" in result["msg"]
    assert api.writes(mark) == []


def test_a_failed_job_ends_the_wait_at_once(api: ApiServer, run: Run, namespace: str) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "main:1"}]}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": namespace}}
    job["spec"] = {"template": template}
    now = "2026-11-28T00:00:00Z"
    target = {"type": "FailureTarget", "status": "True", "reason": "BackoffLimitExceeded", "message": "too often"}
    conditions = [{**target, "lastTransitionTime": now}, {**target, "type": "Failed", "lastTransitionTime": now}]
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs/j"
    with later(1.0, lambda: api.patch_status(path, {"startTime": now, "conditions": conditions, "failed": 1})):
        started = time.monotonic()
        result = run("objects", objects=[job], timeout=600)
    assert "BackoffLimitExceeded: too often" in result["msg"]
    assert time.monotonic() - started < 15


def test_a_kind_that_is_served_only_later(run: Run, api: ApiServer, namespace: str) -> None:
    group = "later.example.test"
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    with later(1.5, lambda: api.create(crd(group), path)):
        assert results(run("objects", objects=[widget(group, "w", namespace)])) == ["created"]


def test_a_webhook_that_answers_only_later_and_its_denial(
    api: ApiServer, run: Run, namespace: str, tmp_path: Any
) -> None:
    webhook = Webhook(tmp_path, deny=lambda item: item["metadata"]["name"].startswith("bad"))
    configuration = webhook.configuration("slow-hook", namespace)
    assert results(run("objects", objects=[configuration])) == ["created"]
    try:
        with later(2.0, webhook.start):
            result = run("objects", objects=[config_map("good", namespace)], timeout=60)
        assert results(result) == ["created"]
        webhook.seen.clear()
        started = time.monotonic()
        denied = run("objects", objects=[config_map("bad", namespace), config_map("good-2", namespace)], timeout=60)
        assert "denied the request: not this one" in denied["msg"]
        assert time.monotonic() - started < 5
        assert webhook.seen.count("bad") == 1
    finally:
        run("objects", objects=[configuration], state="absent")
        webhook.stop()


def test_a_webhook_configuration_is_ready_when_it_can_answer(api: ApiServer, run: Run, namespace: str) -> None:
    service = {"name": "hook", "namespace": namespace}
    rule = {
        "apiGroups": ["none.example.test"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["things"],
    }
    hook = {"name": "hook.example.test", "clientConfig": {"service": service}, "rules": [rule]}
    hook |= {"sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail"}
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": f"{namespace}-hook"},
        "webhooks": [hook],
    }
    assert "no ready endpoint" in run("objects", objects=[configuration], timeout=1)["msg"]
    slice_ = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "hook-1", "labels": {"kubernetes.io/service-name": "hook"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["192.0.2.10"]}],
    }
    api.create(slice_, f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices")
    assert "caBundle is empty" in run("objects", objects=[configuration], timeout=1)["msg"]
    path = f"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/{namespace}-hook"
    patch = [{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": Webhook.any_certificate()}]
    api.client.call("PATCH", path, (), patch, "application/json-patch+json")
    # What the operator filled in is not ours to take away again.
    assert results(run("objects", objects=[configuration])) == ["unchanged"]
    run("objects", objects=[configuration], state="absent")


VOLCANO_JOB, QUEUE = ("batch.volcano.sh/v1alpha1", "Job"), ("scheduling.volcano.sh/v1beta1", "Queue")
WORKFLOW = ("argoproj.example.test/v1alpha1", "Workflow")
OWN = {"api_version": WORKFLOW[0], "kind": WORKFLOW[1], "field": "status.phase", "ready": ["Done"], "failed": ["Error"]}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Return a server of its own: where Volcano's kinds are as it publishes them, none can be made in another form."""
    server = ApiServer(tmp_path_factory.mktemp("played"))
    kinds = [(*version.split("/"), kind) for version, kind in (VOLCANO_JOB, QUEUE, WORKFLOW)]
    apply_crds(server, [open_crd(group, kind, version) for group, version, kind in kinds])
    yield server
    server.stop()


@pytest.fixture
def say(played: ApiServer) -> Callable[[tuple[str, str], dict[str, Any] | None], dict[str, Any]]:
    """Return a function that waits for an object which a second later says this of itself, or (None) is deleted."""

    def call(kind: tuple[str, str], status: dict[str, Any] | None) -> dict[str, Any]:
        name = f"it-{uuid.uuid4().hex}"
        item = {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": name, "namespace": "default"}, "spec": {}}
        path = f"/apis/{kind[0]}/namespaces/default/{kind[1].lower()}s/{name}"

        def act() -> None:
            if status is None:
                played.client.call("DELETE", path)
            else:
                played.patch_status(path, status)

        with later(1.0, act):
            return run_module(played, "objects", objects=[item], timeout=600, readiness=[OWN])

    return call


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        *(
            (VOLCANO_JOB, {"state": {"phase": phase, "reason": "PodFailed", "message": "exit 1"}}, "PodFailed: exit 1")
            for phase in ("Failed", "Aborted", "Terminated")
        ),
        (QUEUE, {"state": "Closed"}, "status.state is Closed"),
        (WORKFLOW, {"phase": "Error", "message": "no disk"}, "no disk"),
        (VOLCANO_JOB, None, "vanished"),
        (WORKFLOW, None, "vanished"),
    ],
)
def test_the_wait_ends_at_a_bad_end_too(say: Any, kind: tuple[str, str], status: Any, words: str) -> None:
    started = time.monotonic()
    result = say(kind, status)
    assert result["failed"]
    assert words in result["msg"]
    assert words in result["failed_objects"][0]["reason"]
    assert time.monotonic() - started < 15


@pytest.mark.parametrize(
    ("kind", "status"),
    [(VOLCANO_JOB, {"state": {"phase": "Completed"}}), (QUEUE, {"state": "Open"}), (WORKFLOW, {"phase": "Done"})],
)
def test_the_wait_ends_at_a_good_end(say: Any, kind: tuple[str, str], status: dict[str, Any]) -> None:
    assert results(say(kind, status)) == ["created"]


def test_crd_operator_webhook_and_first_object_in_one_run(
    api: ApiServer, run: Run, namespace: str, tmp_path: Any
) -> None:
    group = "firstrun.example.test"
    webhook = Webhook(tmp_path, deny=lambda item: item["metadata"]["name"] == "bad")
    configuration = webhook.configuration("first-run", namespace, group, "widgets")
    objects = [widget(group, "good", namespace), configuration, deployment("operator", namespace), crd(group)]
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/operator"

    def come_up() -> None:
        api.patch_status(path, rolled_out())
        webhook.start()

    try:
        with later(4.0, come_up):
            assert results(run("objects", objects=objects, timeout=60)) == ["created"] * 4
        assert results(run("objects", objects=objects, timeout=60)) == ["unchanged"] * 4
        webhook.seen.clear()
        denied = run("objects", objects=[*objects, widget(group, "bad", namespace)], timeout=60)
        assert "denied the request: not this one" in denied["msg"]
        assert webhook.seen == ["bad"]
    finally:
        run("objects", objects=[configuration], state="absent")
        webhook.stop()
