# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images as OCI archives, written without any container engine. The same input gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle_index import sha256_of

_CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
_INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
_NO_TIME = "1970-01-01T00:00:00Z"


@dataclass(frozen=True)
class Layer:
    """A layer's file.

    sha256, size: of the file; size in bytes. diff_id: digest of the uncompressed tar. media_type: of the file.
    """

    path: Path
    sha256: str
    size: int
    diff_id: str
    media_type: str

    @classmethod
    def of(cls, path: Path, diff_id: str, media_type: str) -> Layer:
        """Return the layer that lies in a file."""
        return cls(path, sha256_of(str(path)), path.stat().st_size, diff_id, media_type)


@dataclass(frozen=True)
class Config:
    """What an image says about running it: `env` as NAME=value, `entrypoint` and `cmd` as argument lists."""

    env: Sequence[str] = ()
    entrypoint: Sequence[str] = ()
    cmd: Sequence[str] = ()
    labels: Mapping[str, str] | None = None


def write_archive(path: Path, ref: str, architecture: str, layers: Sequence[Layer], config: Config) -> str:
    """Write an archive that holds one image and return the digest that containerd shows for it once it is imported.

    ref: the image's full name with its tag, for example registry.k8s.io/pause:3.10.2.
    architecture: as Go names it.
    """
    config_blob = _dump(_config(architecture, layers, config))
    manifest_blob = _dump(_manifest(config_blob, layers))
    descriptor = _descriptor(_MANIFEST_TYPE, manifest_blob)
    descriptor["platform"] = {"architecture": architecture, "os": "linux"}
    # containerd takes the first as the image's name, other engines the second.
    descriptor["annotations"] = {"io.containerd.image.name": ref, "org.opencontainers.image.ref.name": ref}
    index_blob = _dump({"schemaVersion": 2, "mediaType": _INDEX_TYPE, "manifests": [descriptor]})
    small = {
        "oci-layout": _dump({"imageLayoutVersion": "1.0.0"}),
        "index.json": index_blob,
        f"blobs/sha256/{_sum(config_blob)}": config_blob,
        f"blobs/sha256/{_sum(manifest_blob)}": manifest_blob,
    }
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in sorted(small.items(), reverse=True):
            archive.addfile(_member(name, len(content)), io.BytesIO(content))
        for layer in {layer.sha256: layer for layer in layers}.values():
            with open(layer.path, "rb") as stream:
                archive.addfile(_member(f"blobs/sha256/{layer.sha256}", layer.size), stream)
    return str(descriptor["digest"])


def _config(architecture: str, layers: Sequence[Layer], config: Config) -> dict[str, Any]:
    run: dict[str, Any] = {
        "Env": list(config.env),
        "Entrypoint": list(config.entrypoint),
        "Cmd": list(config.cmd),
        "Labels": dict(config.labels or {}),
        "WorkingDir": "/",
    }
    return {
        "created": _NO_TIME,
        "architecture": architecture,
        "os": "linux",
        "config": {key: value for key, value in run.items() if value},
        "rootfs": {"type": "layers", "diff_ids": [layer.diff_id for layer in layers]},
        "history": [{"created": _NO_TIME, "created_by": "trainyard.mlstack.bundle_build"} for _layer in layers],
    }


def _manifest(config_blob: bytes, layers: Sequence[Layer]) -> dict[str, Any]:
    return {
        "schemaVersion": 2,
        "mediaType": _MANIFEST_TYPE,
        "config": _descriptor(_CONFIG_TYPE, config_blob),
        "layers": [
            {"mediaType": layer.media_type, "digest": f"sha256:{layer.sha256}", "size": layer.size} for layer in layers
        ],
    }


def _descriptor(media_type: str, blob: bytes) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": f"sha256:{_sum(blob)}", "size": len(blob)}


def _dump(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def _sum(blob: bytes) -> str:
    return hashlib.sha256(blob).hexdigest()


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    return member
