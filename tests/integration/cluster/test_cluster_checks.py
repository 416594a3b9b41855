# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_checks: what an administrator and a restricted user may do, what is not served, what is somebody else's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import config_map, deployment, namespace_object
from tests.support.paths import ROOT

# Asking for rights is a POST that leaves nothing behind.
REVIEWS = ("selfsubjectaccessreviews", "selfsubjectreviews")


def writes(api: ApiServer, mark: int) -> list[str]:
    """Return what was written since the mark, questions left out."""
    return [write for write in api.writes(mark) if not any(review in write for review in REVIEWS)]


def plan(part: str, *objects: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"part": part, "objects": list(objects), **more}


def test_an_administrator_may_and_nothing_is_written(run: Run, api: ApiServer, namespace: str) -> None:
    run("objects", objects=[config_map("ours", namespace)])
    mark = api.audit_mark()
    objects = [config_map(name, namespace) for name in ("ours", "new")]
    result = run("cluster_checks", plans=[plan("shared_volume", namespace_object(namespace), *objects)])
    assert (result.get("failed"), result["problems"], result["changed"]) == (None, [], False)
    assert ["shared volume", "1", "installed"] in result["table"]
    assert ["shared volume", "1", "ours, brought up to date"] in result["table"]
    assert ["shared volume", "1", f"used, it is there: Namespace {namespace}"] in result["table"]
    assert result["cluster"]["user"] == "admin"
    assert result["cluster"]["mark"] is None
    assert writes(api, mark) == []


def test_a_restricted_user_is_told_every_right_that_is_missing(
    run: Run, api: ApiServer, namespace: str, tmp_path: Path
) -> None:
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create", "patch"]}]
    kubeconfig = api.user(tmp_path, namespace, rules)
    mark = api.audit_mark()
    objects = [config_map("c", namespace), deployment("d", namespace), namespace_object("another")]
    result = run("cluster_checks", kubeconfig=str(kubeconfig), plans=[plan("training_operator", *objects)])
    assert result["failed"]
    values = [problem["value"] for problem in result["problems"]]
    assert values == [
        f"get, create, patch deployments.apps in namespace {namespace}",
        f"list pods in namespace {namespace}",
        "get, create, patch namespaces in the whole cluster",
    ]
    assert re.search(r"restricted-\d does not have it", result["msg"])
    assert writes(api, mark) == []


def test_rights_that_a_role_hands_out_must_be_the_users_own(run: Run, api: ApiServer, tmp_path: Path) -> None:
    roles = {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"]}
    kubeconfig = api.user(tmp_path, "", [{**roles, "verbs": ["get", "create", "patch"]}])
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "operator"},
        "rules": [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["watch"]}],
    }
    result = run("cluster_checks", kubeconfig=str(kubeconfig), plans=[plan("training_operator", role)])
    assert [problem["value"] for problem in result["problems"]] == ["watch deployments.apps in the whole cluster"]
    # What was told is what the server itself says.
    refused = run("objects", kubeconfig=str(kubeconfig), objects=[role])
    assert "attempting to grant RBAC permissions not currently held" in refused["msg"]


def test_kinds_and_groups_that_nobody_serves_and_versions(run: Run, without_gangs: ApiServer) -> None:
    job = {"apiVersion": "kubeflow.org/v9", "kind": "TFJob", "metadata": {"name": "j", "namespace": "default"}}
    result = run(
        "cluster_checks",
        kubeconfig=str(without_gangs.kubeconfig),
        plans=[plan("samples", job)],
        gang_scheduler="native",
        newest_kubernetes="1.30",
    )
    fields = [problem["field"] for problem in result["problems"]]
    assert fields == ["Kubernetes version", "mlstack_gang_scheduler", "API"]
    assert "3 problems, nothing was changed" in result["msg"]


def test_what_somebody_else_made_is_refused_and_taken_over_by_name(run: Run, api: ApiServer, namespace: str) -> None:
    api.create(config_map("operator", namespace), f"/api/v1/namespaces/{namespace}/configmaps")
    wanted = plan("training_operator", config_map("operator", namespace))
    result = run("cluster_checks", plans=[wanted])
    assert "not ours (written by somebody)" in result["msg"]
    assert "training_operator_adopt=true" in result["msg"]
    assert run("cluster_checks", plans=[{**wanted, "adopt": True}])["problems"] == []


def test_objects_of_another_field_manager_are_ones_own(run: Run, namespace: str) -> None:
    wanted = plan("shared_volume", config_map("mine", namespace))
    run("objects", objects=wanted["objects"], field_manager="site-tools")
    assert "not ours (written by site-tools)" in run("cluster_checks", plans=[wanted])["msg"]
    result = run("cluster_checks", plans=[wanted], field_manager="site-tools")
    assert ["shared volume", "1", "ours, brought up to date"] in result["table"]


def test_a_secret_that_may_not_be_looked_at_is_no_missing_one(
    run: Run, api: ApiServer, namespace: str, tmp_path: Path
) -> None:
    wanted = plan("samples", config_map("c", namespace), pull_secrets=["site"])
    assert f"there is no such Secret in namespace {namespace}" in run("cluster_checks", plans=[wanted])["msg"]
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create", "patch"]}]
    kubeconfig = str(api.user(tmp_path, namespace, rules))
    result = run("cluster_checks", kubeconfig=kubeconfig, plans=[wanted])
    assert result["problems"] == []
    assert f"left to you: Secret site must be in namespace {namespace}" in str(result["table"])


def test_the_mark_of_a_cluster_that_we_made(run: Run, api: ApiServer) -> None:
    system = [item["metadata"]["name"] for item in api.client.call("GET", "/api/v1/namespaces")["items"]]
    assert "kube-system" in system
    run("objects", objects=[config_map("trainyard-mlstack", "kube-system", release="2026.11")])
    result = run("cluster_checks")
    assert result["cluster"]["mark"] == {"release": "2026.11"}
    assert "made by trainyard.mlstack: yes" in result["table"][-1][2]
    run("objects", objects=[config_map("trainyard-mlstack", "kube-system")], state="absent")


def test_the_documented_role_is_enough_for_everything(run: Run, api: ApiServer, tmp_path: Path) -> None:
    example = yaml.safe_load((ROOT / "docs" / "rbac" / "mlstack-installer.yaml").read_text(encoding="utf-8"))["items"]
    role = next(item for item in example if item["kind"] == "ClusterRole")
    kubeconfig = api.user(tmp_path, "", role["rules"])
    plans = [plan(name, *objects) for name, objects in everything().items()]
    plans[-1]["prunes"] = [{"api_version": "v1", "kind": "ConfigMap", "namespace": "jobs"}]
    result = run("cluster_checks", kubeconfig=str(kubeconfig), plans=plans)
    assert [problem for problem in result["problems"] if problem["field"] == "right"] == []


def everything() -> dict[str, list[dict[str, Any]]]:
    """Return what all parts apply, as the roles make it."""
    from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster import plan as cluster_plan
    from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests import sample, shared_volume
    from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.training_operator import (
        Settings,
        operator_objects,
    )
    from tests.integration.conftest import operator_manifest

    settings = Settings("operator:1", 1, 1, 1, 1, {}, [], "[]", "", 1)
    return {
        "shared_volume": shared_volume.shared_folder_objects(["jobs"], "shared", "/srv/shared", "1Gi"),
        "training_operator": cluster_plan.condensed(operator_objects(operator_manifest(), settings)),
        "samples": sample.names(["tfjob_parameter_server"], "jobs", {"tfjob_parameter_server": "tfjob"}, {}),
    }
