# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read on the controller: the release and the bundle."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import controller_reads as reads


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of one file that is what its index says."""
    (tmp_path / "kubelet").write_bytes(b"program")
    entry = {"path": "kubelet", "kind": "program", "name": "kubelet", "size": 7, "mode": "0755", "source": "build"}
    entry["sha256"] = hashlib.sha256(b"program").hexdigest()
    (tmp_path / "index.json").write_text(json.dumps({"release": "1", "architecture": "arm64", "files": [entry]}))
    return tmp_path


def test_a_good_bundle_tells_its_architecture(bundle: Path) -> None:
    assert reads.read_bundle(str(bundle), "1") == ("arm64", [])
    assert reads.bundle_sum(str(bundle)) == hashlib.sha256((bundle / "index.json").read_bytes()).hexdigest()


def test_an_altered_file(bundle: Path) -> None:
    (bundle / "kubelet").write_bytes(b"altered")
    architecture, problems = reads.read_bundle(str(bundle), "1")
    assert (architecture, [problem.field for problem in problems]) == ("arm64", [str(bundle / "kubelet")])


@pytest.mark.parametrize(("index", "release", "word"), [(None, "1", "no index.json"), ("{", "1", "cannot be read"),
                                                        ("[]", "1", "cannot be read"), ("", "1", "cannot be read")])
def test_no_usable_index(bundle: Path, index: str | None, release: str, word: str) -> None:
    if index is None:
        (bundle / "index.json").unlink()
    else:
        (bundle / "index.json").write_text(index)
    architecture, problems = reads.read_bundle(str(bundle), release)
    assert (architecture, [problem.field for problem in problems]) == ("", ["mlstack_bundle_dir"])
    assert word in problems[0].rule


def test_a_bundle_of_another_release(bundle: Path) -> None:
    _architecture, problems = reads.read_bundle(str(bundle), "2")
    assert "release 2, and holds 1" in problems[0].rule
    assert "trainyard.mlstack.bundle" in problems[0].way_out


@pytest.mark.parametrize(("name", "count"), [("2026.11", 0), ("1999.01", 1), (2026.11, 0)])
def test_release(name: object, count: int) -> None:
    assert len(reads.release_problems(name, [])) == count


def test_a_file_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    assert reads.read_text(str(tmp_path / "binary")) is None
    assert reads.read_text(str(tmp_path / "none")) is None
