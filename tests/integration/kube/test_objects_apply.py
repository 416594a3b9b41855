# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""objects, state present: create, repeat, change, predict, refuse."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube import store
from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import config_map, crd, deployment, namespace_object, results, widget
from tests.support.paths import bundle_dir

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def test_create_repeat_change(api: ApiServer, run: Run, namespace: str) -> None:
    objects = [config_map("a", namespace, x="1"), config_map("b", namespace, x="1")]
    first = run("objects", objects=objects)
    assert (first["changed"], results(first)) == (True, ["created", "created"])

    mark = api.audit_mark()
    second = run("objects", objects=objects)
    assert (second["changed"], results(second), second["diff"]) == (False, ["unchanged", "unchanged"], [])
    assert api.writes(mark) == []

    objects[1]["data"]["x"] = "2"
    predicted = run("objects", check=True, objects=objects)
    assert api.writes(mark) == []
    third = run("objects", objects=objects)
    assert results(third) == results(predicted) == ["unchanged", "changed"]
    assert third["diff"] == predicted["diff"]
    assert [(d["before"]["data"], d["after"]["data"]) for d in third["diff"]] == [({"x": "1"}, {"x": "2"})]
    assert len(api.writes(mark)) == 1


def test_a_field_that_left_the_list_leaves_the_object(api: ApiServer, run: Run, namespace: str) -> None:
    run("objects", objects=[config_map("a", namespace, x="1", y="1")])
    assert results(run("objects", objects=[config_map("a", namespace, x="1")])) == ["changed"]
    assert api.client.call("GET", f"/api/v1/namespaces/{namespace}/configmaps/a")["data"] == {"x": "1"}


def test_namespace_crd_and_object_come_in_one_list_in_any_order(api: ApiServer, run: Run) -> None:
    group, namespace = "onelist.example.test", "one-list"
    objects = [widget(group, "w", namespace, size=1), crd(group), namespace_object(namespace)]
    mark = api.audit_mark()
    predicted = run("objects", check=True, objects=objects)
    assert (results(predicted), api.writes(mark)) == (["created"] * 3, [])
    assert results(run("objects", objects=objects)) == ["created"] * 3
    assert results(run("objects", objects=objects)) == ["unchanged"] * 3
    assert results(run("objects", check=True, objects=objects)) == ["unchanged"] * 3


def test_a_changed_crd_and_an_object_that_needs_the_change(run: Run, namespace: str) -> None:
    definition, item = crd("evolve.example.test"), widget("evolve.example.test", "w", namespace, size=1)
    run("objects", objects=[definition, item])
    spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["colour"] = {"type": "string"}
    item["spec"]["colour"] = "red"
    assert results(run("objects", objects=[definition, item])) == ["changed", "changed"]
    assert results(run("objects", objects=[definition, item])) == ["unchanged", "unchanged"]


def test_all_refusals_at_once_and_nothing_written(api: ApiServer, run: Run, namespace: str) -> None:
    misspelt = config_map("misspelt", namespace)
    misspelt["dat"] = misspelt.pop("data")
    objects = [config_map("good", namespace, x="1"), misspelt, config_map("Bad_Name", namespace, x="1")]
    mark = api.audit_mark()
    result = run("objects", objects=objects)
    assert result["failed"]
    assert [entry["name"] for entry in result["failed_objects"]] == ["misspelt", "Bad_Name"]
    assert 'unknown field "dat"' in result["msg"] or ".dat" in result["msg"]
    assert "nothing was changed" in result["msg"]
    assert api.writes(mark) == []


def test_a_job_with_policies_in_the_wrong_place(api: ApiServer, run: Run, namespace: str) -> None:
    container = {"name": "pytorch", "image": "t:1"}
    master = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "ttl", "namespace": namespace}}
    job["spec"] = {"ttlSecondsAfterFinished": 10, "cleanPodPolicy": "All", "pytorchReplicaSpecs": {"Master": master}}
    mark = api.audit_mark()
    result = run("objects", objects=[job])
    for part in ("2 problems", "spec.runPolicy.ttlSecondsAfterFinished", "spec.runPolicy.cleanPodPolicy"):
        assert part in result["msg"]
    assert api.audit_mark() == mark


def test_an_unusable_list_is_refused_without_a_request(api: ApiServer, run: Run, namespace: str) -> None:
    mark = api.audit_mark()
    result = run(
        "objects", objects=[config_map("a", namespace), config_map("a", namespace), {"kind": "ConfigMap"}, "text"]
    )
    assert result["failed"]
    for part in ("3 problems", "objects[1]", "stands in the list twice", "apiVersion and metadata.name", "objects[3]"):
        assert part in result["msg"]
    assert api.audit_mark() == mark


@pytest.mark.parametrize("size", [262_143, 262_145])
def test_crds_around_the_annotation_limit(api: ApiServer, run: Run, size: int) -> None:
    definition = crd(f"size{size}.example.test", size)
    assert len(json.dumps(definition, separators=(",", ":"))) == size
    assert results(run("objects", objects=[definition])) == ["created"]
    assert results(run("objects", objects=[definition])) == ["unchanged"]
    live = api.client.call(
        "GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.size{size}.example.test"
    )
    assert LAST_APPLIED not in live["metadata"].get("annotations", {})


