# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_verify: every check is made and told; the report and the end are right. The network is the lab's matter."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster import probe, verify_run
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.verify_checks import Check
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object
from tests.support.gang_contest import until

NAMESPACE = "mlstack-verify"


def test_all_checks_are_made_on_an_empty_cluster(run: Run) -> None:
    result = run("cluster_verify", timeout=1, samples=["digits"], samples_namespace="default")
    assert result["failed"]
    found = {check["name"]: check for check in result["checks"]}
    assert list(found) == ["nodes", "system", "operator", "webhook", "samples"]
    assert [name for name, check in found.items() if check["ok"]] == []
    assert all(check["way_out"] for check in found.values())
    assert "there is none" in found["nodes"]["detail"]
    assert "coredns: does not exist" in found["system"]["detail"]
    assert "digits: there is no such job" in found["samples"]["detail"]
    assert result["msg"].startswith("5 of 5 checks failed:")


@pytest.mark.usefixtures("training_operator")
def test_the_webhook_that_answers_is_found_well(cluster: ApiServer, run: Run) -> None:
    result = run("cluster_verify", kubeconfig=str(cluster.kubeconfig), timeout=1)
    found = {check["name"]: check for check in result["checks"]}
    assert found["webhook"]["ok"], found["webhook"]
    assert found["webhook"]["way_out"] == ""


def test_a_namespace_of_others_is_left_alone(run: Run, api: ApiServer) -> None:
    api.create(namespace_object("verify-of-others"), "/api/v1/namespaces")
    result = run("cluster_verify", mode="full", namespace="verify-of-others", image="i", program="p", timeout=1)
    found = {check["name"]: check for check in result["checks"]}
    assert "not ours" in found["pods"]["detail"]
    assert "cleanup" not in found
    names = [item["metadata"]["name"] for item in api.client.call("GET", "/api/v1/namespaces")["items"]]
    assert "verify-of-others" in names


def test_without_the_rights_no_pod_is_made(run: Run, api: ApiServer, kubeflow: None, tmp_path: Path) -> None:
    rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}]
    kubeconfig = str(api.user(tmp_path, "", rules))
    result = run("cluster_verify", mode="full", image="i", program="p", timeout=1, kubeconfig=kubeconfig)
    found = {check["name"]: check for check in result["checks"]}
    assert list(found)[-1] == "rights"
    pods = "create, patch, delete pods in namespace mlstack-verify"
    for words in ("create, patch, delete namespaces", pods, "tfjobs"):
        assert words in found["rights"]["detail"]
    assert "mlstack-installer.yaml" in found["rights"]["way_out"]
    names = [item["metadata"]["name"] for item in api.client.call("GET", "/api/v1/namespaces")["items"]]
    assert NAMESPACE not in names


def test_the_rights_to_copy_secrets_are_asked_for_where_some_are_copied(
    run: Run, api: ApiServer, kubeflow: None, tmp_path: Path
) -> None:
    rules = [{"apiGroups": ["*"], "resources": ["nodes", "pods"], "verbs": ["get", "list"]}]
    options = {"mode": "full", "image": "i", "program": "p", "timeout": 1, "samples_namespace": "default"}
    kubeconfig = str(api.user(tmp_path, "", rules))
    for given, expected in (([], False), (["site"], True)):
        result = run("cluster_verify", kubeconfig=kubeconfig, image_pull_secrets=given, **options)
        (rights,) = [check for check in result["checks"] if check["name"] == "rights"]
        for words in ("get secrets in namespace default", f"create, patch secrets in namespace {NAMESPACE}"):
            assert (words in rights["detail"]) == expected, rights


@pytest.mark.usefixtures("training_operator")
def test_the_namespace_of_a_killed_run_is_removed_also_when_no_node_takes_pods(cluster: ApiServer, run: Run) -> None:
    here = {"kubeconfig": str(cluster.kubeconfig)}
    labels = {"app.kubernetes.io/managed-by": "trainyard.mlstack", "app.kubernetes.io/component": "verify"}
    left = namespace_object(NAMESPACE)
    left["metadata"]["labels"] = labels
    run("objects", objects=[left], **here)
    cordoned = [{"key": "nobody/tolerates", "effect": "NoSchedule"}]
    result = run("cluster_verify", mode="full", image="i", program="p", timeout=1, tolerations=cordoned, **here)
    found = {check["name"]: check for check in result["checks"]}
    assert list(found)[-1] == "cleanup"
    assert found["cleanup"]["ok"], found["cleanup"]
    names = [item["metadata"]["name"] for item in cluster.client.call("GET", "/api/v1/namespaces")["items"]]
    assert NAMESPACE not in names


@pytest.fixture
def gang(cluster: ApiServer, nodes: list[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Check]]:
    """Return a function that verifies a gang of Kubernetes itself, on nodes whose pods say nothing of the network.

    job_seconds: how long the job may take. resources: of each worker.
    """
    monkeypatch.setattr(verify_run, "_CLIENTS_S", 1)
    store, make = Store(cluster.client), probe.job_object
    until(lambda: {*nodes} <= {*probe.usable_nodes(store.list("v1", "Node"), [])}, "all nodes take pods")

    def verify(namespace: str, job_seconds: int = 40, **resources: Any) -> dict[str, Check]:
        def job_object(settings: probe.Settings) -> dict[str, Any]:
            job = make(settings)
            template = job["spec"][TFJOB.replica_specs]["Worker"]["template"]
            template["metadata"]["annotations"] = exits(0, after="0s")["pod_annotations"]
            template["spec"]["containers"][0]["resources"] = resources
            return job

        monkeypatch.setattr(probe, "job_object", job_object)
        settings = probe.Settings(namespace, "i", "p", job_seconds=job_seconds)
        verifier = verify_run.Verifier(store, settings, 20, lambda _text: None)
        verifier.probe(store.list("v1", "Node"), "native")
        return {check.name: check for check in verifier.checks}

    return verify


def test_one_job_gives_one_group(gang: Callable[..., dict[str, Check]]) -> None:
    found = gang("verify-gang")
    group = f"{BACKENDS['native'].api_version} PodGroup tfjob-{probe.JOB}"
    assert (found["gang"].ok, found["gang"].detail) == (True, f"2 of 2 pods have a node, as {group}")
    assert found["job"].ok, found["job"]
    assert found["cleanup"].ok, found["cleanup"]


def test_a_second_group(gang: Callable[..., dict[str, Check]], monkeypatch: pytest.MonkeyPatch) -> None:
    """The test plays an operator with a gang flag: a PodGroup named as the job."""
    version = BACKENDS["native"].api_version
    spec = {"schedulingPolicy": {"gang": {"minCount": 2}}}
    make = probe.job_parts

    def job_parts(settings: probe.Settings) -> list[dict[str, Any]]:
        metadata = {"name": probe.JOB, "namespace": settings.namespace}
        return [*make(settings), {"apiVersion": version, "kind": "PodGroup", "metadata": metadata, "spec": spec}]

    monkeypatch.setattr(probe, "job_parts", job_parts)
    found = gang("verify-second")
    assert not found["gang"].ok
    assert f"the job must have one PodGroup in {version}" in found["gang"].detail
    assert found["cleanup"].ok, found["cleanup"]


def test_pods_that_find_no_node(gang: Callable[..., dict[str, Check]]) -> None:
    found = gang("verify-large", job_seconds=6, limits={"nvidia.com/gpu": 9})
    assert not found["gang"].ok
    assert found["gang"].detail.startswith("0 of 2 pods have a node")
    assert "nvidia.com/gpu" in found["gang"].detail
    assert found["cleanup"].ok, found["cleanup"]
