# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a bundle on a node: what differs, and how it is put right. Python 3.8, standard library only."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from .._common.disk import full_disk, lacking_room
from .fetch import FetchError, Server, Wanted
from .place import install, mode_of, sha256_of

Say = Callable[[str], None]


class InstallError(Exception):
    """A file could not be installed; the text is for the user as it stands."""


@dataclass(frozen=True)
class BundleFile:
    """A file that a node shall have. path: in the bundle. dest: on the node. mode: octal. size: in bytes."""

    path: str
    dest: str
    sha256: str
    mode: str
    size: int

    @property
    def wanted(self) -> str:
        """Return sum and mode as they shall be."""
        return f"{self.sha256} {self.mode}"


@dataclass(frozen=True)
class Compared:
    """What differs. found: dest -> sum and mode of what is there. lacking: those whose content differs."""

    found: Mapping[str, str]
    differing: Sequence[BundleFile]
    lacking: Sequence[BundleFile]

    def outcome(self) -> Dict[str, Any]:
        """Return the module's result for what is, or would be, done."""
        return {
            "changed": bool(self.differing),
            "installed": [item.dest for item in self.differing],
            "diff": {
                "before": "".join(f"{item.dest} {self.found.get(item.dest, 'absent')}\n" for item in self.differing),
                "after": "".join(f"{item.dest} {item.wanted}\n" for item in self.differing),
            },
        }


def compare(files: Sequence[BundleFile]) -> Compared:
    """Return what must be done so that the node has the files."""
    sums = {item.dest: sha256_of(item.dest) for item in files}
    found = {dest: f"{digest} {mode_of(dest)}" for dest, digest in sums.items() if digest is not None}
    differing = [item for item in files if found.get(item.dest) != item.wanted]
    return Compared(found, differing, [item for item in differing if sums[item.dest] != item.sha256])


def place(compared: Compared, incoming: str) -> None:
    """Put all in place. incoming: the folder that holds what is lacking, by sum. Raises InstallError."""
    problem = lacking_room(_needs(compared.lacking), "the bundle's programs")
    if problem:
        raise InstallError(f"nothing was installed: {problem}")
    _mend_modes(compared)
    for item in compared.lacking:
        _install(os.path.join(incoming, item.sha256), item)


def fetch_and_place(compared: Compared, url: str, say: Say, server: Optional[Server] = None) -> None:
    """Fetch all that is lacking, then put all in place. say: is told of each file. Raises InstallError.

    One file that is not what the index says keeps all others out: a server of another release installs nothing.
    """
    source = server or Server(url)
    wanted = {item.sha256: Wanted(item.path, item.sha256, item.size) for item in compared.lacking}
    try:
        source.tidy(wanted.values())
        for number, one in enumerate(wanted.values(), start=1):
            say(f"download {number}/{len(wanted)} {one.path}")
            source.fetch(one, say)
    except FetchError as error:
        raise InstallError(f"nothing was installed: {error}") from error
    place(compared, source.folder)
    source.clear()


def _needs(files: Sequence[BundleFile]) -> Dict[str, int]:
    return {item.dest: item.size for item in files}


def _mend_modes(compared: Compared) -> None:
    for item in compared.differing:
        if item not in compared.lacking:
            os.chmod(item.dest, int(item.mode, 8))


def _install(source: str, item: BundleFile) -> None:
    try:
        install(source, item.dest, item.sha256, item.mode)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise InstallError(f"{item.path} was not installed: {error}") from error
        raise InstallError(f"{item.path} was not installed: {full_disk(item.dest, item.size, item.path)}") from error
    except ValueError as error:
        raise InstallError(f"{item.path} was not installed: {error}. Run the playbook again") from error
