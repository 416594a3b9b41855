# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be ready in a cluster that works, found in the cluster itself, and its summary for people. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Mapping, Sequence

from .._job_model.state import JobState
from .._kube.resource import Manifest, Ref, ref_of

MIRROR = "kubernetes.io/config.mirror"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
# What role training_operator makes; its webhook is asked by a job of its own.
ADMISSION = "admissionregistration.k8s.io/v1"
OPERATOR = (
    Ref("apiextensions.k8s.io/v1", "CustomResourceDefinition", "tfjobs.kubeflow.org"),
    Ref("apps/v1", "Deployment", "training-operator", "kubeflow"),
)
WEBHOOK = Ref(ADMISSION, "ValidatingWebhookConfiguration", "validator.training-operator.kubeflow.org")
# Without names nothing finds anything. kubeadm and every installer known to us call it so.
DNS = Ref("apps/v1", "Deployment", "coredns", "kube-system")


@dataclass(frozen=True)
class Sample:
    """A sample job as it was found.

    state: Succeeded, Failed, another state of a job, or missing.
    seconds: from its start to its end; None before.
    """

    name: str
    state: str
    seconds: int | None = None
    message: str = ""


def wanted(nodes: Sequence[Manifest], pods: Sequence[Manifest]) -> dict[str, list[Ref]]:
    """Return what must be ready, by check: all nodes, DNS and whatever runs the system's pods, the operator.

    pods: of the system. They come and go, so what owns them is named; only static pods, which keep their names, stand
    for themselves.
    """
    system = dict.fromkeys([DNS, *(ref for pod in pods for ref in _owner(pod))])
    return {
        "nodes": [ref_of(node) for node in nodes],
        "system": [ref for ref in system if ref not in OPERATOR],
        "operator": [*OPERATOR],
        "webhook": [WEBHOOK],
    }


def _of(objects: Sequence[Manifest], kind: str) -> list[Manifest]:
    return [item for item in objects if item["kind"] == kind]


def _owner(pod: Manifest) -> Iterable[Ref]:
    """Yield what keeps a pod alive; nothing for a pod that is meant to end or that nobody owns."""
    metadata = pod["metadata"]
    space = metadata["namespace"]
    if MIRROR in metadata.get("annotations", {}):
        yield ref_of(pod)
        return
    for owner in metadata.get("ownerReferences", []):
        if owner["kind"] == "ReplicaSet":
            # A Deployment's ReplicaSet is called after it and the hash of its template.
            suffix = "-" + metadata.get("labels", {}).get("pod-template-hash", "")
            if owner["name"].endswith(suffix):
                yield Ref("apps/v1", "Deployment", owner["name"][: -len(suffix)], space)
        elif owner["kind"] in ("DaemonSet", "StatefulSet"):
            yield Ref(owner["apiVersion"], owner["kind"], owner["name"], space)


def sample_states(names: Sequence[str], states: Mapping[Ref, JobState]) -> list[Sample]:
    """Return how each named job stands. states: of all jobs in the namespace."""
    by_name = {ref.name: state for ref, state in states.items()}
    return [_sample(name, by_name[name]) if name in by_name else Sample(name, "missing") for name in names]


def _sample(name: str, state: JobState) -> Sample:
    seconds = int(state.duration_s) if state.ended and state.duration_s is not None else None
    return Sample(name, state.state.capitalize(), seconds, state.message)


def problems(samples: Sequence[Sample], namespace: str) -> list[str]:
    """Return what is wrong with the samples, each with the way out."""
    lines = []
    for sample in samples:
        look = f"ansible-playbook trainyard.mlstack.job_status -e job_status_namespace={namespace}"
        if sample.state == "missing":
            lines.append(f"{sample.name}: there is no such job. Run it: ansible-playbook trainyard.mlstack.samples")
        elif sample.state == "Failed":
            lines.append(
                f"{sample.name}: failed ({sample.message}). Look: {look}. "
                "Run it again: ansible-playbook trainyard.mlstack.samples"
            )
        elif sample.state != "Succeeded":
            lines.append(f"{sample.name}: has not ended, its state is {sample.state}. Look: {look}")
    return lines


def summary(objects: Sequence[Manifest], samples: Sequence[Sample], kubeconfig: str, namespace: str) -> list[str]:
    """Return what is there and how to use it, one line each."""
    nodes = sorted(_of(objects, "Node"), key=lambda node: str(node["metadata"]["name"]))
    lines = [f"nodes ({len(nodes)}):"]
    lines += [f"  {_node(node)}" for node in nodes]
    lines.append("system:")
    lines += [f"  {image}" for image in _images(_of(objects, "Pod"))]
    for sample in samples:
        took = f" after {sample.seconds} s" if sample.seconds is not None else ""
        lines.append(f"sample {sample.name}: {sample.state}{took}")
    lines += [
        "use it:",
        f"  export KUBECONFIG={kubeconfig}",
        "  kubectl get nodes",
        f"  kubectl -n {namespace} get tfjobs,pods -o wide",
    ]
    return lines


def _node(node: Manifest) -> str:
    info = node["status"]["nodeInfo"]
    role = "control plane" if CONTROL_PLANE in node["metadata"].get("labels", {}) else "worker"
    return (
        f"{node['metadata']['name']}: {role}, kubelet {info['kubeletVersion']}, {info['containerRuntimeVersion']}, "
        f"{info['osImage']}"
    )


def _images(pods: Sequence[Manifest]) -> list[str]:
    return sorted({container["image"] for pod in pods for container in pod["spec"]["containers"]})
