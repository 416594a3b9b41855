# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python out of a bundle's packages on a host that has none: what its shell is told. Pure.

What module node_packages does on a host by Python, this does by shell: the repository lies there only meanwhile, each
file of it is checked against the bundle's index, and apt sees nothing else.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ...module_utils._bundle.index import Entry
from ...module_utils._bundle.package_install import LISTS, WORK, repository_options
from ...module_utils._bundle.package_repository import parse_uris
from .host_python import PACKAGE

ENVIRONMENT = "export DEBIAN_FRONTEND=noninteractive LC_ALL=C"


def lists(repository: Sequence[Entry]) -> list[Entry]:
    """Return the files that apt reads before it knows what it needs."""
    return [entry for entry in repository if _name(entry) in LISTS]


def ask_command(folder: str, repository: Sequence[Entry], work: str = WORK) -> str:
    """Return the command that prints what apt would install. folder: on the host, where the lists are by their sums."""
    made = " ".join(shlex.quote(f"{work}/{name}") for name in ("lists/partial", "cache/archives/partial", "repository"))
    source = shlex.quote(f"deb [trusted=yes] file:{work}/repository ./")
    return "; ".join([
        "set -e",
        ENVIRONMENT,
        f"rm -rf {shlex.quote(work)}",
        f"mkdir -p {made}",
        *_placed(folder, lists(repository), work),
        f"echo {source} > {shlex.quote(work)}/sources.list",
        f"{_apt(work)} update >&2",
        f"{_apt(work)} install --yes --no-install-recommends --print-uris {PACKAGE}",
    ])


def needed(output: str, repository: Sequence[Entry]) -> list[Entry]:
    """Return the packages that apt has named."""
    names = {deb.file for deb in parse_uris(output)}
    return [entry for entry in repository if _name(entry) in names]


def install_command(folder: str, packages: Sequence[Entry], lock_timeout: int, work: str = WORK) -> str:
    """Return the command that installs Python. folder: on the host, where the packages are by their sums.

    lock_timeout: seconds to wait for another process that holds apt's lock.
    """
    apt = f"{_apt(work)} -o DPkg::Lock::Timeout={lock_timeout}"
    return "; ".join([
        "set -e",
        ENVIRONMENT,
        f"trap {shlex.quote(f'rm -rf {shlex.quote(work)}')} EXIT",
        *_placed(folder, packages, work),
        "dpkg --configure --pending",
        f"{apt} install --yes --no-install-recommends {PACKAGE}",
    ])


def _name(entry: Entry) -> str:
    return entry.path.rsplit("/", 1)[-1]


def _apt(work: str) -> str:
    return shlex.join(["apt-get", "-q", *repository_options(work)])


def _placed(folder: str, entries: Sequence[Entry], work: str) -> list[str]:
    """Return the commands that bring files to the repository and check them there."""
    commands = []
    for entry in entries:
        target = shlex.quote(f"{work}/repository/{_name(entry)}")
        commands.append(f"cp {shlex.quote(f'{folder}/{entry.sha256}')} {target}")
        commands.append(f"echo {shlex.quote(f'{entry.sha256}  ')}{target} | sha256sum --check --quiet >&2")
    return commands
