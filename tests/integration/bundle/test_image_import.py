# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that fills up during an import: nothing half-imported counts, and room is all that it takes to go on."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.containerd_images import differing, parse_list
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.image_import import from_folder, import_all, pin
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import WorkError
from tests.integration.support.containerd import Place
from tests.support.paths import bundle_dir

pytestmark = [
    pytest.mark.api,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk and run containerd"),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 60 MB: room for the packed layers of two images, not for what is in them."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def place(tmp_path: Path, disk: Path) -> Iterator[Place]:
    inside = Place(tmp_path / "inside")
    inside.start_containerd(disk)
    yield inside
    inside.stop()


def wanted(*names: str) -> list[dict[str, Any]]:
    index = read_index(str(bundle_dir()))
    fields = ("name", "ref", "digest", "path", "sha256", "size")
    return [{field: getattr(index.named("image", name), field) for field in fields} for name in names]


def send(folder: Path, images: list[dict[str, Any]]) -> str:
    folder.mkdir(exist_ok=True)
    for image in images:
        shutil.copyfile(bundle_dir() / image["path"], folder / image["sha256"])
    return str(folder)


def lacking(place: Place, images: list[dict[str, Any]]) -> list[str]:
    missing, _unpinned = differing(images, parse_list(place.ctr(["ls"])[1]), pinned=True)
    return [image["name"] for image in missing]


def test_a_disk_that_fills_up_in_the_middle_of_an_import(place: Place, disk: Path, tmp_path: Path) -> None:
    images = wanted("pause", "kube-proxy", "coredns")
    incoming = send(tmp_path / "incoming", images)
    with pytest.raises(WorkError) as refused:
        import_all(place.ctr, from_folder(incoming), images, lambda line: None, str(disk))
    needed = -(-6 * images[1]["size"] // 1_000_000)
    for words in (images[1]["ref"], f"the disk at {disk}:", "MB are free", f"at least {needed} MB", "Make room there"):
        assert words in str(refused.value)
    assert lacking(place, images) == ["kube-proxy", "coredns"]

    subprocess.run(["mount", "-o", "remount,size=1g", str(disk)], check=True)
    rest = [image for image in images if image["name"] != "pause"]
    import_all(place.ctr, from_folder(send(tmp_path / "incoming", rest)), rest, lambda line: None, str(disk))
    pin(place.ctr, images)
    assert lacking(place, images) == []
    assert "kube-proxy" in place.ctr(["check", f"name=={images[1]['ref']}"])[1]


def test_a_disk_without_room_for_the_archives_is_refused_before(place: Place, disk: Path, tmp_path: Path) -> None:
    images = wanted("pause", "tensorflow")
    with pytest.raises(WorkError, match="nothing was imported: no room for 2 images on the disk at "):
        import_all(place.ctr, from_folder(str(tmp_path)), images, lambda line: None, str(disk))
    assert lacking(place, images) == ["pause", "tensorflow"]
