# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items that are downloaded, and those that are taken out of a download."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ...module_utils._bundle.index import sha256_of
from .._common.command import BuildError
from .._download.download import Downloader, Wanted
from .._download.web import shown
from .item import Item, Made
from .progress import Progress
from .upstream import Source, published_sum

PINNED = "pinned"
PUBLISHED = "published"


def download_item(name: str, source: Source, downloader: Downloader, progress: Progress) -> Item:
    """Return the item of a downloaded file. Its fact `sum` says which sum it was checked with."""

    def build(output: Path, _needs: Mapping[str, Made]) -> Mapping[str, str]:
        meter = progress.meter(name)
        if source.tree and source.sha256:
            downloader.fetch(Wanted(source.address, None), output, meter.part(), meter.note)
            _check_tree(source, output)
            return {"sum": PINNED}
        wanted = source.sha256 or published(source, downloader)
        downloader.fetch(Wanted(source.address, wanted), output, meter.part(), meter.note)
        return {"sum": PINNED if source.sha256 else PUBLISHED}

    inputs = {"address": source.address, "sha256": source.sha256 or PUBLISHED, "tree": source.tree}
    return Item(name=name, inputs=inputs, build=build, download=True)


def member_item(name: str, archive: Item, member: str) -> Item:
    """Return the item of one file of a downloaded tar archive."""

    def build(output: Path, needs: Mapping[str, Made]) -> Mapping[str, str]:
        with tarfile.open(needs[archive.name].path, "r:*") as tar:
            names = {entry.name.removeprefix("./"): entry for entry in tar if entry.isfile()}
            if member not in names:
                raise BuildError(f"{archive.name} holds no {member}; it has: {', '.join(sorted(names)[:20])}")
            content = tar.extractfile(names[member])
            if content is None:  # only of what is no file
                raise BuildError(f"{archive.name}: {member} is no file")
            with content, open(output, "wb") as sink:
                shutil.copyfileobj(content, sink)
        return {}

    return Item(name=name, inputs={"member": member}, build=build, needs=(archive,))


def gunzip_item(name: str, packed: Item) -> Item:
    """Return the item of a downloaded file that is compressed with gzip."""

    def build(output: Path, needs: Mapping[str, Made]) -> Mapping[str, str]:
        with gzip.open(needs[packed.name].path) as content, open(output, "wb") as sink:
            shutil.copyfileobj(content, sink)
        return {}

    return Item(name=name, inputs={"unpack": "gzip"}, build=build, needs=(packed,))


def published(source: Source, downloader: Downloader) -> str:
    """Return the sum that is published beside a download. Raises BuildError when there is none to be trusted."""
    way_out = f"write it into the release as upstream.downloads.{source.name}.sha256.{source.pin}"
    if not source.published:
        raise BuildError(f"{shown(source.address)}: no sum is pinned and none is published beside it; {way_out}")
    address = downloader.http.network.mirrored(source.published)
    if not address.startswith("https://"):
        raise BuildError(
            f"{shown(source.address)}: no sum is pinned, and {shown(address)} is not https, so that anybody on the way"
            f" could change both; {way_out}"
        )
    found = published_sum(downloader.text(source.published), source.file_name)
    if not found:
        raise BuildError(f"{shown(address)} holds no sha256 sum of {source.file_name}; {way_out}")
    return found


def unpack_folder(archive: Path, folder: str, target: Path) -> None:
    """Unpack one folder of a source archive, whose files all lie in a folder of any name. Raises BuildError."""
    with tarfile.open(archive, "r:*") as tar:
        for member in tar:
            inside = posixpath.normpath(member.name.partition("/")[2])
            content = tar.extractfile(member) if member.isfile() and inside.startswith(f"{folder}/") else None
            if content is not None:
                path = target / inside
                path.parent.mkdir(parents=True, exist_ok=True)
                with content, open(path, "wb") as sink:
                    shutil.copyfileobj(content, sink)
    if not (target / folder).is_dir():
        raise BuildError(f"{archive.name} holds no folder {folder}")


def tree_sum(folder: Path) -> str:
    """Return one sum over all files of a folder, by path and content.

    The same as: find . -type f | sed s,^./,, | LC_ALL=C sort | xargs sha256sum | sha256sum
    """
    paths = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    lines = "".join(f"{sha256_of(str(folder / path))}  {path}\n" for path in paths)
    return hashlib.sha256(lines.encode()).hexdigest()


def tree_sum_of(source: Source, archive: Path) -> str:
    """Return the sum of the folder of an archive that a source names."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as temporary:
        unpack_folder(archive, source.tree, Path(temporary))
        return tree_sum(Path(temporary, source.tree))


def _check_tree(source: Source, archive: Path) -> None:
    got = tree_sum_of(source, archive)
    if got != source.sha256:
        raise BuildError(
            f"{shown(source.address)}: sum of its folder {source.tree} is wrong, so the file is not taken\n"
            f"wanted sha256 {source.sha256}\ngot    sha256 {got}"
        )
