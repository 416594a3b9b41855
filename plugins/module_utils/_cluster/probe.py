# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a full verification: pods on nodes, a service, a small job, in a namespace of their own. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._gangs.backend import Backend, Group
from .._gangs.gang import group_name, marked_template
from .._job_kinds.tfjob import TFJOB
from .._kube.image_name import pull_secrets
from .._kube.readiness import READY, readiness
from .._kube.resource import Manifest
from .._pods.node_fit import tolerated
from .._pods.security import container_security, pod_security

PORT = 8080
SERVICE = "probe"
JOB = "exchange"
WORKERS = 2
LABELS = {"app.kubernetes.io/managed-by": "trainyard.mlstack", "app.kubernetes.io/component": "verify"}
_SERVER, _CLIENT = "server", "client"
_SERVED = {"mlstack.trainyard/behind": SERVICE}
_RESOURCES = {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}}


@dataclass(frozen=True)
class Settings:
    """What a user may choose.

    namespace: made and removed. image: any with Python 3.8 as python3. program: what the pods run.
    pull_secrets: names of Secrets with which the image is pulled, copied from secrets_from, a namespace.
    tolerations: of all pods, in Kubernetes' own form.
    job_seconds: how long the job may take. gang: the scheduler that starts its pods together; None for no gang.
    """

    namespace: str
    image: str
    program: str
    pull_secrets: Sequence[str] = ()
    secrets_from: str = ""
    tolerations: Sequence[Mapping[str, Any]] = ()
    job_seconds: int = 120
    gang: Optional[Backend] = None


def namespace_object(settings: Settings) -> Manifest:
    """Return the namespace, which takes none but harmless pods."""
    labels = {**LABELS, "pod-security.kubernetes.io/enforce": "restricted"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": settings.namespace, "labels": labels}}


def secret_copy(settings: Settings, live: Manifest) -> Manifest:
    """Return a Secret of another namespace as one of ours."""
    metadata = {"name": live["metadata"]["name"], "namespace": settings.namespace, "labels": LABELS}
    kind = {"apiVersion": "v1", "kind": "Secret", "type": live.get("type")}
    return {**kind, "metadata": metadata, "data": live.get("data") or {}}


def usable_nodes(nodes: Sequence[Manifest], tolerations: Sequence[Mapping[str, Any]]) -> List[str]:
    """Return the names of the nodes that take pods like those of a job: ready, not cordoned, no taint in the way."""
    return sorted(
        str(node["metadata"]["name"])
        for node in nodes
        if readiness(node).state == READY
        and not (node.get("spec") or {}).get("unschedulable")
        and all(
            taint["effect"] == "PreferNoSchedule" or tolerated(taint, tolerations)
            for taint in (node.get("spec") or {}).get("taints") or []
        )
    )


def _spec(settings: Settings, arguments: Sequence[str]) -> Dict[str, Any]:
    container = {
        "name": TFJOB.container,
        "image": settings.image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["python3", "-c", settings.program, *arguments],
        "env": [
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            # The user of the pods has no home in the image, and nothing may be written.
            {"name": "PYTHONDONTWRITEBYTECODE", "value": "1"},
        ],
        "resources": _RESOURCES,
        "securityContext": container_security(),
    }
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [container],
        "imagePullSecrets": pull_secrets(settings.pull_secrets),
        "securityContext": pod_security(),
        "terminationGracePeriodSeconds": 1,
        "tolerations": list(settings.tolerations),
    }


def _pod(settings: Settings, role: str, index: int, node: str, arguments: Sequence[str]) -> Manifest:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    labels = {**LABELS, "mlstack.trainyard/probe": role}
    spec = {**_spec(settings, arguments), "affinity": affinity, "restartPolicy": "Never"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{role}-{index}", "namespace": settings.namespace, "labels": labels},
        "spec": spec,
    }


