# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian packages installed and held, without python3-apt. Python 3.8, standard library only."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Dict, List, Sequence

from .._common.command import CommandError, Runner, must_with_lock

LISTS = "/var/lib/apt/lists"
# Debian's own timer leaves this stamp; a plain `apt-get update` touches the folder of the lists.
UPDATE_STAMP = "/var/lib/apt/periodic/update-success-stamp"
# dpkg keeps its journal here while it works; what is left there is the trace of one that was killed.
JOURNAL = "/var/lib/dpkg/updates"

INSTALL = (
    "apt-get", "install", "--yes", "--no-install-recommends",
    "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold",
)
ENVIRONMENT = {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_SUSPEND": "1"}


@dataclass(frozen=True)
class Package:
    """State of a package in dpkg's own words. A package that dpkg does not know has no Package."""

    version: str
    want: str
    error: str
    status: str

    @property
    def installed(self) -> bool:
        """Say whether it is there whole, not half unpacked or waiting for its configuration."""
        return self.status == "installed" and self.error == "ok"

    @property
    def held(self) -> bool:
        """Say whether it is kept from upgrades."""
        return self.want == "hold"


@dataclass(frozen=True)
class Plan:
    """What is to be done: packages to install, packages to hold, and whether a killed dpkg must be finished first."""

    install: List[str]
    hold: List[str]
    repair: bool

    @property
    def empty(self) -> bool:
        """Say whether the host is as wanted."""
        return not (self.install or self.hold or self.repair)

    def diff(self, found: Dict[str, Package]) -> Dict[str, str]:
        """Return the change in the form that Ansible shows."""
        before, after = [], []
        for name in self.install:
            before.append(f"{name} {found[name].status if name in found else 'absent'}")
            after.append(f"{name} installed")
        for name in self.hold:
            before.append(f"{name} not held")
            after.append(f"{name} held")
        if self.repair:
            before.append("dpkg was interrupted")
            after.append("dpkg has finished its work")
        return {"before": "".join(line + "\n" for line in before), "after": "".join(line + "\n" for line in after)}


def query(run: Runner, names: Sequence[str]) -> Dict[str, Package]:
    """Return the state of those packages that dpkg knows."""
    if not names:
        return {}
    form = "${Package} ${db:Status-Want} ${db:Status-Eflag} ${db:Status-Status} ${Version}\\n"
    # Its status is 1 when it does not know one of the names, which is an answer.
    _status, out, _err = run(["dpkg-query", "--show", "--showformat", form] + list(names))
    found = {}
    for line in out.splitlines():
        name, want, error, status, version = (line + " ").split(" ")[:5]
        found[name] = Package(version, want, error, status)
    return found


def interrupted(run: Runner, journal: str = JOURNAL) -> bool:
    """Say whether dpkg was killed at its work."""
    left = [name for name in os.listdir(journal) if name.isdigit()] if os.path.isdir(journal) else []
    return bool(left) or bool(run(["dpkg", "--audit"])[1].strip())


def make_plan(found: Dict[str, Package], packages: Sequence[str], held: Sequence[str], repair: bool) -> Plan:
    """Return what brings the host to the wanted state. A package that is not there and not wanted is not held."""
    install = [name for name in packages if name not in found or not found[name].installed]
    present = set(install) | {name for name, package in found.items() if package.installed}
    hold = [name for name in held if name in present and not (name in found and found[name].held)]
    return Plan(install, hold, repair)


def lists_age(now: float, lists: str = LISTS, stamp: str = UPDATE_STAMP) -> float:
    """Return the age of apt's package lists in seconds; infinite when there are none, as in a fresh image."""
    names = os.listdir(lists) if os.path.isdir(lists) else []
    if not any(name.endswith(("_Packages", "_Packages.lz4")) for name in names):
        return float("inf")
    times = [os.stat(path).st_mtime for path in (lists, stamp) if os.path.exists(path)]
    return now - max(times)


def carry_out(
    run: Runner,
    plan: Plan,
    cache_valid_time: float,
    lock_timeout: float,
    allow_removal: bool,
    repository: Sequence[str] = (),
) -> None:
    """Do what the plan says. Raises CommandError.

    repository: options of apt that show it one repository, whose lists it has read; empty for the host's own sources.
    """
    if plan.repair:
        must_with_lock(run, ["dpkg", "--force-confdef", "--force-confold", "--configure", "-a"], lock_timeout)
    if plan.install and repository:
        must_with_lock(run, _install_argv(plan.install, allow_removal, repository), lock_timeout)
    elif plan.install:
        _install(run, plan.install, cache_valid_time, lock_timeout, allow_removal)
    if plan.hold:
        must_with_lock(run, ["apt-mark", "hold"] + plan.hold, lock_timeout)


def _install_argv(names: List[str], allow_removal: bool, options: Sequence[str] = ()) -> List[str]:
    return list(INSTALL) + list(options) + ([] if allow_removal else ["--no-remove"]) + names


def _install(run: Runner, names: List[str], cache_valid_time: float, lock_timeout: float, allow_removal: bool) -> None:
    argv = _install_argv(names, allow_removal)
    fresh = lists_age(time.time()) <= cache_valid_time
    if not fresh:
        _update(run, lock_timeout)
    try:
        must_with_lock(run, argv, lock_timeout)
    except CommandError:
        if not fresh:
            raise
        # The lists are young, and yet a version that they name may be gone from the mirror.
        _update(run, lock_timeout)
        must_with_lock(run, argv, lock_timeout)


def _update(run: Runner, lock_timeout: float) -> None:
    must_with_lock(run, ["apt-get", "update"], lock_timeout)
    os.utime(LISTS)
