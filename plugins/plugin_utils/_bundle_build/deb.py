# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Image layers made of the controller's own Debian packages: unpacked, never installed, so that it needs no root."""

from __future__ import annotations

import os
import posixpath
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast
from urllib.parse import unquote

from .._common.command import BuildError, failure, run
from .layer import LayerWriter

MERGED = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
"""Folders of the root that are links into usr on every system of today, while packages may still name them."""
_LEFT_OUT = tuple(
    f"usr/share/{name}/" for name in ("bash-completion", "bug", "doc", "i18n", "info", "lintian", "locale", "man")
)
_LEFT_OUT_INSIDE = ("/gconv/",)


@dataclass(frozen=True)
class Package:
    """A Debian package: its name, version and file."""

    name: str
    version: str
    path: Path


class Apt:
    """The controller's apt sources, asked without touching its own state: as if nothing were installed yet."""

    def __init__(self, root: Path) -> None:
        """root: folder for lists and downloaded packages; kept from run to run."""
        self._root = root
        self._archives = root / "archives"
        # apt does not name what it has downloaded already; asked with this folder, it names everything.
        self._no_archives = root / "no-archives"
        self._fresh = False

    def fetch(self, names: Sequence[str], dependencies: bool) -> list[Package]:
        """Download packages and return them, in the order of their names.

        dependencies: whether all that they depend on comes with them, recommended packages not.
        Raises BuildError.
        """
        self._refresh()
        what = ["install", "--yes", "--no-install-recommends"] if dependencies else ["download"]
        printed = run([*self._apt_get(self._no_archives), *what, "--print-uris", *names])
        files = [line.split()[1] for line in printed.splitlines() if line.startswith("'")]
        more = ["--download-only"] if dependencies else []
        run([*self._apt_get(self._archives), *what, *more, *names], cwd=self._archives)
        packages = [_package(self._archives, name) for name in files]
        return sorted(packages, key=lambda package: package.name)

    def _refresh(self) -> None:
        if self._fresh:
            return
        for folder in (self._root / "lists", self._archives, self._no_archives):
            (folder / "partial").mkdir(parents=True, exist_ok=True)
        (self._root / "status").touch()
        run([*self._apt_get(self._archives), "--quiet", "update"])
        self._fresh = True

    def _apt_get(self, archives: Path) -> list[str]:
        settings = {
            "APT::Sandbox::User": "root",
            "Dir::Cache": str(self._root),
            "Dir::Cache::archives": str(archives),
            "Dir::State": str(self._root),
            "Dir::State::lists": str(self._root / "lists"),
            "Dir::State::status": str(self._root / "status"),
        }
        return ["apt-get", *(part for name, value in settings.items() for part in ("-o", f"{name}={value}"))]


def add_package(layer: LayerWriter, package: Package) -> None:
    """Add a package's files to a layer, at the places where they lie on a system of today."""
    argv = ["dpkg-deb", "--fsys-tarfile", str(package.path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        output, errors = cast(IO[bytes], process.stdout), cast(IO[bytes], process.stderr)
        try:
            with tarfile.open(fileobj=output, mode="r|") as archive:
                for member in archive:
                    _add_member(layer, archive, member)
        except tarfile.ReadError as error:
            raise BuildError(failure(argv, process.wait(), errors.read().decode(errors="replace"))) from error
    if process.returncode != 0:
        raise BuildError(failure(argv, process.returncode, ""))
    # Where scanners look for the packages of an image that has no package manager.
    control = run(["dpkg-deb", "--field", str(package.path)])
    layer.data(f"var/lib/dpkg/status.d/{package.name}", control.encode())


def _add_member(layer: LayerWriter, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    place = image_path(member.name)
    if place is None:
        return
    if member.issym():
        member.linkname = link_target(member.name, member.linkname)
    elif member.islnk():
        member.linkname = image_path(member.linkname) or member.linkname
    content = archive.extractfile(member) if member.isreg() else None
    member.name = place
    layer.add(member, content)


def add_merged_links(layer: LayerWriter) -> None:
    """Add the links from the root into usr."""
    for name in MERGED:
        layer.directory(f"usr/{name}")
        layer.link(name, f"usr/{name}")


def image_path(path: str) -> str | None:
    """Return where a package's path lies in an image, None when it is left out (documentation, translations)."""
    clean = posixpath.normpath(path).lstrip("/")
    head, _slash, tail = clean.partition("/")
    if clean == "." or clean in MERGED:
        return None
    place = f"usr/{clean}" if head in MERGED and tail else clean
    inside = place + "/"
    if inside.startswith(_LEFT_OUT) or any(part in inside for part in _LEFT_OUT_INSIDE):
        return None
    return place


def link_target(path: str, target: str) -> str:
    """Return where a symbolic link of a package points to in an image.

    A relative target that climbs up would miss when the link itself has moved into usr, so that it becomes absolute.
    """
    clean = posixpath.normpath(path).lstrip("/")
    if target.startswith("/") or ".." not in target.split("/") or image_path(path) == clean:
        return target
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(clean), target))


def _package(folder: Path, file_name: str) -> Package:
    name, version, _architecture = os.path.splitext(file_name)[0].split("_")
    return Package(name=name, version=unquote(version), path=folder / file_name)
