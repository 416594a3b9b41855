# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that are pulled from their registries and kept as OCI archives, byte for byte what the registry has."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .._download.download import Downloader, Wanted
from .._download.registry import Blob, Ref, Registry
from .download_item import PINNED, PUBLISHED
from .item import Item, Made
from .oci_layout import write_layout
from .progress import Meter, Progress

_AT_ONCE = 4


def pulled_image_item(
    name: str, ref: str, architecture: str, digest: str, downloader: Downloader, progress: Progress
) -> Item:
    """Return the item of an image, an OCI archive; its `digest` fact is what containerd shows once it is imported.

    digest: of the manifest for this architecture; empty when it is not pinned and the tag decides.
    """
    item_name = f"image {name}"

    def build(output: Path, _needs: Mapping[str, Made]) -> Mapping[str, str]:
        registry = Registry(Ref.parse(ref), downloader)
        manifest = registry.trusted_manifest(name, architecture, digest)
        with tempfile.TemporaryDirectory(dir=output.parent) as folder:
            blobs = _pull(registry, manifest.blobs, Path(folder), downloader, progress.meter(item_name))
            write_layout(output, ref, architecture, manifest.media_type, manifest.content, blobs)
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
