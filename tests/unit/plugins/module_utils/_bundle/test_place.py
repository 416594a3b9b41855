# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.place import install, mode_of, sha256_of

CONTENT = b"program" * 1000
SUM = hashlib.sha256(CONTENT).hexdigest()


def test_a_file_is_installed_whole_with_its_mode(tmp_path: Path) -> None:
    source, dest = tmp_path / "in", tmp_path / "deep" / "bin" / "program"
    source.write_bytes(CONTENT)
    install(str(source), str(dest), SUM, "0750")
    assert dest.read_bytes() == CONTENT
    assert (sha256_of(str(dest)), mode_of(str(dest))) == (SUM, "0750")
    assert [path.name for path in dest.parent.iterdir()] == ["program"]


def test_an_altered_file_leaves_the_old_one(tmp_path: Path) -> None:
    source, dest = tmp_path / "in", tmp_path / "program"
    source.write_bytes(CONTENT[:-1] + b"X")
    dest.write_bytes(b"old")
    with pytest.raises(ValueError, match=SUM):
        install(str(source), str(dest), SUM, "0755")
    assert dest.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "program"]


def test_no_file_has_neither_sum_nor_mode(tmp_path: Path) -> None:
    assert sha256_of(str(tmp_path / "none")) is None
    assert mode_of(str(tmp_path / "none")) is None
