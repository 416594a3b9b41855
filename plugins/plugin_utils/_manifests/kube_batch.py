# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-batch's objects: definitions in the form that Kubernetes takes, a Deployment, and the rights that it uses. Pure.

Its maintainers' own definitions are apiextensions v1beta1, gone since Kubernetes 1.22, and their guides made it
cluster-admin.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Sequence

from ...module_utils._kube.image_name import pull_secrets
from ...module_utils._kube.resource import Manifest
from ...module_utils._pods.security import container_security, pod_security
from .scheduler_deployment import conf_mark, one_at_a_time

NAME = "kube-batch"
NAMESPACE = "kube-batch"
CONF_FILE = "kube-batch.conf"
METRICS_PORT = 8080
# It watches both groups and does not begin before it has seen both.
GROUPS: Mapping[str, str] = {"scheduling.incubator.k8s.io": "v1alpha1", "scheduling.sigs.dev": "v1alpha2"}
_READ = ["list", "watch"]
_RBAC = "rbac.authorization.k8s.io"


@dataclass(frozen=True)
class Settings:
    """What a user may choose.

    scheduler_conf: its configuration, as text. period: seconds between two rounds of scheduling. priority_classes:
    whether it reads them, which it does in a version that Kubernetes 1.22 has dropped. resources, tolerations: of its
    pod. pull_secrets: names of Secrets in its namespace with which its image is pulled.
    """

    image: str
    scheduler_conf: str
    period: float = 1.0
    priority_classes: bool = False
    resources: Mapping[str, Any] = field(default_factory=dict)
    tolerations: Sequence[Mapping[str, Any]] = ()
    pull_secrets: Sequence[str] = ()


def kube_batch_objects(settings: Settings) -> List[Manifest]:
    """Return the objects to apply, without queues."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        *definitions(),
        # Without any field of ours nobody could tell that it is ours.
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {**_inside(), "labels": {"app": NAME}}},
        *_rights(),
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _inside(),
            "data": {CONF_FILE: settings.scheduler_conf},
        },
        _deployment(settings),
    ]


def definitions() -> List[Manifest]:
    """Return the CRDs."""
    return [_definition(group, version, kind) for group, version in GROUPS.items() for kind in ("PodGroup", "Queue")]


def _definition(group: str, version: str, kind: str) -> Manifest:
    plural = f"{kind.lower()}s"
    metadata: Dict[str, Any] = {"name": f"{plural}.{group}"}
    if group.endswith(".k8s.io"):
        # The API server takes a foreign definition in a group of Kubernetes' own only when it owns up to it.
        metadata["annotations"] = {"api-approved.kubernetes.io": "unapproved, the group of kube-batch 0.5"}
    # Without a subresource: it writes the status of a PodGroup together with the whole object, as v0.5 does.
    schema = {"type": "object", "properties": _PROPERTIES[kind]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {
            "group": group,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced" if kind == "PodGroup" else "Cluster",
            "versions": [
                {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}},
            ],
        },
    }


def _numbers(*names: str) -> Dict[str, Any]:
    return {name: {"type": "integer", "format": "int32"} for name in names}


def _texts(*names: str) -> Dict[str, Any]:
    return {name: {"type": "string"} for name in names}


_CONDITION = _texts("type", "status", "transitionID", "lastTransitionTime", "reason", "message")
_PROPERTIES: Mapping[str, Dict[str, Any]] = {
    "PodGroup": {
        "spec": {"type": "object", "properties": {**_numbers("minMember"), **_texts("queue", "priorityClassName")}},
        "status": {
            "type": "object",
            "properties": {
                **_texts("phase"),
                **_numbers("running", "succeeded", "failed"),
                "conditions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {**_CONDITION, "lastTransitionTime": {"type": "string", "nullable": True}},
                    },
                },
            },
        },
    },
    "Queue": {
        "spec": {"type": "object", "properties": {"weight": {"type": "integer", "format": "int32", "minimum": 1}}},
        "status": {"type": "object", "properties": _numbers("unknown", "pending", "running")},
    },
}


def _rights() -> List[Manifest]:
    """Return its role, which lets it look, bind and evict pods, and write how they and their groups are."""
    return [
        {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": NAME}, "rules": rules()},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": NAME},
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
        },
    ]


def rules() -> List[Dict[str, List[str]]]:
    """Return what it does, call by call."""
    return [
        _rule("", ["nodes"], _READ),
        # One by one after a bind that failed; deleted to make room for others.
        _rule("", ["pods"], ["get", "delete", *_READ]),
        _rule("", ["pods/binding"], ["create"]),
        _rule("", ["pods/status"], ["update"]),
        # A volume that waits for its first consumer is bound together with the pod.
        _rule("", ["persistentvolumes", "persistentvolumeclaims"], ["get", "update", *_READ]),
        _rule("storage.k8s.io", ["storageclasses"], _READ),
        _rule("policy", ["poddisruptionbudgets"], _READ),
        _rule("scheduling.k8s.io", ["priorityclasses"], _READ),
        *(_rule(group, ["queues"], _READ) for group in GROUPS),
        *(_rule(group, ["podgroups"], ["update", *_READ]) for group in GROUPS),
        _rule("", ["events"], ["create", "patch", "update"]),
    ]


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> Dict[str, List[str]]:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def _deployment(settings: Settings) -> Manifest:
    labels = {"app": NAME}
    pod: Dict[str, Any] = {
        "serviceAccountName": NAME,
        "securityContext": pod_security(),
        "tolerations": [dict(one) for one in settings.tolerations],
        "containers": [
            {
                "name": NAME,
                "image": settings.image,
                "imagePullPolicy": "IfNotPresent",
                "args": arguments(settings, f"/etc/{NAME}/{CONF_FILE}"),
                "ports": [{"name": "metrics", "containerPort": METRICS_PORT, "protocol": "TCP"}],
                "resources": dict(settings.resources),
                "securityContext": container_security(),
                # It serves them from its start on, and ends when something goes wrong.
                "readinessProbe": {"httpGet": {"path": "/metrics", "port": METRICS_PORT}, "periodSeconds": 5},
                "volumeMounts": [{"name": "conf", "mountPath": f"/etc/{NAME}", "readOnly": True}],
            }
        ],
        "volumes": [{"name": "conf", "configMap": {"name": NAME}}],
    }
    if settings.pull_secrets:
        pod["imagePullSecrets"] = pull_secrets(settings.pull_secrets)
    # It reads its configuration once.
    annotations = {
        **conf_mark(settings.scheduler_conf),
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(METRICS_PORT),
        "prometheus.io/path": "/metrics",
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _inside(),
        "spec": {
            "replicas": 1,
            "strategy": one_at_a_time(),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels, "annotations": annotations}, "spec": pod},
        },
    }


def arguments(settings: Settings, conf: str) -> List[str]:
    """Return its flags. conf: where its configuration lies."""
    return [
        "--logtostderr",
        "--v=3",
        f"--scheduler-conf={conf}",
        f"--schedule-period={settings.period:g}s",
        f"--priority-class={str(settings.priority_classes).lower()}",
        f"--listen-address=:{METRICS_PORT}",
    ]


def _inside() -> Dict[str, Any]:
    return {"name": NAME, "namespace": NAMESPACE}
