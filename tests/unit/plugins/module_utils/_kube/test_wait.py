# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits end when all objects are usable or gone, and else say what they waited for."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.ends import Ends
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import ref_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.wait import until_gone, until_ready
from tests.unit.plugins.module_utils._kube.small_server import SmallServer, manifest

SPEC = {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}}
AVAILABLE = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
WORK = manifest("Deployment", "work", "apps/v1", spec=SPEC)


def ready(server: SmallServer, *manifests: dict[str, Any], timeout: float = 60.0, **own: Any) -> None:
    until_ready(
        server.store(), [ref_of(item) for item in manifests], server.deadline(timeout), server.said.append, **own
    )


def test_it_returns_once_all_are_usable_and_tells_each_news_once() -> None:
    server = SmallServer()
    server.put(WORK, observedGeneration=1)
    server.put(manifest("ConfigMap", "a"))

    def later() -> None:
        if server.now >= 10:
            server.put(WORK, **AVAILABLE)

    server.ticks.append(later)
    ready(server, WORK, manifest("ConfigMap", "a"))
    assert 10 <= server.now < 13
    [line] = server.said
    assert line.startswith("1 of 2 ready, waiting for Deployment team/work: ")


def test_a_wait_that_ends_names_all_and_the_time() -> None:
    server = SmallServer()
    with pytest.raises(ObjectsFailed) as failed:
        ready(server, manifest("ConfigMap", "a"), manifest("ConfigMap", "b"), timeout=5)
    assert str(failed.value).splitlines() == [
        "2 objects not ready after 5 s:",
        "  1. ConfigMap team/a: does not exist",
        "  2. ConfigMap team/b: does not exist",
    ]


def test_a_failure_for_good_is_not_waited_for() -> None:
    server = SmallServer()
    server.put(manifest("Pod", "p"), phase="Failed", reason="Evicted", message="disk")
    with pytest.raises(ObjectsFailed, match=r"1 object will not become ready:\n  1\. Pod team/p: Evicted: disk"):
        ready(server, manifest("Pod", "p"), manifest("ConfigMap", "never"))
    assert server.now == 0


def test_what_vanishes_while_it_is_waited_for_has_failed() -> None:
    server = SmallServer()
    server.put(WORK, observedGeneration=1)
    server.ticks.append(server.objects.clear)
    with pytest.raises(ObjectsFailed, match="vanished: it was there, and somebody deleted it"):
        ready(server, WORK)


def test_the_reasons_of_pods_are_told_with_their_workload() -> None:
    server = SmallServer()
    server.put(WORK, observedGeneration=1)
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
    pod = manifest("Pod", "work-1", metadata={"labels": {"app": "x"}})
    server.put(pod, phase="Pending", containerStatuses=[{"name": "c", "state": waiting}])
    with pytest.raises(ObjectsFailed, match=r"Deployment team/work: .*; pod work-1: .*ImagePullBackOff"):
        ready(server, WORK, timeout=1)


@pytest.mark.parametrize(("mode", "usable"), [("WaitForFirstConsumer", True), ("Immediate", False)])
def test_a_claim_that_waits_for_its_consumer_is_usable(mode: str, usable: bool) -> None:
    server = SmallServer()
    server.put(manifest("StorageClass", "fast", "storage.k8s.io/v1", namespace="", volumeBindingMode=mode))
    claim = manifest("PersistentVolumeClaim", "c", spec={"storageClassName": "fast"})
    server.put(claim, phase="Pending")
    if usable:
        ready(server, claim)
    else:
        with pytest.raises(ObjectsFailed, match="not ready"):
            ready(server, claim, timeout=1)


def test_a_webhook_is_usable_once_its_service_has_an_endpoint() -> None:
    server = SmallServer()
    client = {"service": {"name": "s", "namespace": "team"}, "caBundle": "x"}
    name, group = "ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1"
    hook = manifest(name, "w", group, namespace="", webhooks=[{"name": "v", "clientConfig": client}] * 2)
    server.put(hook)
    with pytest.raises(ObjectsFailed, match="no ready endpoint"):
        ready(server, hook, timeout=1)
    labels = {"labels": {"kubernetes.io/service-name": "s"}}
    server.put(manifest("EndpointSlice", "s-1", "discovery.k8s.io/v1", metadata=labels, endpoints=[{}]))
    ready(server, hook)


def test_the_users_word_about_a_kind_counts() -> None:
    server = SmallServer()
    server.put(manifest("ConfigMap", "a"), phase="Bad")
    with pytest.raises(ObjectsFailed, match=r"status\.phase is Bad"):
        ready(server, manifest("ConfigMap", "a"), own={("", "ConfigMap"): Ends("status.phase", ["Good"], ["Bad"])})


@pytest.mark.parametrize(("status", "raised"), [(503, "after 5 s"), (403, "will not become ready")])
def test_only_an_answer_that_may_pass_is_waited_for(monkeypatch: pytest.MonkeyPatch, status: int, raised: str) -> None:
    server = SmallServer()

    def refuse(*_arguments: Any) -> Any:
        raise ApiError(status, "", "not now")

    store = server.store()
    monkeypatch.setattr(store, "read", refuse)
    with pytest.raises(ObjectsFailed, match=rf"{raised}.*\n.*not now"):
        until_ready(store, [ref_of(WORK)], server.deadline(5), server.said.append)


def test_gone_says_what_holds_an_object() -> None:
    server = SmallServer()
    held = manifest("Namespace", "team", namespace="", metadata={"finalizers": ["kubernetes"]})
    left = [{"type": "NamespaceContentRemaining", "status": "True", "message": "pods. has 2 instances"}]
    server.put(held, conditions=[*left, {"type": "Established", "status": "True", "message": "x"}])
    with pytest.raises(ObjectsFailed) as failed:
        until_gone(server.store(), [ref_of(held)], server.deadline(1), server.said.append)
    assert str(failed.value).splitlines()[1] == "  1. Namespace team: finalizer kubernetes; pods. has 2 instances"
    server.objects.clear()
    until_gone(server.store(), [ref_of(held)], server.deadline(1), server.said.append)
