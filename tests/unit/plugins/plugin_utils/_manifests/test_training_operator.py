# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator's objects: what is rewritten, what is left, what is added."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.training_operator import (
    Settings,
    operator_objects,
)

# The Deployment of upstream's standalone overlay, shortened where nothing depends on it.
MANIFEST = """
apiVersion: v1
kind: Namespace
metadata: {name: kubeflow}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  labels: {control-plane: kubeflow-training-operator}
  name: training-operator
  namespace: kubeflow
spec:
  replicas: 1
  selector:
    matchLabels: {control-plane: kubeflow-training-operator}
  template:
    metadata:
      annotations: {sidecar.istio.io/inject: "false"}
      labels: {control-plane: kubeflow-training-operator}
    spec:
      containers:
      - command: [/manager]
        env:
        - name: MY_POD_NAMESPACE
          valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
        image: ghcr.io/kubeflow/training-v1/training-operator:v1-93c5489
        livenessProbe: {httpGet: {path: /healthz, port: 8081}, initialDelaySeconds: 15, periodSeconds: 20}
        name: training-operator
        readinessProbe: {httpGet: {path: /readyz, port: 8081}, initialDelaySeconds: 10, periodSeconds: 15}
        securityContext: {allowPrivilegeEscalation: false}
        volumeMounts:
        - {mountPath: /tmp/k8s-webhook-server/serving-certs, name: cert, readOnly: true}
      serviceAccountName: training-operator
      volumes:
      - name: cert
        secret: {defaultMode: 420, secretName: training-operator-webhook-cert}
"""
SETTINGS = Settings(
    image="registry.example.org/training-operator:v1.9.4",
    replicas=2,
    controller_threads=3,
    api_qps=50,
    api_burst=90,
    resources={"requests": {"cpu": "100m"}},
    tolerations=[{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}],
    init_containers="- name: wait\n  image: {{.InitContainerImage}}\n",
    init_image="registry.example.org/busybox:1",
    init_tries=7,
)


@pytest.fixture
def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(MANIFEST))


def find(objects: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    (found,) = (item for item in objects if item["kind"] == kind)
    return found


def container_of(objects: list[dict[str, Any]]) -> dict[str, Any]:
    container: dict[str, Any]
    (container,) = find(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    return container


def test_flags_come_from_the_settings_and_the_gang_flag_stays_off(documents: list[dict[str, Any]]) -> None:
    assert container_of(operator_objects(documents, SETTINGS))["args"] == [
        "--leader-elect",
        "--controller-threads=3",
        "--kube-api-qps=50",
        "--kube-api-burst=90",
        "--pytorch-init-container-image=registry.example.org/busybox:1",
        "--pytorch-init-container-max-tries=7",
    ]


def test_image_replicas_resources_and_tolerations_come_from_the_settings(documents: list[dict[str, Any]]) -> None:
    objects = operator_objects(documents, SETTINGS)
    spec = find(objects, "Deployment")["spec"]
    assert spec["replicas"] == 2
    assert spec["template"]["spec"]["tolerations"] == SETTINGS.tolerations
    container = container_of(objects)
    assert container["image"] == SETTINGS.image
    assert container["imagePullPolicy"] == "IfNotPresent"
    assert container["resources"] == SETTINGS.resources


def test_the_pod_meets_the_restricted_pod_security_standard(documents: list[dict[str, Any]]) -> None:
    objects = operator_objects(documents, SETTINGS)
    pod = find(objects, "Deployment")["spec"]["template"]["spec"]["securityContext"]
    assert pod["runAsNonRoot"] is True
    assert pod["runAsUser"] > 0
    assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
    container = container_of(objects)["securityContext"]
    assert container["allowPrivilegeEscalation"] is False
    assert container["capabilities"] == {"drop": ["ALL"]}


def test_what_is_upstreams_stays(documents: list[dict[str, Any]]) -> None:
    objects = operator_objects(documents, SETTINGS)
    assert find(objects, "Namespace") == documents[0]
    container = container_of(objects)
    assert container["command"] == ["/manager"]
    assert container["env"][0]["name"] == "MY_POD_NAMESPACE"
    assert [mount["name"] for mount in container["volumeMounts"]] == ["cert", "config"]
    annotations = find(objects, "Deployment")["spec"]["template"]["metadata"]["annotations"]
    assert annotations["sidecar.istio.io/inject"] == "false"


def test_the_input_is_not_changed(documents: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(documents)
    operator_objects(documents, SETTINGS)
    assert documents == before


def test_the_leader_may_hold_a_lease_where_the_operator_runs(documents: list[dict[str, Any]]) -> None:
    objects = operator_objects(documents, SETTINGS)
    (rule,) = find(objects, "Role")["rules"]
    assert rule["resources"] == ["leases"]
    binding = find(objects, "RoleBinding")
    assert binding["roleRef"]["name"] == find(objects, "Role")["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "training-operator", "namespace": "kubeflow"}]


def test_the_operator_finds_the_template_of_pytorch_jobs_init_container_where_it_looks(
    documents: list[dict[str, Any]],
) -> None:
    objects = operator_objects(documents, SETTINGS)
    assert find(objects, "ConfigMap")["data"] == {"initContainer.yaml": SETTINGS.init_containers}
    volumes = find(objects, "Deployment")["spec"]["template"]["spec"]["volumes"]
    assert {"name": "config", "configMap": {"name": find(objects, "ConfigMap")["metadata"]["name"]}} in volumes
    mounts = {mount["name"]: mount["mountPath"] for mount in container_of(objects)["volumeMounts"]}
    assert mounts["config"] == "/etc/config"


def test_a_new_template_brings_new_pods_because_the_operator_reads_it_once(documents: list[dict[str, Any]]) -> None:
    other = dataclasses.replace(SETTINGS, init_containers="[]")
    pods = [find(operator_objects(documents, each), "Deployment")["spec"]["template"] for each in (SETTINGS, other)]
    assert pods[0]["metadata"]["annotations"] != pods[1]["metadata"]["annotations"]


def test_without_an_image_the_operator_is_not_told_of_one(documents: list[dict[str, Any]]) -> None:
    args = container_of(operator_objects(documents, dataclasses.replace(SETTINGS, init_image="")))["args"]
    assert not [argument for argument in args if "init-container" in argument]


def test_empty_documents_are_dropped(documents: list[dict[str, Any]]) -> None:
    assert None not in operator_objects([None, *documents], SETTINGS)


@pytest.mark.parametrize(
    ("kept", "found"),
    [(["Namespace"], "none"), (["Namespace", "Deployment", "Deployment"], "training-operator, training-operator")],
)
def test_another_manifest_is_refused_by_what_it_holds(
    documents: list[dict[str, Any]], kept: list[str], found: str
) -> None:
    by_kind = {document["kind"]: document for document in documents}
    with pytest.raises(ValueError, match=f"one Deployment, training-operator; found: {found}"):
        operator_objects([by_kind[kind] for kind in kept], SETTINGS)


def test_secrets_for_pulling_are_named_only_where_there_are_any(documents: list[dict[str, Any]]) -> None:
    pod = find(operator_objects(documents, SETTINGS), "Deployment")["spec"]["template"]["spec"]
    assert "imagePullSecrets" not in pod
    settings = dataclasses.replace(SETTINGS, pull_secrets=["site"])
    pod = find(operator_objects(documents, settings), "Deployment")["spec"]["template"]["spec"]
    assert pod["imagePullSecrets"] == [{"name": "site"}]
