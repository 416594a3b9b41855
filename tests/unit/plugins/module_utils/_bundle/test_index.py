# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle's index is read, and every alteration of a file is found."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle import index as bundle_index
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import (
    Entry,
    Index,
    read_index,
    verify,
    write_index,
)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "2026.11-amd64"
    entries = []
    for name in ("kubelet", "kubeadm"):
        path = folder / "bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode() * 100)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        entries.append(Entry(f"bin/{name}", "program", name, digest, path.stat().st_size, "0755", "build"))
    write_index(str(folder), Index("2026.11", "amd64", entries))
    return folder


def test_what_was_written_is_read(bundle: Path) -> None:
    index = read_index(str(bundle))
    assert (index.release, index.architecture) == ("2026.11", "amd64")
    assert [entry.name for entry in index.files] == ["kubelet", "kubeadm"]
    assert index.named("program", "kubelet").path == "bin/kubelet"


def test_only_images_have_a_reference_and_a_digest_in_the_file(bundle: Path) -> None:
    image = Entry("images/pause.tar", "image", "pause", "0" * 64, 1, "0644", "build", "pause:1", "sha256:1")
    write_index(str(bundle), Index("2026.11", "amd64", [*read_index(str(bundle)).files, image]))
    assert (bundle / "index.json").read_text().count('"digest"') == 1
    assert read_index(str(bundle)).files[-1] == image


def test_an_index_of_a_newer_version_with_more_fields_is_read(bundle: Path) -> None:
    text = (bundle / "index.json").read_text()
    (bundle / "index.json").write_text(text.replace('"mode"', '"licence": "MIT", "mode"'))
    assert read_index(str(bundle)).named("program", "kubelet").mode == "0755"


def test_a_name_that_is_not_there_lists_those_that_are(bundle: Path) -> None:
    with pytest.raises(KeyError, match="no program kubelt; it has: kubelet, kubeadm"):
        read_index(str(bundle)).named("program", "kubelt")


def test_an_untouched_bundle_is_right(bundle: Path) -> None:
    assert verify(str(bundle)) == []


def test_one_altered_byte_is_found(bundle: Path) -> None:
    verify(str(bundle))
    with open(bundle / "bin/kubelet", "r+b") as stream:
        stream.write(b"K")
    [problem] = verify(str(bundle))
    assert problem.field == str(bundle / "bin/kubelet")
    assert "was altered" in problem.rule
    assert "trainyard.mlstack.bundle" in problem.way_out


def test_an_alteration_that_keeps_size_and_time_is_found(bundle: Path) -> None:
    verify(str(bundle))
    path = bundle / "bin/kubelet"
    before = path.stat()
    path.write_bytes(path.read_bytes().swapcase())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert len(verify(str(bundle))) == 1


def test_missing_files_and_altered_ones_are_reported_together(bundle: Path) -> None:
    (bundle / "bin/kubelet").unlink()
    (bundle / "bin/kubeadm").write_bytes(b"")
    assert [problem.value.split()[0] for problem in verify(str(bundle))] == ["missing", "sha256"]


def test_only_the_given_entries_are_looked_at(bundle: Path) -> None:
    (bundle / "bin/kubelet").unlink()
    assert verify(str(bundle), [read_index(str(bundle)).named("program", "kubeadm")]) == []


def test_a_bundle_without_an_index_was_never_finished(tmp_path: Path) -> None:
    [problem] = verify(str(tmp_path))
    assert problem.field == "mlstack_bundle_dir"


def test_an_untouched_file_is_read_once(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verify(str(bundle))
    monkeypatch.setattr(bundle_index, "sha256_of", lambda path: pytest.fail(f"{path} was read again"))
    assert verify(str(bundle)) == []


def test_damaged_remembered_sums_are_made_again(bundle: Path) -> None:
    verify(str(bundle))
    bundle.with_name("2026.11-amd64.sums.json").write_text("[")
    assert verify(str(bundle)) == []


def test_sums_that_cannot_be_kept_cost_time_only(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_source: str, _target: str) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "replace", refuse)
    assert verify(str(bundle)) == []
