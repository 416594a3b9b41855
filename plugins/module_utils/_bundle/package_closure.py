# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find and fetch packages and all that they depend on, by a host's own apt sources, without touching its state.

Python 3.8, standard library only.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from typing import Any, Callable, Dict, List, Sequence

from .._common.command import CommandError, Runner, must
from .._common.host import Host, os_release
from .package_repository import Deb, apt_options, folder_name, parse_uris

# Read over the connection's own user, who need not be root.
WORK = "/var/cache/mlstack/closure"
TAR = "packages.tar"
# Only a name or an option of apt's, so that a package's name is never taken for one.
_QUIET = ("--quiet", "--yes", "--no-install-recommends")

Say = Callable[[str], None]


class ClosureError(Exception):
    """Packages cannot be found or fetched; the text is for the user as it stands."""


def system_folder(run: Runner, host: Host) -> str:
    """Return the folder of this host's system in a bundle. Raises ClosureError when it is no Debian or Ubuntu."""
    try:
        architecture = must(run, ["dpkg", "--print-architecture"]).strip()
    except CommandError as error:
        raise ClosureError(f"this host has no dpkg, so that its packages cannot come from a bundle: {error}") from error
    about = os_release(host)
    return folder_name(about.get("ID", "linux"), about.get("VERSION_ID", ""), architecture)


class Closure:
    """apt with lists, status and cache of its own: as if nothing were installed yet."""

    def __init__(self, run: Runner, work: str = WORK) -> None:
        self._run = run
        self._work = work

    def resolve(self, sets: Sequence[Sequence[str]], say: Say) -> List[Deb]:
        """Return the packages of all sets with all that they depend on, each once. Raises ClosureError.

        sets: packages that can be installed together; those that conflict stand in different sets.
        """
        for folder in ("lists/partial", "archives/partial"):
            os.makedirs(os.path.join(self._work, folder), exist_ok=True)
        with open(os.path.join(self._work, "status"), "w", encoding="utf-8"):
            pass
        say("read the host's apt sources")
        self._apt(["update", "--error-on=any"], "The host must reach the apt sources that it names")
        found: Dict[str, Deb] = {}
        for names in sets:
            say(f"find what {', '.join(names)} depend on")
            way_out = "Correct the names, or the host's apt sources"
            out = self._apt(["install", *_QUIET, "--print-uris", "--", *names], way_out)
            found.update({deb.name: deb for deb in parse_uris(out)})
        unsummed = sorted(deb.name for deb in found.values() if not deb.sha256)
        if unsummed:
            raise ClosureError(f"apt knows no sha256 of {', '.join(unsummed)}: use a newer mirror for it")
        return sorted(found.values())

    def fetch(self, debs: Sequence[Deb], say: Say) -> Dict[str, Any]:
        """Fetch packages into one archive; return its path and their control fields. Raises ClosureError."""
        new = os.path.join(self._work, "new")
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(new)
        say(f"download {len(debs)} packages ({sum(deb.size for deb in debs) / 1e6:.0f} MB)")
        argv = ["download", "--", *(deb.label for deb in debs)]
        self._apt(argv, "The host must reach the apt sources that it names", folder=new)
        controls = {}
        tar = os.path.join(self._work, TAR)
        with tarfile.open(tar, "w") as archive:
            for deb in debs:
                path = os.path.join(new, _apt_file(new, deb))
                try:
                    controls[deb.sha256] = must(self._run, ["dpkg-deb", "--field", path])
                except CommandError as error:
                    raise ClosureError(str(error)) from error
                archive.add(path, arcname=deb.sha256)
        shutil.rmtree(new)
        return {"tar": tar, "controls": controls}

    def _apt(self, arguments: Sequence[str], way_out: str, folder: str = "/") -> str:
        settings = {
            "Acquire::ForceHash": "SHA256",
            "APT::Sandbox::User": "root",
            "Dir::Cache": self._work,
            "Dir::Cache::archives": f"{self._work}/archives",
            "Dir::State": self._work,
            "Dir::State::lists": f"{self._work}/lists",
            "Dir::State::status": f"{self._work}/status",
        }
        try:
            return must(self._run, ["env", f"--chdir={folder}", "apt-get", *apt_options(settings), *arguments])
        except CommandError as error:
            raise ClosureError(f"{_last_words(str(error))}. {way_out} and run the playbook again") from error


def _apt_file(folder: str, deb: Deb) -> str:
    """Return the name that apt gave a package's file."""
    name = f"{deb.name}_{deb.version.replace(':', '%3a')}_{deb.architecture}.deb"
    if not os.path.exists(os.path.join(folder, name)):
        raise ClosureError(f"apt has not downloaded {name}: its lists have just changed. Run the playbook again")
    return name


def _last_words(text: str) -> str:
    """Return what apt says is wrong, without the command that it was given."""
    said = text.partition(" ended with status ")[2].partition(": ")[2] or text
    wrong = [line for line in said.splitlines() if line.startswith(("E:", " "))] or said.splitlines()
    return "; ".join(" ".join(line.split()) for line in wrong)
