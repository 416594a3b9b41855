# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that several tests use, and the small things they do with them."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator

Manifest = dict[str, Any]


def config_map(name: str, namespace: str, labels: dict[str, str] | None = None, **data: str) -> Manifest:
    """Return a ConfigMap."""
    metadata = {"name": name, "namespace": namespace, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def namespace_object(name: str) -> Manifest:
    """Return a Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def crd(group: str, size: int = 0) -> Manifest:
    """Return a CRD of kind Widget; size: bytes of its compact JSON, 0 for as small as it is."""
    spec_schema = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema = {"type": "object", "description": "", "properties": {"spec": spec_schema}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    missing = size - len(json.dumps(manifest, separators=(",", ":")))
    schema["description"] = "x" * max(0, missing)
    return manifest


def open_crd(group: str, kind: str, version: str = "v1") -> Manifest:
    """Return a CRD of any kind whose objects hold anything; its controller writes their status."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    entry = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": f"{kind.lower()}s", "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": names,
            "versions": [{**entry, "subresources": {"status": {}}}],
        },
    }


def widget(group: str, name: str, namespace: str, **spec: Any) -> Manifest:
    """Return an object of the CRD's kind."""
    return {
        "apiVersion": f"{group}/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def deployment(name: str, namespace: str, replicas: int = 1) -> Manifest:
    """Return a Deployment."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "main:1"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def results(result: dict[str, Any]) -> list[str]:
    """Return what became of the objects, in order."""
    return [entry["result"] for entry in result["objects"]]


@contextmanager
def later(seconds: float, action: Callable[[], Any]) -> Iterator[None]:
    """Do something while the block goes on; an error in it fails the test."""
    errors: list[Exception] = []

    def act() -> None:
        time.sleep(seconds)
        try:
            action()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    yield
    thread.join()
    assert not errors, errors


def pod_of(job: str, namespace: str, kind: str, index: int, uid: str) -> Manifest:
    """Return a pod as the training operator makes it."""
    labels = {
        "training.kubeflow.org/job-name": job,
        "training.kubeflow.org/replica-type": kind.lower(),
        "training.kubeflow.org/replica-index": str(index),
    }
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": job, "uid": uid, "controller": True}
    metadata = {
        "name": f"{job}-{kind.lower()}-{index}",
        "namespace": namespace,
        "labels": labels,
        "ownerReferences": [owner],
    }
    spec = {"nodeName": f"node-{index}", "containers": [{"name": "tensorflow", "image": "tensorflow:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def container_status(**state: Any) -> Manifest:
    """Return a pod status whose main container is in one state: running, waiting or terminated."""
    name = next(iter(state))
    phase = {"running": "Running", "waiting": "Pending"}.get(name)
    if phase is None:
        phase = "Succeeded" if state[name]["exitCode"] == 0 else "Failed"
    entry = {
        "name": "tensorflow",
        "state": state,
        "ready": name == "running",
        "restartCount": 0,
        "image": "",
        "imageID": "",
    }
    return {"phase": phase, "conditions": [{"type": "PodScheduled", "status": "True"}], "containerStatuses": [entry]}


def job_condition(kind: str, reason: str = "", message: str = "") -> Manifest:
    """Return a job status as the training operator writes it at an end or on the way."""
    ends = {"completionTime": "2026-11-28T00:00:42Z"} if kind in ("Succeeded", "Failed") else {}
    condition = {"type": kind, "status": "True", "reason": reason or f"TFJob{kind}", "message": message}
    return {"startTime": "2026-11-28T00:00:00Z", "conditions": [condition], **ends}
