# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk without room is told by its mount point, with what is free and what is needed."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.disk import (
    free_bytes,
    full_disk,
    lacking_room,
    mount_of,
)


def test_the_disk_of_a_path_that_is_yet_to_be_made() -> None:
    assert mount_of("/proc/none/at/all") == "/proc"
    assert mount_of("/none/at/all") == "/"


def test_free_room_is_that_of_the_file_system(tmp_path: Path) -> None:
    assert free_bytes(str(tmp_path / "none")) > 0


def test_the_sentence_names_disk_free_and_needed_rounded_to_the_safe_side() -> None:
    text = full_disk("/proc/x", 1_000_001, "image a", free=999_999)
    assert text.startswith("no room for image a on the disk at /proc: 0 MB are free, at least 2 MB are needed.")


def test_paths_on_one_disk_are_counted_together() -> None:
    needs = {"/a": 6, "/b": 5, "/proc/c": 5}
    assert lacking_room(needs, "files", free=lambda mount: 11) is None
    problem = lacking_room(needs, "files", free=lambda mount: 10)
    assert problem is not None
    assert "the disk at /:" in problem
