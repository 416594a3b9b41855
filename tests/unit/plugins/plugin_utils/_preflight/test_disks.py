# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Room on disks: the installation's need above the kubelet's threshold, once for each file system."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.disks import FOLDERS, IMAGES, checks

ALL = [*FOLDERS, IMAGES]
OPTIONS: dict[str, Any] = {"min_disk_mb": 4096, "min_inodes": 100000, "control_plane": True, "kubelet_settings": {}}


def disk(size: int, free: int, device: int = 1, inodes: int = 10**7, inodes_free: int = 9 * 10**6) -> dict[str, int]:
    """Return what node_info tells of a folder's file system."""
    return {"size_mb": size, "free_mb": free, "device": device, "inodes": inodes, "inodes_free": inodes_free}


def found(disks: dict[str, Any], node: bool = False, **options: Any) -> list[tuple[str, str]]:
    """Return field and rule of each problem."""
    facts = {"disks": disks, "kubernetes": {"kubelet_conf": node}}
    return [(problem.field, problem.rule) for problem in checks(facts, {**OPTIONS, **options})]


@pytest.mark.parametrize(
    ("size", "free", "settings", "refused"),
    [
        (20000, 7096, {}, False),
        (20000, 7095, {}, True),
        (2000000, 304096, {}, False),
        (2000000, 304095, {}, True),
        (2000000, 5120, {"evictionHard": {"imagefs.available": "1Gi", "nodefs.available": "1Gi"}}, False),
        (2000000, 5119, {"evictionHard": {"imagefs.available": "1Gi"}}, True),
        (2000000, 4096, {"evictionHard": {"memory.available": "100Mi"}}, False),
        (2000000, 5119, {"evictionHard": {"imagefs.available": "1Gi"}, "mergeDefaultEvictionSettings": True}, True),
        (20000, 6096, {"evictionHard": {"nodefs.available": "10%"}}, False),
        (20000, 6095, {"evictionHard": {"nodefs.available": "10%"}}, True),
        (20000, 4096, {"evictionHard": {"imagefs.available": "nonsense"}}, False),
    ],
)
def test_one_file_system_for_all(size: int, free: int, settings: dict[str, Any], refused: bool) -> None:
    disks = {folder: disk(size, free) for folder in ALL}
    fields = [field for field, _rule in found(disks, kubelet_settings=settings)]
    assert fields == ["free disk at /var/lib/containerd"] * refused


@pytest.mark.parametrize("folder", ALL)
def test_each_folder_may_be_a_file_system_of_its_own(folder: str) -> None:
    disks = {name: disk(100000, 90000) for name in ALL}
    disks[folder] = disk(100, 10, device=2)
    assert [field for field, _rule in found(disks)] == [f"free disk at {folder}"]


def test_a_worker_has_no_etcd() -> None:
    disks = {name: disk(100000, 90000) for name in ALL}
    disks["/var/lib/etcd"] = disk(100, 10, device=2)
    assert found(disks, control_plane=False) == []


@pytest.mark.parametrize(
    ("inodes", "free", "refused"),
    [(10**6, 150000, False), (10**6, 149999, True), (0, 0, False), (2 * 10**7, 1100000, False)],
)
def test_inodes(inodes: int, free: int, refused: bool) -> None:
    disks = {folder: disk(100000, 90000, inodes=inodes, inodes_free=free) for folder in ALL}
    assert [field for field, _rule in found(disks)] == [f"free inodes at {IMAGES}"] * refused


def test_a_node_is_left_to_its_kubelet_and_an_unknown_disk_to_nobody() -> None:
    assert found({folder: disk(100000, 1) for folder in ALL}, node=True) == []
    assert found(dict.fromkeys(ALL)) == []


def test_the_message_names_both_parts_and_both_options() -> None:
    facts = {"disks": {IMAGES: disk(20000, 100)}, "kubernetes": None}
    line = checks(facts, OPTIONS)[0].line()
    assert "100 of 20000 MiB: 4096 MiB for the installation and 3000 MiB" in line
    assert "preflight_min_disk_mb and kubernetes_kubelet_settings.evictionHard" in line
