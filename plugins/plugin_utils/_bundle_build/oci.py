# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images as OCI archives, written without any container engine. The same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...module_utils._bundle.index import sha256_of
from .._bundle.oci_layout import digest_of, dump, write_layout

_CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
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
    config_blob = dump(_config(architecture, layers, config))
    manifest = dump(_manifest(config_blob, layers))
    blobs: dict[str, bytes | Path] = {digest_of(config_blob): config_blob}
    blobs.update({f"sha256:{layer.sha256}": layer.path for layer in layers})
    return write_layout(path, ref, architecture, _MANIFEST_TYPE, manifest, blobs)


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
        "config": {"mediaType": _CONFIG_TYPE, "digest": digest_of(config_blob), "size": len(config_blob)},
        "layers": [
            {"mediaType": layer.media_type, "digest": f"sha256:{layer.sha256}", "size": layer.size} for layer in layers
        ],
    }
