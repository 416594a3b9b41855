# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a bundle are put in place whole, from a folder or a server; a full disk leaves what was there."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle import files as bundle_files
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle import place as node_files
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.fetch import Server
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.files import (
    BundleFile,
    InstallError,
    compare,
    fetch_and_place,
    place,
)
from tests.support.fake_upstream import Upstream, serving

CONTENT = b"a program"
SUM = hashlib.sha256(CONTENT).hexdigest()


def files(tmp_path: Path, *names: str, sha256: str = SUM) -> list[BundleFile]:
    return [BundleFile(f"bin/{name}", str(tmp_path / "to" / name), sha256, "0755", 9) for name in names]


def server(served: Upstream, tmp_path: Path) -> Server:
    return Server(served.address, settings={}, folder=str(tmp_path / "in"), sleep=lambda seconds: None)


def test_from_a_server_as_from_a_folder(tmp_path: Path) -> None:
    lines: list[str] = []
    with serving({"/bin/b": CONTENT}) as served:
        wanted = files(tmp_path, "a", "b")
        fetch_and_place(compare(wanted), served.address, lines.append, server(served, tmp_path))
        # One content is fetched once, however many files have it.
        assert [path for path, _span in served.requests] == ["/bin/b"]
    assert lines == ["download 1/1 bin/b"]
    assert compare(wanted).differing == []
    assert not (tmp_path / "in").exists()


def test_one_altered_byte_on_the_server_installs_nothing(tmp_path: Path) -> None:
    other = hashlib.sha256(b"other").hexdigest()
    good = BundleFile("bin/b", str(tmp_path / "to" / "b"), other, "0755", 5)
    wanted = compare([good, *files(tmp_path, "a")])
    content = {"/bin/a": b"A program", "/bin/b": b"other"}
    with serving(content) as served, pytest.raises(InstallError) as refused:
        fetch_and_place(wanted, served.address, lambda line: None, server(served, tmp_path))
    for word in (SUM, hashlib.sha256(b"A program").hexdigest(), "bin/a", "Copy the bundle to the server again"):
        assert word in str(refused.value)
    assert not (tmp_path / "to").exists()


@pytest.mark.parametrize("moment", ["_copy", "rename"])
def test_a_disk_that_fills_up_in_the_middle_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "a").write_bytes(b"old")
    (tmp_path / SUM).write_bytes(CONTENT)

    def full(_source: str, target: str) -> str:
        if moment == "_copy":
            Path(target).write_bytes(CONTENT[:4])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(node_files if moment == "_copy" else os, moment, full)
    with pytest.raises(InstallError, match=r"bin/a was not installed: no room for bin/a on the disk at /.* are free"):
        place(compare(files(tmp_path, "a")), str(tmp_path))
    assert os.listdir(tmp_path / "to") == ["a"]
    assert (tmp_path / "to" / "a").read_bytes() == b"old"


def test_a_full_disk_is_told_before_anything_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle_files, "lacking_room", lambda needs, what: f"no room for {sum(needs.values())} bytes")
    compared = compare(files(tmp_path, "a", "b"))
    with pytest.raises(InstallError, match="nothing was installed: no room for 18 bytes"):
        place(compared, str(tmp_path))


def test_what_did_not_arrive_is_named(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match=r"bin/a was not installed: .*No such file"):
        place(compare(files(tmp_path, "a")), str(tmp_path))