def kubectl_apply(api: ApiServer, manifest: dict[str, Any]) -> str:
    """Apply as people do by hand, on the client's side, and return what kubectl says against it."""
    command = [str(bundle_dir() / "bin/kubectl"), f"--kubeconfig={api.kubeconfig}", "apply", "-f", "-"]
    done = subprocess.run(command, input=json.dumps(manifest), capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def test_an_older_release_that_kubectl_applied_is_taken_over(api: ApiServer, run: Run, namespace: str) -> None:
    """A property, a container and an annotation that the newer release has no more go; what others set stays."""
    group = "older.example.test"
    old, new = crd(group, 200_000), crd(group, 262_145)
    schema = old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    schema["colour"] = {"type": "string"}
    before, after = deployment("operator", namespace), deployment("operator", namespace)
    before["spec"]["template"]["spec"]["containers"].append({"name": "kube-rbac-proxy", "image": "proxy:1"})
    for manifest in (old, before):
        assert kubectl_apply(api, manifest) == ""
    assert "Too long" in kubectl_apply(api, new)
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/operator"
    label = [{"op": "add", "path": "/metadata/labels", "value": {"team": "theirs"}}]
    api.client.call("PATCH", path, (("fieldManager", "somebody"),), label, "application/json-patch+json")

    predicted = run("objects", check=True, objects=[new, after], wait=False)
    assert results(predicted) == ["changed", "changed"]
    assert results(run("objects", objects=[new, after], wait=False)) == ["changed", "changed"]
    assert results(run("objects", objects=[new, after], wait=False)) == ["unchanged", "unchanged"]

    live = api.client.call("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{group}")
    left = live["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert set(left) == {"size"}
    workload = api.client.call("GET", path)
    assert [item["name"] for item in workload["spec"]["template"]["spec"]["containers"]] == ["main"]
    assert workload["metadata"]["labels"] == {"team": "theirs"}
    for item in (live, workload):
        assert LAST_APPLIED not in item["metadata"].get("annotations", {})


def test_kubectls_objects_are_left_to_it_without_force(api: ApiServer, run: Run, namespace: str) -> None:
    manifest = config_map("by-hand", namespace, x="1")
    assert kubectl_apply(api, manifest) == ""
    result = run("objects", objects=[manifest], force_conflicts=False)
    assert results(result) == ["unchanged"]


def test_an_object_of_another_manager_is_taken_over(api: ApiServer, run: Run, namespace: str) -> None:
    other = config_map("theirs", namespace, x="1")
    other["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(other)}
    api.create(other, f"/api/v1/namespaces/{namespace}/configmaps")
    assert results(run("objects", objects=[config_map("theirs", namespace, x="1")])) == ["unchanged"]
    refused = run("objects", objects=[config_map("theirs", namespace, x="2")], force_conflicts=False)
    assert "conflict" in refused["msg"]
    assert "somebody" in refused["msg"]
    assert results(run("objects", objects=[config_map("theirs", namespace, x="2")])) == ["changed"]


def test_secrets_are_not_shown(run: Run, namespace: str) -> None:
    secret: dict[str, Any] = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": namespace}}
    first = run("objects", objects=[{**secret, "stringData": {"password": "first-word", "user": "me"}}])
    second = run("objects", objects=[{**secret, "stringData": {"password": "second-word", "user": "me"}}])
    shown = json.dumps([first, second])
    for word in ("first-word", "second-word", "Zmlyc3Qtd29yZA", "c2Vjb25kLXdvcmQ"):
        assert word not in shown
    assert second["diff"][0]["before"]["data"] == {"password": "hidden, before", "user": "hidden"}


def test_default_namespace_and_lists_taken_apart(run: Run, namespace: str) -> None:
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    cluster_wide = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{namespace}-2"}}
    objects = [None, {"apiVersion": "v1", "kind": "List", "items": [item, cluster_wide]}]
    result = run("objects", objects=objects, namespace=namespace)
    assert [(entry["kind"], entry["namespace"]) for entry in result["objects"]] == [
        ("ConfigMap", namespace),
        ("Namespace", ""),
    ]
    for state in ("present", "absent", "ready"):
        refused = run("objects", objects=[item, cluster_wide], state=state)
        assert [entry["name"] for entry in refused["failed_objects"]] == ["a"]
        assert "lacks a namespace" in refused["msg"]


def test_an_unknown_kind_fails_in_time(run: Run, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KIND_GRACE_S", 1.5)
    result = run("objects", objects=[widget("nowhere.example.test", "w", namespace)])
    assert "knows no kind Widget in nowhere.example.test/v1" in result["msg"]


def test_a_missing_namespace_is_refused_but_predicted(run: Run) -> None:
    objects = [config_map("a", "not-there", x="1")]
    assert 'namespaces "not-there" not found' in run("objects", objects=objects)["msg"]
    assert results(run("objects", check=True, objects=objects)) == ["created"]


def test_check_mode_before_there_is_a_cluster(run: Run, tmp_path: Any) -> None:
    objects = [config_map("a", "x")]
    missing = str(tmp_path / "kubeconfig")
    result = run("objects", check=True, objects=objects, kubeconfig=missing)
    assert (result["changed"], results(result)) == (True, ["created"])
    assert "no cluster yet" in result["note"]
    ready = run("objects", check=True, objects=objects, kubeconfig=missing, state="ready")
    assert (ready["changed"], results(ready)) == (False, ["unchanged"])
    refused = run("objects", objects=objects, kubeconfig=missing)
    assert refused["failed"]
    assert missing in refused["msg"]


def test_a_server_that_does_not_answer(run: Run, tmp_path: Any) -> None:
    from tests.integration.support.processes import free_port

    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{free_port()}"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "current-context": "c",
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(config), encoding="utf-8")
    options = {"objects": [config_map("a", "x")], "kubeconfig": str(tmp_path / "kubeconfig")}
    assert "Connection refused" in run("objects", **options)["msg"]
    assert not run("objects", check=True, state="ready", **options).get("failed")
