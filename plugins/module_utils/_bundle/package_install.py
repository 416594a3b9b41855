# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Install packages from the repository in a bundle, and from nothing else. Python 3.8, standard library only.

The repository lies on the host only while packages are installed: the host's own sources are neither asked nor changed.
Every file was checked against the bundle's index when it arrived, which is why apt may trust the folder as it is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import Callable, Dict, List, Mapping, NamedTuple, Sequence

from .._common.command import CommandError, Runner, must
from .._common.disk import lacking_room
from .package_repository import apt_options, parse_uris
from .place import install

WORK = "/var/cache/mlstack/packages"
# The packed list is the one that apt asks for first.
LISTS = ("Packages.gz", "Release")
# sha256 -> path of the file
Locate = Callable[["RepositoryFile"], str]


class RepositoryFile(NamedTuple):
    """A file of the repository. path: in the bundle. size: in bytes."""

    path: str
    sha256: str
    size: int

    @property
    def name(self) -> str:
        """Return the file's name."""
        return os.path.basename(self.path)


def repository_options(work: str) -> List[str]:
    """Return apt's options that make it see the repository in this folder only."""
    return apt_options({
        "Dir::Etc::sourcelist": f"{work}/sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": f"{work}/lists",
        "Dir::Cache": f"{work}/cache",
        "APT::Sandbox::User": "root",
    })


class RepositoryError(Exception):
    """Packages cannot come from the bundle; the text is for the user as it stands."""


class Repository:
    """The bundle's repository on this host while it is used."""

    def __init__(self, run: Runner, files: Sequence[RepositoryFile], work: str = WORK) -> None:
        """files: all of the repository for this host's system."""
        self._run = run
        self._work = work
        self._files: Mapping[str, RepositoryFile] = {file.name: file for file in files}

    @property
    def options(self) -> List[str]:
        """Return apt's options that make it see this repository only."""
        return repository_options(self._work)

    @property
    def lists(self) -> List[RepositoryFile]:
        """Return the files that apt reads before it knows what it needs."""
        return [self._files[name] for name in LISTS]

    def open(self, locate: Locate) -> None:
        """Put the lists in place and let apt read them. locate: tells where a file has arrived."""
        shutil.rmtree(self._work, ignore_errors=True)
        for folder in ("lists/partial", "cache/archives/partial", "repository"):
            os.makedirs(os.path.join(self._work, folder))
        for file in self.lists:
            self._place(file, locate)
        with open(os.path.join(self._work, "sources.list"), "w", encoding="utf-8") as handle:
            handle.write(f"deb [trusted=yes] file:{self._work}/repository ./\n")
        self._apt(["update"])

    def needed(self, names: Sequence[str]) -> List[RepositoryFile]:
        """Return the files that apt installs for these packages on this host. Raises RepositoryError."""
        out = self._apt(["install", "--yes", "--no-install-recommends", "--print-uris", "--", *names])
        return [self._files[deb.file] for deb in parse_uris(out)]

    def add(self, files: Sequence[RepositoryFile], locate: Locate) -> None:
        """Put packages in place. Raises RepositoryError when the disk has no room for them."""
        # What is unpacked takes about three times the package, on the disk of /usr.
        needs: Dict[str, int] = {"/usr": 3 * sum(file.size for file in files)}
        problem = lacking_room(needs, "packages")
        if problem:
            raise RepositoryError(problem)
        for file in files:
            self._place(file, locate)

    def close(self) -> None:
        """Leave nothing on the host."""
        shutil.rmtree(self._work, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(self._work))

    def _place(self, file: RepositoryFile, locate: Locate) -> None:
        try:
            install(locate(file), os.path.join(self._work, "repository", file.name), file.sha256, "0644")
        except (OSError, ValueError) as error:
            raise RepositoryError(f"{file.path} cannot be used: {error}. Run the playbook again") from error

    def _apt(self, arguments: Sequence[str]) -> str:
        try:
            return must(self._run, ["apt-get", *self.options, *arguments])
        except CommandError as error:
            raise RepositoryError(
                f"the bundle's packages do not fit this host: {error}. Make them again on a host of this distribution "
                "that is as new as this one: playbooks/bundle_packages.yml"
            ) from error