def servers(settings: Settings, nodes: Sequence[str]) -> List[Manifest]:
    """Return one server for each node."""
    pods = []
    for index, node in enumerate(nodes):
        pod = _pod(settings, _SERVER, index, node, ["serve", str(PORT)])
        probe = {"tcpSocket": {"port": PORT}, "periodSeconds": 1, "failureThreshold": 60}
        pod["spec"]["containers"][0]["readinessProbe"] = probe
        if index == 0:
            pod["metadata"]["labels"].update(_SERVED)
        pods.append(pod)
    return pods


def service(settings: Settings) -> Manifest:
    """Return a service in front of the first server."""
    metadata = {"name": SERVICE, "namespace": settings.namespace, "labels": LABELS}
    spec = {"selector": _SERVED, "ports": [{"port": PORT, "targetPort": PORT, "protocol": "TCP"}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def ring(names: Sequence[str]) -> List[List[str]]:
    """Return (from, to) pairs that join all names in a ring, both ways round; none for a single one.

    Each node sends and receives, and the number of pairs grows with the nodes, not with their square.
    """
    if len(names) < 2:
        return []
    pairs = {(name, names[(index + step) % len(names)]) for index, name in enumerate(names) for step in (1, -1)}
    return [list(pair) for pair in sorted(pairs)]


def targets(node: str, addresses: Mapping[str, str], behind: str, cluster_ip: str, namespace: str) -> List[List[Any]]:
    """Return what the client on a node tries.

    addresses: node -> its server's address, of the servers that run. behind: the node of the server that the service
    stands in front of; empty when there is none. cluster_ip: the service's address.
    """
    found: List[List[Any]] = [
        ["dns", f"{node}: kubernetes.default.svc", "resolve", ["kubernetes.default.svc", ""]],
        ["dns", f"{node}: {SERVICE}.{namespace}.svc", "resolve", [f"{SERVICE}.{namespace}.svc", cluster_ip]],
    ]
    for source, target in ring(sorted(addresses)):
        if source == node:
            found.append(["pod_network", f"{source} to {target}", "dial", [addresses[target], PORT, target]])
    # The server's own node is left out unless it is the only one: what crosses the network is what fails.
    if behind and (node != behind or len(addresses) == 1):
        found.append(["service", f"{node} to {behind} by {cluster_ip}", "dial", [cluster_ip, PORT, behind]])
    return found


def client(settings: Settings, index: int, node: str, wanted: Sequence[Sequence[Any]]) -> Manifest:
    """Return the pod that tries the targets."""
    return _pod(settings, _CLIENT, index, node, ["look", json.dumps(wanted)])


def job_object(settings: Settings) -> Manifest:
    """Return a TFJob of two workers, on two nodes if there are two, that ends by itself within its time."""
    spec = _spec(settings, ["job"])
    spec["topologySpreadConstraints"] = [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": TFJOB.pod_labels(JOB)},
        }
    ]
    template: Manifest = {"metadata": {"labels": LABELS}, "spec": spec}
    if settings.gang:
        template = marked_template(settings.gang, group_name(TFJOB, JOB), settings.gang.scheduler, template)
    metadata = {"name": JOB, "namespace": settings.namespace, "labels": LABELS}
    policy = {"cleanPodPolicy": "None", "activeDeadlineSeconds": settings.job_seconds, "backoffLimit": 0}
    workers = {"Worker": {"replicas": WORKERS, "restartPolicy": "Never", "template": template}}
    return TFJOB.manifest(metadata, {"runPolicy": policy}, workers)


def job_parts(settings: Settings) -> List[Manifest]:
    """Return what the job owns: its PodGroup, if it is a gang."""
    if settings.gang is None:
        return []
    return [settings.gang.manifest(group_name(TFJOB, JOB), settings.namespace, Group(WORKERS))]


def denied_job(namespace: str) -> Manifest:
    """Return a job that the operator's webhook must refuse: two leaders. It is never created."""
    template = {"spec": {"containers": [{"name": TFJOB.container, "image": "example.invalid/never-pulled"}]}}
    leaders = {kind: {"replicas": 1, "template": template} for kind in ("Chief", "Master")}
    return TFJOB.manifest({"name": "two-leaders", "namespace": namespace}, {}, leaders)
