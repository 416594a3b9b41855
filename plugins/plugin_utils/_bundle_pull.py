# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that are pulled from their registries and kept as OCI archives, byte for byte what the registry has."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_download import PINNED, PUBLISHED
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_item import Item, Made
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_progress import Meter, Progress
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download import Downloader, Wanted
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._registry import Blob, Manifest, Ref, Registry

_AT_ONCE = 4
_INDEX_TYPE = "application/vnd.oci.image.index.v1+json"


def pulled_image_item(
    name: str, ref: str, architecture: str, digest: str, downloader: Downloader, progress: Progress
) -> Item:
    """Return the item of an image, an OCI archive; its `digest` fact is what containerd shows once it is imported.

    digest: of the manifest for this architecture; empty when it is not pinned and the tag decides.
    """
    item_name = f"image {name}"

    def build(output: Path, _needs: Mapping[str, Made]) -> Mapping[str, str]:
        registry = Registry(Ref.parse(ref), downloader)
        if not digest and not registry.host.startswith("https://"):
            raise BuildError(
                f"{ref}: no digest is pinned, and {registry.host} is not https, so that anybody on the way could give"
                f" another image; write it into the release as upstream.images.{name}.{architecture}"
            )
        manifest = registry.manifest(architecture, digest)
        with tempfile.TemporaryDirectory(dir=output.parent) as folder:
            blobs = _pull(registry, manifest.blobs, Path(folder), downloader, progress.meter(item_name))
            _check_platform(ref, blobs[manifest.config.digest], architecture)
            _write(output, ref, architecture, manifest, blobs)
        return {"digest": manifest.digest, "sum": PINNED if digest else PUBLISHED}

    inputs = {"ref": ref, "architecture": architecture, "digest": digest or PUBLISHED}
    return Item(name=item_name, inputs=inputs, build=build, download=True)


def _pull(
    registry: Registry, blobs: tuple[Blob, ...], folder: Path, downloader: Downloader, meter: Meter
) -> dict[str, Path]:
    """Download all blobs, several at a time, and return their files by digest."""
    parts = {blob.digest: meter.part(blob.digest, blob.size) for blob in blobs}
    paths = {blob.digest: folder / blob.digest.partition(":")[2] for blob in blobs}

    def fetch(blob: Blob) -> None:
        wanted = Wanted(registry.blob_address(blob), blob.digest.partition(":")[2], mirrored=False, auth=registry.auth)
        downloader.fetch(wanted, paths[blob.digest], parts[blob.digest], meter.note)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        unique = {blob.digest: blob for blob in blobs}.values()
        for done in [pool.submit(fetch, blob) for blob in unique]:
            done.result()
    return paths


def _check_platform(ref: str, config: Path, architecture: str) -> None:
    """A registry gives an image that is made for one platform only to everybody who asks."""
    about = json.loads(config.read_text())
    found = f"{about.get('os', 'linux')}/{about.get('architecture')}"
    if found != f"linux/{architecture}":
        raise BuildError(f"{ref}: has no image for linux/{architecture}; it has: {found}")


def _write(path: Path, ref: str, architecture: str, manifest: Manifest, blobs: Mapping[str, Path]) -> None:
    """Write the archive: a layout whose index names the one manifest, which stays as it is, whatever its type."""
    descriptor = {
        "mediaType": manifest.media_type,
        "digest": manifest.digest,
        "size": len(manifest.content),
        "platform": {"architecture": architecture, "os": "linux"},
        # containerd takes the first as the image's name, other engines the second.
        "annotations": {"io.containerd.image.name": ref, "org.opencontainers.image.ref.name": ref},
    }
    index = {"schemaVersion": 2, "mediaType": _INDEX_TYPE, "manifests": [descriptor]}
    small = {
        "oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode(),
        "index.json": json.dumps(index, sort_keys=True).encode(),
        _place(manifest.digest): manifest.content,
    }
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in small.items():
            archive.addfile(_member(name, len(content)), io.BytesIO(content))
        for digest, file in blobs.items():
            with open(file, "rb") as stream:
                archive.addfile(_member(_place(digest), file.stat().st_size), stream)


def _place(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    return member
