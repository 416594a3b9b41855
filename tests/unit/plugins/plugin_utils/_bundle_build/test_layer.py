# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers: their members, and what unpacking gives."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.layer import (
    LayerWriter,
    unpack,
)


def test_layers_hold_parents_modes_and_no_owner(tmp_path: Path) -> None:
    source = tmp_path / "tree"
    (source / "pkg/tests").mkdir(parents=True)
    (source / "pkg/b.py").write_text("b")
    (source / "pkg/a.py").write_text("a")
    (source / "pkg/tests/t.py").write_text("t")
    with LayerWriter(tmp_path / "layer") as writer:
        writer.directory("tmp", 0o1777)
        writer.tree("opt/x", source, lambda path: "/tests/" not in path)
        writer.link("bin", "usr/bin")
        writer.data("opt/x/pkg/a.py", b"ignored: what is there stays")
    plain = subprocess.run(["zstd", "-dc", tmp_path / "layer"], capture_output=True, check=True).stdout
    (tmp_path / "plain.tar").write_bytes(plain)
    with tarfile.open(tmp_path / "plain.tar") as stream:
        members = {member.name: member for member in stream}
    assert list(members) == ["tmp", "opt", "opt/x", "opt/x/pkg", "opt/x/pkg/a.py", "opt/x/pkg/b.py", "bin"]
    assert members["tmp"].mode == 0o1777
    assert members["bin"].linkname == "usr/bin"
    assert {(member.uid, member.gid, member.uname, member.mtime) for member in members.values()} == {(0, 0, "", 0)}
    (tmp_path / "root").mkdir()
    unpack(tmp_path / "layer", tmp_path / "root")
    assert (tmp_path / "root/opt/x/pkg/a.py").read_text() == "a"
