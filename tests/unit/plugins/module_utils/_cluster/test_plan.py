# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rights that objects need, and what else is told from manifests alone."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.plan import (
    Right,
    condensed,
    merged,
    namespaces,
    rights,
    roles,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref, defined_kinds

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tfjobs.kubeflow.org"},
    "spec": {
        "group": "kubeflow.org",
        "scope": "Namespaced",
        "names": {"kind": "TFJob", "plural": "tfjobs"},
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}],
    },
}
SERVED = {
    "Namespace": ("namespaces", False),
    "ConfigMap": ("configmaps", True),
    "Deployment": ("deployments", True),
    "TFJob": ("tfjobs", True),
    "PersistentVolumeClaim": ("persistentvolumeclaims", True),
    "ValidatingWebhookConfiguration": ("validatingwebhookconfigurations", False),
}


def served(ref: Ref) -> tuple[str, bool] | None:
    return SERVED.get(ref.kind)


def manifest(api_version: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **more.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def test_a_definition_keeps_nothing_but_names() -> None:
    (small,) = condensed([DEFINITION])
    assert set(small["spec"]) == {"group", "scope", "names"}
    assert "versions" in DEFINITION["spec"]
    assert defined_kinds([small])[("kubeflow.org", "TFJob")].plural == "tfjobs"


def test_an_object_is_read_made_and_changed_where_it_lives() -> None:
    found = rights([manifest("v1", "Namespace", "a"), manifest("v1", "ConfigMap", "b", "a")], served)
    expected = [Right(verb, "", "namespaces") for verb in ("get", "create", "patch")]
    assert found == expected + [Right(verb, "", "configmaps", "a") for verb in ("get", "create", "patch")]


def test_two_objects_of_a_kind_in_one_place_ask_once() -> None:
    objects = [manifest("v1", "ConfigMap", name, "a") for name in ("b", "c")]
    assert len(rights(objects, served)) == 3


def test_a_kind_that_nobody_serves_needs_no_right() -> None:
    assert rights([manifest("example.org/v1", "Widget", "w", "a")], served) == []


HOOK = {"clientConfig": {"service": {"name": "operator", "namespace": "kubeflow"}}}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (manifest("apps/v1", "Deployment", "d", "a"), Right("list", "", "pods", "a")),
        (manifest("kubeflow.org/v1", "TFJob", "t", "a"), Right("get", "", "pods/log", "a")),
        (manifest("kubeflow.org/v1", "TFJob", "t", "a"), Right("delete", "kubeflow.org", "tfjobs", "a")),
        (
            manifest("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "v", webhooks=[HOOK]),
            Right("list", "discovery.k8s.io", "endpointslices", "kubeflow"),
        ),
        (
            manifest("v1", "PersistentVolumeClaim", "p", "a", spec={"storageClassName": "fast"}),
            Right("get", "storage.k8s.io", "storageclasses"),
        ),
    ],
)
def test_what_the_work_on_an_object_takes_besides(item: dict[str, Any], expected: Right) -> None:
    assert expected in rights([item], served)


def test_taking_former_objects_away_takes_rights_only_where_it_is_planned() -> None:
    labelled = manifest("v1", "ConfigMap", "c", "a", metadata={"labels": {"x": "y"}})
    taken = [Right(verb, "", "configmaps", "a") for verb in ("list", "delete")]
    prunes = [{"api_version": "v1", "kind": "ConfigMap", "namespace": "a"}]
    assert rights([labelled], served, prunes)[-2:] == taken
    assert not set(taken) & set(rights([labelled], served))
    assert rights([], served, [{"api_version": "example.org/v1", "kind": "Widget", "namespace": ""}]) == []


def test_what_roles_hand_out() -> None:
    rules = [{"apiGroups": ["", "apps"], "resources": ["pods"], "verbs": ["get", "list"]}, {"nonResourceURLs": ["/x"]}]
    objects = [
        manifest("rbac.authorization.k8s.io/v1", "ClusterRole", "c", rules=rules),
        manifest("rbac.authorization.k8s.io/v1", "Role", "r", "a", rules=rules[:1]),
        manifest("v1", "ConfigMap", "b", "a", rules=rules),
    ]
    (cluster_free, cluster_wide), (_free, inside) = roles(objects)
    assert cluster_free == [
        Right(verb, "rbac.authorization.k8s.io", "clusterroles", "", "c") for verb in ("escalate", "bind")
    ]
    assert len(cluster_wide) == len(inside) == 4
    assert Right("list", "apps", "pods") in cluster_wide
    assert Right("list", "apps", "pods", "a") in inside


def test_verbs_of_one_resource_are_told_together() -> None:
    pods, jobs = [Right(verb, "", "pods", "a") for verb in ("get", "list")], [Right("get", "batch", "jobs")]
    assert merged([pods[0], *jobs, pods[1]]) == [
        (("get", "list"), Right("", "", "pods", "a")),
        (("get",), Right("", "batch", "jobs")),
    ]
    assert pods[0].where() == "pods in namespace a"
    assert jobs[0].where() == "jobs.batch in the whole cluster"


def test_namespaces_are_those_that_are_made_and_those_that_are_used() -> None:
    objects = [manifest("v1", "Namespace", "b"), manifest("v1", "ConfigMap", "c", "a"), DEFINITION]
    assert namespaces(objects) == ["a", "b"]
