# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of old guides, which today's servers take without a word or refuse without a hint. Pure.

One table for rendered pods and for native objects.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping

from .._common.problem import Problem
from .._kube.names import GROUP_NAME

_GANG = "Give option gang of the job's module: it makes the PodGroup and marks the pods"
_OLD_GPU = "alpha.kubernetes.io/nvidia-gpu"
_OLD_INDEX = "VK_TASK_INDEX"
_INDEX = (
    "Read the index from TF_CONFIG (TFJob), from RANK (PyTorchJob), or from the label"
    " training.kubeflow.org/replica-index by fieldRef"
)

# Marks on pods and jobs, by how their keys begin.
_MARKS = {
    "scheduler.alpha.kubernetes.io/affinity": "Write spec.affinity (option affinity)",
    "scheduler.alpha.kubernetes.io/tolerations": "Write spec.tolerations (option tolerations)",
    "scheduler.alpha.kubernetes.io/name": "Write spec.schedulerName",
    "scheduler.alpha.kubernetes.io/critical-pod": "Write spec.priorityClassName (option priority_class)",
    "scheduling.incubator.k8s.io/": _GANG,
    "scheduling.k8s.io/kube-": _GANG,
    "scheduling.sigs.dev/": _GANG,
    "pod-group.scheduling.sigs.k8s.io": _GANG,
    "kubeflow.org/gang-scheduler": _GANG,
}
# Those who read the name of a group, when they are the pod's scheduler.
_READERS = ("volcano", "kube-batch")
_SCHEDULERS = ("kube-batchd", "kube-arbitrator", "kar-scheduler")


def check_marks(metadata: Mapping[str, Any], scheduler: str, field: str) -> List[Problem]:
    """Return the labels and annotations of retired schedulers. scheduler: of the pods, empty for the default one."""
    problems: List[Problem] = []
    for part in ("labels", "annotations"):
        for key, value in _map(metadata.get(part)).items():
            way_out = next((text for mark, text in _MARKS.items() if key.startswith(mark)), "")
            if key == GROUP_NAME and scheduler not in _READERS:
                way_out = _GANG
            if way_out:
                problems.append(
                    Problem(f"{field}.{part}[{key}]", str(value), "no scheduler of today reads it", way_out)
                )
    return problems


def check_old_pod(template: Any, field: str) -> List[Problem]:
    """Return the old forms in a pod template, of whatever form it is."""
    if not isinstance(template, dict):
        return []
    spec, metadata = _map(template.get("spec")), _map(template.get("metadata"))
    scheduler = str(spec.get("schedulerName") or "")
    problems = check_marks(metadata, scheduler, f"{field}.metadata")
    if scheduler in _SCHEDULERS:
        rule = "is a retired scheduler: pods would wait for ever"
        problems.append(Problem(f"{field}.spec.schedulerName", scheduler, rule, f"Leave it out. {_GANG}"))
    if scheduler == "kube-batch" and GROUP_NAME not in _map(metadata.get("annotations")):
        rule = "runs on clusters up to Kubernetes 1.24, and elsewhere pods would wait for ever"
        way_out = (
            "Leave it out; where kube-batch runs, give gang: {backend: kube_batch}, or name a PodGroup by annotation "
            + GROUP_NAME
        )
        problems.append(Problem(f"{field}.spec.schedulerName", scheduler, rule, way_out))
    for key, value in _map(spec.get("nodeSelector")).items():
        if key.startswith(_OLD_GPU):
            rule, way_out = (
                "no node of today carries this label",
                "Use nvidia.com/gpu.product, as NVIDIA's discovery sets it",
            )
            problems.append(Problem(f"{field}.spec.nodeSelector[{key}]", str(value), rule, way_out))
    for index, toleration in enumerate(_list(spec.get("tolerations"))):
        if str(toleration.get("key")).startswith(_OLD_GPU):
            rule, way_out = "no node of today has this taint", "Write nvidia.com/gpu"
            problems.append(Problem(f"{field}.spec.tolerations[{index}].key", str(toleration["key"]), rule, way_out))
    for part in ("containers", "initContainers"):
        for container in _list(spec.get(part)):
            problems += _container(container, f"{field}: container {container.get('name')}")
    return problems


def _container(container: Mapping[str, Any], field: str) -> Iterator[Problem]:
    resources = _map(container.get("resources"))
    for part in ("requests", "limits"):
        for key, value in _map(resources.get(part)).items():
            if key.startswith(_OLD_GPU):
                rule = "ended with Kubernetes 1.11; no node offers it"
                yield Problem(
                    f"{field}.resources.{part}[{key}]", str(value), rule, "Write nvidia.com/gpu (option gpus)"
                )
    rule = "was set by a scheduler of old, and by none of today"
    for entry in _list(container.get("env")):
        if entry.get("name") == _OLD_INDEX or _reads_index(entry.get("value")):
            yield Problem(f"{field}.env", _OLD_INDEX, rule, _INDEX)
    for part in ("command", "args"):
        words = container.get(part)
        if isinstance(words, list) and any(_reads_index(word) for word in words):
            yield Problem(f"{field}.{part}", _OLD_INDEX, rule, _INDEX)


def _reads_index(value: Any) -> bool:
    """Tell whether a text uses the old variable, as a shell or Kubernetes would."""
    return isinstance(value, str) and _OLD_INDEX in value


def _map(value: Any) -> Dict[str, Any]:
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def _list(value: Any) -> List[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
