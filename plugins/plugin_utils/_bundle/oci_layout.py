# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One image as an archive in OCI's layout. The same input gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_INDEX_TYPE = "application/vnd.oci.image.index.v1+json"


def write_layout(
    path: Path, ref: str, architecture: str, media_type: str, manifest: bytes, blobs: Mapping[str, bytes | Path]
) -> str:
    """Write the archive and return the digest that containerd shows for the image once it is imported.

    ref: the image's full name with its tag. architecture: as Go names it. manifest: stays as it is, whatever its
    media_type. blobs: digest (sha256:...) to content, or to the file that holds it.
    """
    digest = digest_of(manifest)
    descriptor = {
        "mediaType": media_type,
        "digest": digest,
        "size": len(manifest),
        "platform": {"architecture": architecture, "os": "linux"},
        # containerd takes the first as the image's name, other engines the second.
        "annotations": {"io.containerd.image.name": ref, "org.opencontainers.image.ref.name": ref},
    }
    small = {
        "oci-layout": dump({"imageLayoutVersion": "1.0.0"}),
        "index.json": dump({"schemaVersion": 2, "mediaType": _INDEX_TYPE, "manifests": [descriptor]}),
        _place(digest): manifest,
        **{_place(name): blob for name, blob in blobs.items() if isinstance(blob, bytes)},
    }
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in sorted(small.items(), reverse=True):
            archive.addfile(_member(name, len(content)), io.BytesIO(content))
        for name, blob in blobs.items():
            if isinstance(blob, Path):
                with open(blob, "rb") as stream:
                    archive.addfile(_member(_place(name), blob.stat().st_size), stream)
    return digest


def dump(document: Mapping[str, Any]) -> bytes:
    """Return a document as the same bytes each time."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def digest_of(content: bytes) -> str:
    """Return the digest of some content: sha256:..."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _place(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    return member
