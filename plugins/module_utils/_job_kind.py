# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tells one kind of training job from another. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Ref

JOB_LABEL = "training.kubeflow.org/job-name"
TYPE_LABEL = "training.kubeflow.org/replica-type"
INDEX_LABEL = "training.kubeflow.org/replica-index"


@dataclass(frozen=True)
class JobKind:
    """One kind of the training operator.

    replica_specs: the key under spec. container: name of the container that trains. types: replica types, in the order
    in which they are shown. leaders: types whose first pod speaks for the job, the best one first.
    """

    api_version: str
    kind: str
    replica_specs: str
    container: str
    types: Tuple[str, ...]
    leaders: Tuple[str, ...]

    def ref(self, name: str, namespace: str) -> Ref:
        """Return the identity of a job of this kind."""
        return Ref(self.api_version, self.kind, name, namespace)

    def type_of(self, label: str) -> str:
        """Return the replica type whose label value (lower case) is given."""
        return {name.lower(): name for name in self.types}.get(label, label)


TFJOB = JobKind(
    api_version="kubeflow.org/v1",
    kind="TFJob",
    replica_specs="tfReplicaSpecs",
    container="tensorflow",
    types=("Chief", "Master", "PS", "Worker", "Evaluator"),
    leaders=("Chief", "Master", "Worker"),
)
PYTORCHJOB = JobKind(
    api_version="kubeflow.org/v1",
    kind="PyTorchJob",
    replica_specs="pytorchReplicaSpecs",
    container="pytorch",
    types=("Master", "Worker"),
    leaders=("Master", "Worker"),
)
KINDS = {(kind.api_version, kind.kind): kind for kind in (TFJOB, PYTORCHJOB)}


def pod_labels(name: str) -> Dict[str, str]:
    """Return the label that every pod of a job carries."""
    return {JOB_LABEL: name}
