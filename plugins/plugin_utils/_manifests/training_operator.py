# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training operator's objects: upstream's standalone manifest, made fit for use. Pure."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from typing import Any, Sequence

from ...module_utils._kube.image_name import pull_secrets
from ...module_utils._pods.security import container_security, pod_security

NAME = "training-operator"
NAMESPACE = "kubeflow"
# Where the operator looks for the template of PyTorchJob's init container.
TEMPLATE_FOLDER = "/etc/config"
TEMPLATE_FILE = "initContainer.yaml"
HEALTH_PORT = 8081


@dataclass(frozen=True)
class Settings:
    """What a user may choose.

    image: the operator's image reference.
    replicas: pods of the operator; one leads, the others answer the webhook and stand by.
    controller_threads: jobs of one kind that are reconciled at the same time.
    api_qps, api_burst: requests a second to the API server, on average and at a stroke.
    resources, tolerations: of the operator's pods, in Kubernetes' own form.
    init_containers, init_image, init_tries: the template of the containers in which a PyTorchJob's workers wait for
    their master, as text, and what the operator fills in; no image, no container.
    pull_secrets: names of Secrets in the operator's namespace with which its image is pulled.
    """

    image: str
    replicas: int
    controller_threads: int
    api_qps: int
    api_burst: int
    resources: dict[str, Any]
    tolerations: list[dict[str, Any]]
    init_containers: str
    init_image: str
    init_tries: int
    pull_secrets: Sequence[str] = ()


def operator_objects(documents: Sequence[dict[str, Any] | None], settings: Settings) -> list[dict[str, Any]]:
    """Return the objects to apply: those of the manifest with the operator's Deployment rewritten, and three of ours.

    Raises ValueError when the manifest is not the operator's.
    """
    objects = [copy.deepcopy(document) for document in documents if document]
    deployments = [item for item in objects if item.get("kind") == "Deployment"]
    if [item["metadata"]["name"] for item in deployments] != [NAME]:
        found = ", ".join(item["metadata"]["name"] for item in deployments) or "none"
        raise ValueError(f"the manifest must hold one Deployment, {NAME}; found: {found}")
    _rewrite_deployment(deployments[0]["spec"], settings)
    return [*objects, _template_config_map(settings.init_containers), *_leader_election_role()]


def _rewrite_deployment(spec: dict[str, Any], settings: Settings) -> None:
    template = spec["template"]
    pod = template["spec"]
    (container,) = pod["containers"]
    spec["replicas"] = settings.replicas
    # The operator reads the template once, so a new one must bring new pods.
    digest = hashlib.sha256(settings.init_containers.encode()).hexdigest()[:16]
    template["metadata"].setdefault("annotations", {})["mlstack.trainyard/init-containers"] = digest
    pod["tolerations"] = settings.tolerations
    pod["securityContext"] = pod_security()
    if settings.pull_secrets:
        pod["imagePullSecrets"] = pull_secrets(settings.pull_secrets)
    pod["volumes"].append({"name": "config", "configMap": {"name": f"{NAME}-config"}})
    container["image"] = settings.image
    container["imagePullPolicy"] = "IfNotPresent"
    container["args"] = _arguments(settings)
    container["resources"] = settings.resources
    container["securityContext"] = container_security()
    container["volumeMounts"].append({"name": "config", "mountPath": TEMPLATE_FOLDER, "readOnly": True})
    container.update(_probes())


def _arguments(settings: Settings) -> list[str]:
    """The operator's flags. Its gang flag stays unset: whoever creates a job creates its PodGroup too."""
    return [
        # Always, because even a single replica has a twin while a new version rolls out.
        "--leader-elect",
        f"--controller-threads={settings.controller_threads}",
        f"--kube-api-qps={settings.api_qps}",
        f"--kube-api-burst={settings.api_burst}",
        *_init_arguments(settings),
    ]


def _init_arguments(settings: Settings) -> list[str]:
    if not settings.init_image:
        return []
    return [
        f"--pytorch-init-container-image={settings.init_image}",
        f"--pytorch-init-container-max-tries={settings.init_tries}",
    ]


def _probes() -> dict[str, Any]:
    """Probes that find the operator usable in seconds.

    The operator makes its certificate after its start and waits until it appears in the mounted Secret. The kubelet
    looks at a mounted Secret again about once a minute, or when a probe's answer changes. So the startup probe turns
    good right after the certificate is made.
    """
    alive = {"path": "/healthz", "port": HEALTH_PORT}
    ready = {"path": "/readyz", "port": HEALTH_PORT}
    return {
        "startupProbe": {"httpGet": alive, "initialDelaySeconds": 4, "periodSeconds": 2, "failureThreshold": 60},
        "livenessProbe": {"httpGet": alive, "periodSeconds": 20, "timeoutSeconds": 3},
        "readinessProbe": {"httpGet": ready, "periodSeconds": 2, "timeoutSeconds": 3},
    }


def _template_config_map(template: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"{NAME}-config", "namespace": NAMESPACE},
        "data": {TEMPLATE_FILE: template},
    }


def _leader_election_role() -> list[dict[str, Any]]:
    """What upstream's manifest forgets: its role knows no leases, so its own --leader-elect would be refused."""
    metadata = {"name": f"{NAME}-leader-election", "namespace": NAMESPACE}
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create", "get", "update"]}
    return [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata, "rules": [rule]},
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": dict(metadata),
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": metadata["name"]},
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
        },
    ]
