# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images are written byte for byte alike, in the form that containerd imports."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.layer import (
    MEDIA_TYPE,
    LayerWriter,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.oci import Config, Layer, write_archive

REF = "registry.k8s.io/pause:3.10.2"


def layer(path: Path, content: bytes = b"program") -> Layer:
    with LayerWriter(path) as writer:
        writer.data("usr/local/bin/x", content, 0o755)
    return Layer.of(path, writer.diff_id, MEDIA_TYPE)


@pytest.fixture
def archive(tmp_path: Path) -> dict[str, bytes]:
    config = Config(env=["PATH=/usr/local/bin"], entrypoint=["/pause"], labels={"a": "b"})
    layers = [layer(tmp_path / "one"), layer(tmp_path / "two", b"other")]
    digest = write_archive(tmp_path / "image.tar", REF, "amd64", layers, config)
    with tarfile.open(tmp_path / "image.tar") as stream:
        files = {member.name: stream.extractfile(member).read() for member in stream}  # type: ignore[union-attr]
    return {**files, "digest": digest.encode()}


def blob(archive: dict[str, bytes], digest: str) -> bytes:
    return archive["blobs/sha256/" + digest.removeprefix("sha256:")]


def document(archive: dict[str, bytes], digest: str) -> Any:
    return json.loads(blob(archive, digest))


def test_the_index_names_the_image_exactly(archive: dict[str, bytes]) -> None:
    [descriptor] = json.loads(archive["index.json"])["manifests"]
    assert descriptor["annotations"]["io.containerd.image.name"] == REF
    assert descriptor["digest"] == archive["digest"].decode()
    assert descriptor["platform"] == {"architecture": "amd64", "os": "linux"}
    assert json.loads(archive["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}


def test_every_blob_is_what_its_name_and_descriptor_say(archive: dict[str, bytes]) -> None:
    blobs = {name.rpartition("/")[2]: content for name, content in archive.items() if name.startswith("blobs/")}
    assert len(blobs) == 4
    assert {hashlib.sha256(content).hexdigest() for content in blobs.values()} == set(blobs)
    manifest = document(archive, archive["digest"].decode())
    for descriptor in [manifest["config"], *manifest["layers"]]:
        assert descriptor["size"] == len(blob(archive, descriptor["digest"]))


def test_the_configuration_names_layers_by_their_uncompressed_content(archive: dict[str, bytes]) -> None:
    manifest = document(archive, archive["digest"].decode())
    config = document(archive, manifest["config"]["digest"])
    compressed = [blob(archive, descriptor["digest"]) for descriptor in manifest["layers"]]
    plain = [subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout for data in compressed]
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(data).hexdigest() for data in plain]
    assert len(config["history"]) == 2
    assert config["config"] == {
        "Entrypoint": ["/pause"],
        "Env": ["PATH=/usr/local/bin"],
        "Labels": {"a": "b"},
        "WorkingDir": "/",
    }


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        write_archive(tmp_path / run / "image.tar", REF, "amd64", [layer(tmp_path / run / "layer")], Config())
    assert (tmp_path / "a/image.tar").read_bytes() == (tmp_path / "b/image.tar").read_bytes()


def test_another_name_gives_another_archive_of_the_same_image(tmp_path: Path) -> None:
    layers = [layer(tmp_path / "layer")]
    digests = {write_archive(tmp_path / name, f"x/{name}:1", "amd64", layers, Config()) for name in ("a", "b")}
    assert len(digests) == 1
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()
