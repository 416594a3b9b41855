# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of a bundle: which files it holds, and whether they are still what they were when the bundle was made."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, fields
from typing import Dict, List, Optional, Sequence

from .._common.problem import Problem

INDEX = "index.json"
PACKAGE = "package"
_WAY_OUT = "Run trainyard.mlstack.bundle, which puts it right"
_PACKAGE_WAY_OUT = "Run trainyard.mlstack.bundle_packages on connected hosts, which puts it right"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Entry:
    """One file of a bundle.

    path: below the bundle's folder.
    kind: program, image, manifest or data; package for what belongs to a repository of OS packages, which playbook
        bundle_packages makes and playbook bundle leaves alone.
    name: what roles call it.
    sha256, size, mode: of the file; size in bytes, mode as octal text.
    source: how it was got; `build` means compiled or assembled on the controller, `upstream` downloaded.
    ref, digest: of an image only: its full name, and the digest that containerd shows once it is imported.
    sum: of a download only: `pinned` when its sum stands in the release, `published` when it is the one that was
        published beside it.
    """

    path: str
    kind: str
    name: str
    sha256: str
    size: int
    mode: str
    source: str
    ref: Optional[str] = None
    digest: Optional[str] = None
    sum: Optional[str] = None


_KNOWN_FIELDS = {field.name for field in fields(Entry)}


@dataclass(frozen=True)
class Index:
    """All files of a bundle, in the order of their paths."""

    release: str
    architecture: str
    files: List[Entry]

    def named(self, kind: str, name: str) -> Entry:
        """Return the entry of one kind and name. Raises KeyError with what there is."""
        for entry in self.files:
            if (entry.kind, entry.name) == (kind, name):
                return entry
        names = ", ".join(entry.name for entry in self.files if entry.kind == kind) or "none"
        raise KeyError(f"the bundle of release {self.release} has no {kind} {name}; it has: {names}")


def read_index(bundle_dir: str) -> Index:
    """Return the index of a bundle. Raises FileNotFoundError when there is none: such a bundle is not finished."""
    with open(os.path.join(bundle_dir, INDEX), encoding="utf-8") as stream:
        document = json.load(stream)
    # A newer version of the collection may have written more fields; what is known here still holds.
    known = [{key: value for key, value in entry.items() if key in _KNOWN_FIELDS} for entry in document["files"]]
    entries = [Entry(**entry) for entry in known]
    return Index(release=document["release"], architecture=document["architecture"], files=entries)


def write_index(bundle_dir: str, index: Index) -> None:
    """Write the index of a bundle at once: a reader sees the old one or the new one."""
    files = [{key: value for key, value in asdict(entry).items() if value is not None} for entry in index.files]
    document = {"release": index.release, "architecture": index.architecture, "files": files}
    _write_json(os.path.join(bundle_dir, INDEX), document, indent=2)


def verify(bundle_dir: str, entries: Optional[Sequence[Entry]] = None) -> List[Problem]:
    """Return a problem for each file that is missing or is not what the index says.

    entries: the files to look at; all that the index lists when None.
    Sums are kept beside the bundle, so that a file is read again only after it was touched. The time of the last change
    of the inode is part of that, which no ordinary program can set back.
    """
    if entries is None:
        try:
            entries = read_index(bundle_dir).files
        except FileNotFoundError:
            rule = "has no index, so it was never finished"
            return [
                Problem(field="mlstack_bundle_dir", value=bundle_dir, rule=rule, way_out="Run trainyard.mlstack.bundle")
            ]
    sums = sums_of(bundle_dir)
    problems = []
    for entry in entries:
        path = os.path.join(bundle_dir, entry.path)
        way_out = _PACKAGE_WAY_OUT if entry.kind == PACKAGE else _WAY_OUT
        if not os.path.isfile(path):
            problems.append(
                Problem(field=path, value="missing", rule="is listed in the bundle's index", way_out=way_out)
            )
            continue
        found = sums.of(path)
        if found != entry.sha256:
            rule = f"was altered; the bundle's index says sha256 {entry.sha256}"
            problems.append(Problem(field=path, value=f"sha256 {found}", rule=rule, way_out=way_out))
    sums.save()
    return problems


def sha256_of(path: str) -> str:
    """Return the sha256 sum of a file as hexadecimal text."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        for block in iter(lambda: stream.read(_BLOCK), b""):
            digest.update(block)
    return digest.hexdigest()


class FileSums:
    """Sums of files, remembered from run to run for as long as a file is not touched."""

    def __init__(self, path: str) -> None:
        """Read what is remembered in the file `path`; an unreadable one means nothing is remembered."""
        self._path = path
        self._changed = False
        self._known: Dict[str, List[str]] = {}
        try:
            with open(path, encoding="utf-8") as stream:
                self._known = dict(json.load(stream))
        except (OSError, ValueError, TypeError):
            self._known = {}

    def of(self, path: str) -> str:
        """Return the sha256 sum of a file."""
        state = _state(path)
        remembered = self._known.get(path)
        if remembered is not None and remembered[0] == state:
            return remembered[1]
        self._known[path] = [state, sha256_of(path)]
        self._changed = True
        return self._known[path][1]

    def learn(self, path: str, digest: str) -> None:
        """Remember the sum of a file that was just written and summed on the way."""
        self._known[path] = [_state(path), digest]
        self._changed = True

    def save(self) -> None:
        """Keep the sums for the next run. A folder that cannot be written costs time, nothing else."""
        if not self._changed:
            return
        try:
            _write_json(self._path, self._known)
        except OSError:
            return
        self._changed = False


def sums_of(bundle_dir: str) -> FileSums:
    """Return the remembered sums of a bundle's files; they lie beside its folder."""
    return FileSums(bundle_dir.rstrip("/") + ".sums.json")


def _state(path: str) -> str:
    found = os.stat(path)
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}"


def _write_json(path: str, document: object, indent: Optional[int] = None) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as stream:
        json.dump(document, stream, indent=indent)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, path)
