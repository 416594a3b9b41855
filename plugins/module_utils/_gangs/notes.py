# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What does not stop a gang and still is not what its options seem to say. Pure."""

from __future__ import annotations

from typing import Any, List, Mapping

from .._kube.cluster import NEWEST, Cluster
from .._pods.demand import demand_of_pod
from .backend_kube_batch import KUBE_BATCH
from .backend_native import NATIVE
from .gang import BACKENDS, priority_of
from .shape import shape_of

_SHARED = ("cpu", "memory")


def gang_notes(options: Mapping[str, Any], specs: Mapping[str, Any], cluster: Cluster = NEWEST) -> List[str]:
    """Return what a user should hear of a job's gang. options: of the job. specs: its replica types, as rendered."""
    gang = options.get("gang")
    if gang is None:
        return []
    backend = shape_of(cluster, BACKENDS[gang["backend"]])
    if backend.name == NATIVE.name and "priority_class" not in backend.extras and priority_of(specs)[0]:
        return [f"{backend.title} does not know the priority of a gang: only its pods have one"]
    return _of_kube_batch(gang, specs)


def _of_kube_batch(gang: Mapping[str, Any], specs: Mapping[str, Any]) -> List[str]:
    if gang.get("backend") != KUBE_BATCH.name or not gang.get("queue"):
        return []
    try:
        pods = [demand_of_pod(spec["template"].get("spec") or {}) for spec in specs.values()]
    except ValueError:
        # What is no quantity is told with its template, and then nothing is written.
        return []
    asked = {name for pod in pods for name in pod.requests}
    missing = [name for name in _SHARED if name not in asked]
    if not missing:
        return []
    return [
        f"{KUBE_BATCH.title} takes a queue for full when it holds its part of every resource, and no pod of this job "
        f"asks for {' or '.join(missing)}: queue {gang['queue']} may take more than its share; give resources.requests"
    ]
