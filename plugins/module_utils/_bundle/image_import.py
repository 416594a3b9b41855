# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring archives of a bundle into containerd, one after the other. Python 3.8, standard library only."""

from __future__ import annotations

import os
import shutil
from typing import Any, Callable, Dict, List, Sequence

from .._common.background import WorkError
from .._common.disk import free_bytes, full_disk, lacking_room
from .containerd_images import PINNED, Run
from .fetch import FetchError, Server, Wanted
from .place import sha256_of

STORE = "/var/lib/containerd"
# Its layers are kept packed and unpacked; those of a release take 4 to 6 times the archive.
ROOM_FACTOR = 6
_FULL = "no space left on device"

Image = Dict[str, Any]
Say = Callable[[str], None]
# image, what to tell -> the path of its archive, whose sum is the one in the bundle's index. Raises WorkError.
Source = Callable[[Image, Say], str]


def from_folder(folder: str) -> Source:
    """Return the source of archives that were sent to a folder, each named by its sha256."""

    def archive(image: Image, _say: Say) -> str:
        path = os.path.join(folder, image["sha256"])
        if sha256_of(path) != image["sha256"]:
            rule = "its sha256 is not the one in the bundle's index"
            raise WorkError(f"{image['ref']} arrived altered or not at all: {rule}. Run the playbook again.")
        return path

    return archive


def from_server(server: Server, images: Sequence[Image]) -> Source:
    """Return the source of archives that are fetched one by one, so that only one at a time takes room."""
    wanted = {image["sha256"]: Wanted(image["path"], image["sha256"], image["size"]) for image in images}
    server.tidy(wanted.values())

    def archive(image: Image, say: Say) -> str:
        say(f"download {image['path']} ({image['size'] / 1e6:.0f} MB)")
        try:
            return server.fetch(wanted[image["sha256"]], say)
        except FetchError as error:
            raise WorkError(str(error)) from error

    return archive


def import_all(run: Run, source: Source, lacking: Sequence[Image], say: Say, store: str = STORE) -> None:
    """Import each image; every archive is removed after its import. Raises WorkError.

    run: runs `ctr images`. containerd names an image only once all of it is unpacked: one whose import was killed, or
    met a full disk, is not there for the next run.
    """
    # The packed layers alone take as much as the archives.
    problem = lacking_room({store: sum(image["size"] for image in lacking)}, f"{len(lacking)} images")
    if problem:
        raise WorkError(f"nothing was imported: {problem}")
    for number, image in enumerate(lacking, start=1):
        archive = source(image, say)
        say(f"import {number}/{len(lacking)} {image['ref']}")
        free = free_bytes(store)
        status, _out, errors = run(["import", archive])
        if status != 0:
            raise WorkError(_refusal(image, errors, free, store))
        os.unlink(archive)


def pin(run: Run, images: List[Image]) -> None:
    """Keep the kubelet's garbage collection away from images. Raises WorkError."""
    for image in images:
        status, _out, errors = run(["label", image["ref"], PINNED])
        if status != 0:
            raise WorkError(f"{image['ref']} cannot be pinned: {errors.strip()}")


def clear(folder: str) -> None:
    """Remove the folder of what was sent."""
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _refusal(image: Image, errors: str, free: int, store: str) -> str:
    if _FULL in errors:
        needed = max(ROOM_FACTOR * int(image["size"]), free + 1)
        return f"containerd could not unpack it: {full_disk(store, needed, 'image ' + image['ref'], free)}"
    return f"containerd refused {image['ref']}: {errors.strip()}"
