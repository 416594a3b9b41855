# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle's folder: copies of what the store holds, and the index."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...module_utils._bundle.index import PACKAGE, Entry, FileSums, Index, read_index, sums_of, write_index
from .item import Made, Target

_BLOCK = 1 << 20


class AlteredItem(Exception):
    """The store's own copy is not what was built: it must be built again."""

    def __init__(self, made: Made) -> None:
        super().__init__(str(made.path))
        self.made = made


@dataclass(frozen=True)
class Change:
    """One difference between the folder and the index that it is to have.

    what: missing, altered (not what the present index says), outdated (another release or recipe), or surplus.
    """

    what: str
    path: str


def entry_of(target: Target, everything: Mapping[str, Made]) -> Entry:
    """Return the index entry of a file. everything: made items by name."""
    made = everything[target.item.name]
    download = everything.get(target.download.name) if target.download else None
    return Entry(
        path=target.path,
        kind=target.kind,
        name=target.name,
        sha256=made.sha256,
        size=made.size,
        mode=target.mode,
        source=target.source,
        ref=target.ref,
        digest=made.facts.get("digest"),
        sum=download.facts.get("sum") if download else None,
    )


def present_index(folder: Path) -> Index | None:
    """Return the index that a folder has now; None when it has none that can be read."""
    try:
        return read_index(str(folder))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def with_packages(folder: Path, index: Index) -> Index:
    """Return the index with the OS packages that the folder holds besides."""
    present = present_index(folder)
    kept = [entry for entry in present.files if entry.kind == PACKAGE] if present else []
    return replace(index, files=sorted([*index.files, *kept], key=lambda entry: entry.path))


def changes(folder: Path, wanted: Sequence[Entry]) -> list[Change]:
    """Return what must be done to a folder so that it holds the wanted entries and nothing else that an index named.

    OS packages stay: another playbook owns them.
    """
    index = present_index(folder)
    present = {entry.path: entry for entry in index.files} if index else {}
    sums = sums_of(str(folder))
    found = [Change(what, entry.path) for entry in wanted for what in _wrong(folder, entry, present, sums)]
    sums.save()
    ours = {path for path, entry in present.items() if entry.kind != PACKAGE}
    surplus = sorted(ours - {entry.path for entry in wanted})
    return found + [Change("surplus", path) for path in surplus]


def apply(folder: Path, index: Index, made: Callable[[Entry], Made], todo: Sequence[Change]) -> None:
    """Carry out changes, the index last.

    made: gives the store's item for an entry. Raises AlteredItem when that one is not what was built.
    """
    wanted = {entry.path: entry for entry in index.files}
    sums = sums_of(str(folder))
    for change in todo:
        path = folder / change.path
        if change.what == "surplus":
            path.unlink(missing_ok=True)
            continue
        entry = wanted[change.path]
        _copy(made(entry), path, int(entry.mode, 8))
        sums.learn(str(path), entry.sha256)
    sums.save()
    ordered = replace(index, files=sorted(index.files, key=lambda entry: entry.path))
    if present_index(folder) != ordered:
        write_index(str(folder), ordered)


def _wrong(folder: Path, entry: Entry, present: dict[str, Entry], sums: FileSums) -> list[str]:
    path = folder / entry.path
    if not path.is_file():
        return ["missing"]
    if sums.of(str(path)) == entry.sha256 and path.stat().st_mode & 0o777 == int(entry.mode, 8):
        return []
    listed = present.get(entry.path)
    return ["altered" if listed is not None and listed.sha256 == entry.sha256 else "outdated"]


def _copy(made: Made, path: Path, mode: int) -> None:
    """Copy, not link: what alters a file of the bundle must not alter the store, from which it is repaired."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.unfinished")
    digest = hashlib.sha256()
    with open(made.path, "rb") as source, open(temporary, "wb") as sink:
        for block in iter(lambda: source.read(_BLOCK), b""):
            digest.update(block)
            sink.write(block)
        os.fsync(sink.fileno())
    if digest.hexdigest() != made.sha256:
        temporary.unlink()
        raise AlteredItem(made)
    temporary.chmod(mode)
    temporary.replace(path)
