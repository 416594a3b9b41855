# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tells one kind of training job from another. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Tuple

from .._kube.resource import Manifest, Ref


@dataclass(frozen=True)
class PodLabels:
    """Keys of the labels by which a job's pods are found: the job's name, the replica type (lower case), its index."""

    job: str
    type: str
    index: str


_OPERATOR = PodLabels(
    "training.kubeflow.org/job-name", "training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"
)
_OWN = PodLabels("trainyard.mlstack/job-name", "trainyard.mlstack/replica-type", "trainyard.mlstack/replica-index")
_VOLCANO = PodLabels("volcano.sh/job-name", "volcano.sh/task-spec", "volcano.sh/task-index")

OPERATOR, VOLCANO = "training operator", "Volcano"


@dataclass(frozen=True)
class JobKind:
    """One kind of training job.

    name: of the module that makes it. title: what people call it. api_version, kind: of the object that stands for the
    job; its deletion is the job's. replica_specs: the key under spec with the replica types; empty without an operator.
    container: name of the container that trains. types: replica types, in the order in which they are shown; none
    where each job names its own. leaders: types whose first pod speaks for the job, the best one first. fixed: other
    keys under spec that a live job does not change. labels: of its pods. maker: who makes the pods.
    """

    name: str
    title: str
    api_version: str
    kind: str
    replica_specs: str
    container: str
    types: Tuple[str, ...]
    leaders: Tuple[str, ...]
    fixed: Tuple[str, ...] = ()
    labels: PodLabels = _OPERATOR
    maker: str = OPERATOR

    def ref(self, name: str, namespace: str) -> Ref:
        """Return the identity of a job of this kind."""
        return Ref(self.api_version, self.kind, name, namespace)

    def type_of(self, label: str) -> str:
        """Return the replica type whose label value (lower case) is given."""
        return {name.lower(): name for name in self.types}.get(label, label)

    def is_root(self, owner: Mapping[str, Any], name: str) -> bool:
        """Tell whether an owner reference is to the job of this name: Volcano's Job is not that of Kubernetes."""
        group = str(owner.get("apiVersion") or self.api_version).rpartition("/")[0]
        return (group, owner.get("kind"), owner.get("name")) == (
            self.api_version.rpartition("/")[0],
            self.kind,
            name,
        )

    def specs(self, root: Mapping[str, Any]) -> Dict[str, Mapping[str, Any]]:
        """Return what the object that stands for a job says of its replica types, by name: Volcano has a list."""
        found = (root.get("spec") or {}).get(self.replica_specs) or {}
        if isinstance(found, list):
            return {str(item.get("name")): item for item in found}
        return dict(found)

    def pod_labels(self, name: str) -> Dict[str, str]:
        """Return the label that every pod of a job carries."""
        return {self.labels.job: name}


TFJOB = JobKind(
    name="tfjob",
    title="TFJob",
    api_version="kubeflow.org/v1",
    kind="TFJob",
    replica_specs="tfReplicaSpecs",
    container="tensorflow",
    types=("Chief", "Master", "PS", "Worker", "Evaluator"),
    leaders=("Chief", "Master", "Worker"),
)
PYTORCHJOB = JobKind(
    name="pytorchjob",
    title="PyTorchJob",
    api_version="kubeflow.org/v1",
    kind="PyTorchJob",
    replica_specs="pytorchReplicaSpecs",
    container="pytorch",
    types=("Master", "Worker"),
    leaders=("Master", "Worker"),
    fixed=("nprocPerNode", "elasticPolicy"),
)
# Without an operator: the ConfigMap with the cluster's lists stands for the job, and owns its Services and Jobs.
PS_JOB = JobKind(
    name="ps_job",
    title="parameter-server job",
    api_version="v1",
    kind="ConfigMap",
    replica_specs="",
    container="main",
    types=("PS", "Worker"),
    leaders=("Worker", "PS"),
    labels=_OWN,
    maker="",
)
# Its tasks have the names that the job gives them.
VOLCANO_JOB = JobKind(
    name="volcano_job",
    title="Volcano Job",
    api_version="batch.volcano.sh/v1alpha1",
    kind="Job",
    replica_specs="tasks",
    container="main",
    types=(),
    leaders=("chief", "master", "launcher", "worker"),
    labels=_VOLCANO,
    maker=VOLCANO,
)
JOB_KINDS = {kind.name: kind for kind in (TFJOB, PYTORCHJOB, PS_JOB, VOLCANO_JOB)}
KINDS = {(kind.api_version, kind.kind): kind for kind in (TFJOB, PYTORCHJOB)}
_TITLES = {(kind.api_version, kind.kind): kind.title for kind in JOB_KINDS.values()}


def kind_title(ref: Ref) -> str:
    """Return what people call a job of this kind: one without an operator is no ConfigMap to them."""
    return _TITLES.get((ref.api_version, ref.kind), ref.kind)


def job_title(ref: Ref) -> str:
    """Return a job as people call it."""
    return f"{kind_title(ref)} {ref.namespace}/{ref.name}"


def stands_for_job(config_map: Manifest) -> bool:
    """Tell whether a ConfigMap stands for a job, as it does for one without an operator."""
    labels = config_map["metadata"].get("labels") or {}
    return bool(labels.get(PS_JOB.labels.job) == config_map["metadata"]["name"])


def is_root(kind: JobKind, live: Manifest) -> bool:
    """Tell whether an object that has the name of a job's root is one, and not somebody's own ConfigMap."""
    return kind is not PS_JOB or stands_for_job(live)
