# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept of a job's pod: thousands of them are held at once. Pure."""

from __future__ import annotations

from typing import Any, Dict, List

from .._kube.names import GROUP_NAME
from .._kube.resource import Manifest

# What decides where a pod may be placed.
_PLACING = (
    "affinity",
    "nodeSelector",
    "overhead",
    "resources",
    "schedulerName",
    "schedulingGates",
    "schedulingGroup",
    "tolerations",
    "workloadRef",
)
_CONTAINER = ("name", "image", "resources", "restartPolicy")


def slim_pod(pod: Manifest) -> Manifest:
    """Return what a state is read from; of a pod that waits also what says why it does."""
    metadata = {key: value for key, value in pod["metadata"].items() if key not in ("managedFields", "annotations")}
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    kept: Dict[str, Any] = {"nodeName": spec.get("nodeName")}
    if status.get("phase") == "Pending":
        kept.update({key: spec[key] for key in _PLACING if spec.get(key)})
        kept.update({key: _containers(spec[key]) for key in ("containers", "initContainers") if spec.get(key)})
        group = (pod["metadata"].get("annotations") or {}).get(GROUP_NAME)
        if group:
            metadata["annotations"] = {GROUP_NAME: group}
        kept["volumes"] = [volume for volume in spec.get("volumes") or [] if volume.get("persistentVolumeClaim")]
    return {"metadata": metadata, "spec": kept, "status": status}


def _containers(containers: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    return [{key: item[key] for key in _CONTAINER if key in item} for item in containers]
