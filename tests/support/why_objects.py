# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster in which a job waits, in the shapes of Kubernetes 1.37."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_job import OperatorJob
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.cause import Evidence
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.read_state import read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import Why, explain
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why_placing import held_by
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.node_fit import Ground

NOW = datetime(2026, 11, 28, 12, 0, 0, tzinfo=timezone.utc)
LONG_AGO, JUST_NOW = "2026-11-28T11:00:00Z", "2026-11-28T11:59:58Z"
JOB_LABEL = TFJOB.labels.job
GPU = "nvidia.com/gpu"
IMAGE = "registry.example/bert:5"
NOT_FOUND = (
    'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/bert:5": failed to resolve'
    ' reference "registry.example/bert:5": registry.example/bert:5: not found'
)


def job(
    status: dict[str, Any] | None = None, made: str = LONG_AGO, kind: OperatorJob = TFJOB, **types: int
) -> dict[str, Any]:
    """Return a live job with so many replicas of each type; 2 Workers when none is given."""
    template = {"spec": {"containers": [{"name": kind.container, "image": "t:1"}]}}
    replicas = {name: {"replicas": count, "template": template} for name, count in (types or {"Worker": 2}).items()}
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": "bert", "namespace": "team-a", "uid": "job-1", "creationTimestamp": made},
        "spec": {"runPolicy": {}, kind.replica_specs: replicas},
        "status": {"conditions": [{"type": "Created", "status": "True"}], **(status or {})},
    }


def ended(word: str, message: str) -> dict[str, Any]:
    """Return the status of a job with this condition."""
    return {"conditions": [{"type": word, "status": "True", "reason": f"TFJob{word}", "message": message}]}


def pod(
    index: int = 0,
    kind: str = "worker",
    says: str | None = None,
    node: str = "",
    made: str = LONG_AGO,
    phase: str = "Pending",
    status: dict[str, Any] | None = None,
    resources: dict[str, Any] | None = None,
    **spec: Any,
) -> dict[str, Any]:
    """Return a pod of the job. says: the scheduler, when it found no node for it; it has one when node is given."""
    conditions: list[dict[str, Any]] = []
    if says is not None:
        conditions = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": says}]
    elif node:
        conditions = [{"type": "PodScheduled", "status": "True"}]
    labels = {JOB_LABEL: "bert", TFJOB.labels.type: kind, TFJOB.labels.index: str(index)}
    owner = {"kind": "TFJob", "name": "bert", "uid": "job-1"}
    container = {"name": "tensorflow", "image": IMAGE, "resources": resources or {}}
    return {
        "metadata": {
            "name": f"bert-{kind}-{index}",
            "namespace": "team-a",
            "uid": f"pod-{kind}-{index}",
            "labels": labels,
            "ownerReferences": [owner],
            "creationTimestamp": made,
        },
        "spec": {"nodeName": node or None, "containers": [container], **spec},
        "status": {"phase": phase, "conditions": conditions, **(status or {})},
    }


def placed(index: int = 0, status: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Return a pod that has a node."""
    return pod(index, node="gpu-1", status=status, **options)


def waits(reason: str, message: str = "", name: str = "tensorflow", **more: Any) -> dict[str, Any]:
    """Return the status of a pod whose container waits."""
    waiting = {"reason": reason, **({"message": message} if message else {})}
    return {"containerStatuses": [{"name": name, "state": {"waiting": waiting}, "restartCount": 0, **more}]}


def stops(code: int, reason: str = "Error", **more: Any) -> dict[str, Any]:
    """Return the status of a pod whose container ended."""
    terminated = {"exitCode": code, "reason": reason, **more}
    return {"containerStatuses": [{"name": "tensorflow", "state": {"terminated": terminated}, "restartCount": 0}]}


def gpus(number: int, **more: str) -> dict[str, Any]:
    """Return resources with GPUs."""
    return {"limits": {GPU: str(number), **more}}


def gang_job(count: int, number: int) -> dict[str, Any]:
    """Return a job of so many workers that ask for so many GPUs each."""
    live = job(Worker=count)
    template = live["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    template["spec"]["containers"][0]["resources"] = gpus(number)
    return live


def node(name: str, gpu: int = 0, ready: str = "True", **options: Any) -> dict[str, Any]:
    """Return a node of 8 cores, 16 GiB and GPUs; options: labels, taints, unschedulable, allocatable."""
    allocatable = {"cpu": "8", "memory": "16Gi", "pods": "110", GPU: str(gpu), **options.get("allocatable", {})}
    condition = {"type": "Ready", "status": ready}
    if ready != "True":
        condition.update(reason="NodeStatusUnknown", message="Kubelet stopped posting node status.")
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **options.get("labels", {})}},
        "spec": {"taints": options.get("taints"), "unschedulable": options.get("unschedulable")},
        "status": {"allocatable": allocatable, "conditions": [condition]},
    }


def holder(name: str, place: str, resources: dict[str, Any], job_name: str = "", owner: str = "") -> Any:
    """Return a running pod of somebody else. owner: the kind of what made it."""
    labels = {JOB_LABEL: job_name} if job_name else {}
    owners = [{"kind": owner, "name": "o", "controller": True}] if owner else []
    spec = {"nodeName": place, "containers": [{"name": "c", "resources": resources}]}
    metadata = {"name": name, "namespace": "team-b", "labels": labels, "ownerReferences": owners}
    return held_by({"metadata": metadata, "spec": spec}, {JOB_LABEL: "job"})


def event(reason: str, message: str, kind: str = "TFJob", name: str = "bert") -> dict[str, Any]:
    """Return a warning."""
    about = {"kind": kind, "name": name, "uid": "x"}
    return {"type": "Warning", "reason": reason, "message": message, "involvedObject": about}


def why(
    live: dict[str, Any] | None, pods: list[dict[str, Any]], kind: JobKind = TFJOB, uid: str = "job-1", **seen: Any
) -> Why:
    """Return the explanation of a job."""
    state = read_state(kind, live, pods, [], uid, NOW)
    ground = Ground(seen.pop("nodes", None), seen.pop("held", None))
    return explain(kind, kind.ref("bert", "team-a"), state, live, pods, Evidence(NOW, ground, **seen))
