# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repository in a bundle becomes what it shall be, and one altered byte in it is put right."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import (
    Entry,
    Index,
    read_index,
    verify,
    write_index,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.packages import (
    bring_in,
    is_whole,
    present,
    unpack,
    versions,
)
from tests.unit.debs import CONTENT, DEBS, control

FOLDER = "packages/debian-12-amd64"
CONTROLS = {deb.sha256: control(deb) for deb in DEBS}
OTHER = Entry("bin/kubelet", "program", "kubelet", "0" * 64, 1, "0755", "build")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    folder.mkdir()
    write_index(str(folder), Index("2026.11", "amd64", [OTHER]))
    return folder


def files(tmp_path: Path) -> dict[str, Path]:
    for deb in DEBS:
        (tmp_path / deb.sha256).write_bytes(CONTENT[deb.name])
    return {deb.sha256: tmp_path / deb.sha256 for deb in DEBS}


def whole(bundle: Path) -> bool:
    index = read_index(str(bundle))
    return is_whole(index, FOLDER, DEBS, present(bundle, index))


def test_packages_come_and_stay(bundle: Path, tmp_path: Path) -> None:
    assert not whole(bundle)
    bring_in(bundle, FOLDER, DEBS, files(tmp_path), CONTROLS)
    assert whole(bundle)
    index = read_index(str(bundle))
    assert OTHER in index.files
    ours = [entry for entry in index.files if entry.kind == "package"]
    assert verify(str(bundle), ours) == []
    assert {entry.name for entry in ours} == {"socat", "conntrack", "Packages", "Packages.gz", "Release"}
    assert versions(bundle, index, FOLDER) == {"socat": "1.7.4.4-2", "conntrack": "1:1.4.7-1+b2"}


def test_a_package_that_is_no_longer_needed_goes(bundle: Path, tmp_path: Path) -> None:
    bring_in(bundle, FOLDER, DEBS, files(tmp_path), CONTROLS)
    found = present(bundle, read_index(str(bundle)))
    bring_in(bundle, FOLDER, DEBS[1:], found.files(bundle), found.controls)
    assert versions(bundle, read_index(str(bundle)), FOLDER) == {"socat": "1.7.4.4-2"}
    assert not (bundle / FOLDER / DEBS[0].file).exists()


@pytest.mark.parametrize("name", [DEBS[0].file, "Packages", "Packages.gz", "Release"])
def test_one_altered_byte_is_noticed_and_put_right(bundle: Path, tmp_path: Path, name: str) -> None:
    bring_in(bundle, FOLDER, DEBS, files(tmp_path), CONTROLS)
    path = bundle / FOLDER / name
    path.write_bytes(b"x" + path.read_bytes()[1:])
    assert not whole(bundle)
    found = present(bundle, read_index(str(bundle)))
    bring_in(bundle, FOLDER, DEBS, {**found.files(bundle), **files(tmp_path)}, {**CONTROLS, **found.controls})
    assert whole(bundle)


def test_another_system_takes_what_is_there_already(bundle: Path, tmp_path: Path) -> None:
    bring_in(bundle, FOLDER, DEBS, files(tmp_path), CONTROLS)
    found = present(bundle, read_index(str(bundle)))
    bring_in(bundle, "packages/debian-13-amd64", DEBS, found.files(bundle), found.controls)
    assert whole(bundle)
    index = read_index(str(bundle))
    assert verify(str(bundle), [entry for entry in index.files if entry.kind == "package"]) == []
    assert len(index.files) == 11


def test_only_right_files_come_out_of_an_archive(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, content in ((DEBS[0].sha256, b"altered"), (f"../{DEBS[1].sha256}", CONTENT["socat"])):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    assert unpack(tmp_path / "a.tar", tmp_path) == {DEBS[1].sha256: tmp_path / DEBS[1].sha256}
