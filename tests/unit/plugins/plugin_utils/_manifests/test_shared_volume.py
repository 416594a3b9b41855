# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One folder for several namespaces: a volume for each claim, bound to it and to nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.shared_volume import (
    claim_objects,
    shared_folder_objects,
    shared_volume_objects,
)


def objects(namespaces: list[str], kind: str) -> list[dict[str, Any]]:
    return [item for item in shared_folder_objects(namespaces, "shared", "/srv/data", "5Gi") if item["kind"] == kind]


def test_each_namespace_gets_its_claim_and_a_volume_of_its_own() -> None:
    volumes = objects(["a", "b"], "PersistentVolume")
    claims = objects(["a", "b"], "PersistentVolumeClaim")
    assert [item["metadata"]["name"] for item in objects(["a", "b"], "Namespace")] == ["a", "b"]
    assert [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in claims] == [
        ("a", "shared"),
        ("b", "shared"),
    ]
    assert len({item["metadata"]["name"] for item in volumes}) == 2


def test_volume_and_claim_name_each_other() -> None:
    (volume,) = objects(["a"], "PersistentVolume")
    (claim,) = objects(["a"], "PersistentVolumeClaim")
    assert claim["spec"]["volumeName"] == volume["metadata"]["name"]
    assert volume["spec"]["claimRef"]["name"] == claim["metadata"]["name"]
    assert volume["spec"]["claimRef"]["namespace"] == claim["metadata"]["namespace"]


def test_many_nodes_write_no_class_provisions_and_nothing_is_deleted_with_the_claim() -> None:
    (volume,) = objects(["a"], "PersistentVolume")
    (claim,) = objects(["a"], "PersistentVolumeClaim")
    for item in (volume, claim):
        assert item["spec"]["accessModes"] == ["ReadWriteMany"]
        assert item["spec"]["storageClassName"] == ""
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"


def test_a_node_without_the_folder_makes_none_of_its_own() -> None:
    (volume,) = objects(["a"], "PersistentVolume")
    assert volume["spec"]["hostPath"] == {"path": "/srv/data", "type": "Directory"}


@pytest.mark.parametrize("path", ["srv/data", "", "/", "//", "/srv/.."])
def test_a_path_that_is_no_folder_below_the_root_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="must be an absolute path below /"):
        shared_folder_objects(["a"], "shared", path, "5Gi")


@pytest.mark.parametrize("storage_class", ["shared", ""])
def test_a_class_makes_a_volume_for_each_namespace(storage_class: str) -> None:
    made = claim_objects(["a", "b"], "data", storage_class, "5Gi")
    assert [item["kind"] for item in made] == ["Namespace", "PersistentVolumeClaim"] * 2
    claim = made[1]
    assert (claim["metadata"]["namespace"], claim["spec"]["accessModes"]) == ("a", ["ReadWriteMany"])
    # An empty name would mean that no class may make the volume.
    assert claim["spec"].get("storageClassName", "the default one") == (storage_class or "the default one")
    assert "volumeName" not in claim["spec"]


def test_the_backend_chooses_what_the_volume_is() -> None:
    options = {"claim": "shared", "path": "/srv", "capacity": "1Gi"}
    kinds = [item["kind"] for item in shared_volume_objects(["a"], **options)]
    assert kinds == ["Namespace", "PersistentVolume", "PersistentVolumeClaim"]
    kinds = [item["kind"] for item in shared_volume_objects(["a"], **options, backend="claim", storage_class="fast")]
    assert kinds == ["Namespace", "PersistentVolumeClaim"]
