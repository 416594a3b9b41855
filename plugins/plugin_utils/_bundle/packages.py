# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repository of OS packages in a bundle's folder: what it holds, and how it becomes what it shall hold."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...module_utils._bundle.index import PACKAGE, Entry, Index, read_index, sums_of, write_index
from ...module_utils._bundle.package_repository import Deb, controls_of, list_files, packages_text

_MODE = "0644"
SOURCE = "upstream"


@dataclass(frozen=True)
class Present:
    """What a bundle has of packages that is still what its index says: paths to sums, and control fields by sum."""

    sums: Mapping[str, str]
    controls: Mapping[str, str]

    def files(self, bundle: Path) -> dict[str, Path]:
        """Return sha256 -> file."""
        return {digest: bundle / path for path, digest in self.sums.items()}


def present(bundle: Path, index: Index) -> Present:
    """Return what the bundle has of all systems' packages."""
    known = sums_of(str(bundle))
    right: dict[str, str] = {}
    controls: dict[str, str] = {}
    for entry in (entry for entry in index.files if entry.kind == PACKAGE):
        path = bundle / entry.path
        if path.is_file() and known.of(str(path)) == entry.sha256:
            right[entry.path] = entry.sha256
            if entry.name == "Packages":
                controls.update(controls_of(path.read_text(encoding="utf-8")))
    known.save()
    return Present(right, {digest: text for digest, text in controls.items() if digest in right.values()})


def unpack(archive: Path, folder: Path) -> dict[str, Path]:
    """Unpack files that are named by their sums; return those whose sum is right."""
    found = {}
    with tarfile.open(archive) as members:
        for member in members:
            name = os.path.basename(member.name)
            content = members.extractfile(member)
            if content is None:
                continue
            data = content.read()
            if hashlib.sha256(data).hexdigest() == name:
                found[name] = folder / name
                found[name].write_bytes(data)
    return found


def bring_in(
    bundle: Path, folder: str, debs: Sequence[Deb], files: Mapping[str, Path], controls: Mapping[str, str]
) -> None:
    """Make the repository hold exactly these packages.

    files: sha256 -> where that package lies now. controls: sha256 -> control fields.
    The index follows the new files and goes before the old ones: it never names one that is not there.
    """
    place = bundle / folder
    place.mkdir(parents=True, exist_ok=True)
    known = sums_of(str(bundle))
    for deb in debs:
        path = place / deb.file
        if files[deb.sha256] == path:
            continue
        temporary = place / f".{deb.file}.unfinished"
        shutil.copyfile(files[deb.sha256], temporary)
        temporary.chmod(int(_MODE, 8))
        temporary.replace(path)
        known.learn(str(path), deb.sha256)
    lists = list_files(packages_text(controls, debs), folder.rsplit("-", 1)[-1])
    for name, content in lists.items():
        temporary = place / f".{name}.unfinished"
        temporary.write_bytes(content)
        temporary.chmod(int(_MODE, 8))
        temporary.replace(place / name)
    known.save()
    wanted = entries(folder, debs, lists)
    index = read_index(str(bundle))
    others = [entry for entry in index.files if not entry.path.startswith(f"{folder}/")]
    write_index(str(bundle), replace(index, files=sorted([*others, *wanted], key=lambda entry: entry.path)))
    named = {entry.path for entry in wanted}
    for path in place.iterdir():
        if f"{folder}/{path.name}" not in named:
            path.unlink()


def entries(folder: str, debs: Sequence[Deb], lists: Mapping[str, bytes]) -> list[Entry]:
    """Return the index's entries of a repository."""
    files = [(deb.file, deb.name, deb.sha256, deb.size) for deb in debs]
    files += [(name, name, hashlib.sha256(content).hexdigest(), len(content)) for name, content in lists.items()]
    return [Entry(f"{folder}/{file}", PACKAGE, name, digest, size, _MODE, SOURCE) for file, name, digest, size in files]


def is_whole(index: Index, folder: str, debs: Sequence[Deb], found: Present) -> bool:
    """Say whether the repository is what it shall be."""
    if any(deb.sha256 not in found.controls for deb in debs):
        return False
    lists = list_files(packages_text(found.controls, debs), folder.rsplit("-", 1)[-1])
    wanted = {entry.path: entry.sha256 for entry in entries(folder, debs, lists)}
    listed = {entry.path: entry.sha256 for entry in index.files if entry.path.startswith(f"{folder}/")}
    return listed == wanted and all(found.sums.get(path) == digest for path, digest in wanted.items())


def versions(bundle: Path, index: Index, folder: str) -> dict[str, str]:
    """Return package -> version of what the repository holds, by its own list."""
    path = bundle / folder / "Packages"
    if not path.is_file() or f"{folder}/Packages" not in {entry.path for entry in index.files}:
        return {}
    found = {}
    for stanza in path.read_text(encoding="utf-8").split("\n\n"):
        fields = dict(line.partition(": ")[::2] for line in stanza.splitlines())
        if "Package" in fields:
            found[fields["Package"]] = fields["Version"]
    return found
