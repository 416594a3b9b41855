# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How packages of a bundle reach this host: from a folder that was sent, or from a web server.

Python 3.8, standard library only.
"""

from __future__ import annotations

import os
from typing import Any, Callable, List, Mapping, Optional, Sequence

from .._common.command import Runner
from .._common.host import Host
from .fetch import FetchError, Server, Wanted
from .package_closure import ClosureError, system_folder
from .package_install import Repository, RepositoryError, RepositoryFile

Say = Callable[[str], None]


class PackagesError(Exception):
    """Packages cannot come from the bundle; the text is for the user as it stands."""


class PackagesOfBundle:
    """The packages of a bundle for this host's system."""

    def __init__(
        self, run: Runner, options: Mapping[str, Any], names: Sequence[str], server: Optional[Server] = None
    ) -> None:
        """options: those of module node_packages. names: the packages to install. server: made of `url` when None."""
        self._run = run
        self._options = options
        self._names = names
        self._server = server
        self._repository: Optional[Repository] = None

    @property
    def system(self) -> str:
        """Return the folder of this host's system in a bundle; empty where there is no dpkg."""
        try:
            return system_folder(self._run, Host())
        except ClosureError:
            return ""

    @property
    def options(self) -> List[str]:
        """Return apt's options once the packages are there."""
        return self._repository.options if self._repository else []

    def prepare(self, say: Say) -> List[str]:
        """Bring the packages here. Return what must be sent first, empty when all is there. Raises PackagesError."""
        files = [RepositoryFile(*file) for file in self._options["files"][self.system]]
        self._repository = Repository(self._run, files)
        try:
            if self._options["url"]:
                return self._fetch(self._repository, say)
            return self._take(self._repository)
        except (RepositoryError, FetchError) as error:
            raise PackagesError(str(error)) from error

    def close(self) -> None:
        """Leave nothing of the repository on the host."""
        if self._server:
            self._server.clear()
        if self._repository:
            self._repository.close()

    def _fetch(self, repository: Repository, say: Say) -> List[str]:
        server = self._server = self._server or Server(self._options["url"], self._options["certificates"])

        def locate(file: RepositoryFile) -> str:
            return server.fetch(Wanted(*file), say)

        server.tidy([])
        repository.open(locate)
        needed = repository.needed(self._names)
        say(f"download {len(needed)} packages ({sum(file.size for file in needed) / 1e6:.0f} MB)")
        repository.add(needed, locate)
        return []

    def _take(self, repository: Repository) -> List[str]:
        def locate(file: RepositoryFile) -> str:
            return os.path.join(self._options["incoming"] or "", file.sha256)

        if not all(os.path.exists(locate(file)) for file in repository.lists):
            return [file.path for file in repository.lists]
        repository.open(locate)
        needed = repository.needed(self._names)
        if not all(os.path.exists(locate(file)) for file in needed):
            return [file.path for file in (*repository.lists, *needed)]
        repository.add(needed, locate)
        return []
