# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects by which pods of several namespaces use one folder that all nodes share. Pure."""

from __future__ import annotations

import posixpath
from typing import Any, Sequence


def shared_volume_objects(
    namespaces: Sequence[str],
    claim: str,
    path: str,
    capacity: str,
    backend: str = "hostpath",
    storage_class: str = "",
) -> list[dict[str, Any]]:
    """Return the objects that give each namespace a volume which all nodes share, or a claim with `backend` claim."""
    if backend == "claim":
        return claim_objects(namespaces, claim, storage_class, capacity)
    return shared_folder_objects(namespaces, claim, path, capacity)


def shared_folder_objects(namespaces: Sequence[str], claim: str, path: str, capacity: str) -> list[dict[str, Any]]:
    """Return for each namespace the namespace, a volume and the claim bound to it.

    A volume belongs to one claim, so each namespace gets a volume of its own; all of them are the same folder.
    Raises ValueError unless `path` is absolute and not the root itself.
    """
    if not path.startswith("/") or not posixpath.normpath(path).strip("/"):
        raise ValueError(f"path = {path!r}: must be an absolute path below /")
    return [item for namespace in namespaces for item in _of_namespace(namespace, claim, path, capacity)]


def claim_objects(namespaces: Sequence[str], claim: str, storage_class: str, capacity: str) -> list[dict[str, Any]]:
    """Return for each namespace the namespace and a claim, for which the class makes a volume that all nodes can use.

    storage_class: empty means the cluster's default one.
    """
    chosen = {"storageClassName": storage_class} if storage_class else {}
    spec = {"accessModes": ["ReadWriteMany"], **chosen, "resources": {"requests": {"storage": capacity}}}
    objects: list[dict[str, Any]] = []
    for namespace in namespaces:
        metadata = {"name": claim, "namespace": namespace}
        objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        objects.append({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
    return objects


def _of_namespace(namespace: str, claim: str, path: str, capacity: str) -> list[dict[str, Any]]:
    volume = f"{claim}-{namespace}"
    # No class: a default class of the cluster must not provision another volume instead.
    common = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": volume},
            "spec": {
                **common,
                "capacity": {"storage": capacity},
                "claimRef": {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "name": claim,
                    "namespace": namespace,
                },
                # Directory and not DirectoryOrCreate: a node that lacks the mount must refuse the pod, or it would
                # write into a folder of its own.
                "hostPath": {"path": path, "type": "Directory"},
                "persistentVolumeReclaimPolicy": "Retain",
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": namespace},
            "spec": {**common, "resources": {"requests": {"storage": capacity}}, "volumeName": volume},
        },
    ]
