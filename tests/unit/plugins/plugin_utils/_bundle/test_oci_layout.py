# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An archive holds the manifest as it is and each blob once, and is the same each time."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.oci_layout import digest_of, dump, write_layout

REF = "registry.example.org/pause:3.10"
MANIFEST = b'{"as": "it is"}\n'


def write(folder: Path, name: str) -> tuple[Path, str]:
    layer = folder / "layer"
    layer.write_bytes(b"layer")
    blobs = {digest_of(b"config"): b"config", digest_of(b"layer"): layer}
    return folder / name, write_layout(folder / name, REF, "arm64", "application/x", MANIFEST, blobs)


def test_what_an_archive_holds(tmp_path: Path) -> None:
    path, digest = write(tmp_path, "a.tar")
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
        assert {member.mode for member in archive} == {0o644}
    assert json.loads(files.pop("oci-layout")) == {"imageLayoutVersion": "1.0.0"}
    [entry] = json.loads(files.pop("index.json"))["manifests"]
    assert (entry["digest"], entry["size"], entry["mediaType"]) == (digest, len(MANIFEST), "application/x")
    assert entry["platform"] == {"architecture": "arm64", "os": "linux"}
    assert set(entry["annotations"].values()) == {REF}
    assert sorted(files.values()) == sorted([MANIFEST, b"config", b"layer"])
    assert all(name == f"blobs/{digest_of(content).replace(':', '/')}" for name, content in files.items())


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    (first, _entry), (again, _other) = write(tmp_path, "a.tar"), write(tmp_path, "b.tar")
    assert first.read_bytes() == again.read_bytes()
    assert dump({"b": 1, "a": 2}) == b'{"a":2,"b":1}'
