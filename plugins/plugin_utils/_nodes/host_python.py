# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python on a host that has none: what is asked there by plain shell, and what its answer calls for. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...module_utils._bundle.package_repository import folder_name

# What ansible-core 2.19 needs on a managed host, and so do this collection's modules.
OLDEST = (3, 8)
PACKAGE = "python3"
# Every line is one fact; a program that is missing leaves its line out.
LOOK = (
    "python3 -c 'import sys; print(\"python=%d.%d.%d\" % sys.version_info[:3])' 2>/dev/null; "
    "command -v apt-get >/dev/null 2>&1 && echo apt=yes; "
    'command -v dpkg >/dev/null 2>&1 && echo "architecture=$(dpkg --print-architecture)"; '
    '. /etc/os-release 2>/dev/null && echo "system=${PRETTY_NAME:-$ID}" && '
    'echo "distribution=${ID:-linux}" && echo "version=${VERSION_ID:-}"; echo asked=yes'
)
_FACT = re.compile(r"^(python|apt|architecture|system|distribution|version|asked)=(.*?)\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """What the host told.

    python: version of python3, empty without one. apt: whether apt-get is there. system: what the host calls itself.
    answered: whether its shell ran the question to its end. packages: the folder of its packages in a bundle, empty
    where there is no dpkg.
    """

    python: str
    apt: bool
    system: str
    answered: bool
    packages: str = ""

    @property
    def usable(self) -> bool:
        """Tell whether modules can run on the host."""
        return bool(self.python) and tuple(int(part) for part in self.python.split(".")[:2]) >= OLDEST


def parse(output: str) -> Found:
    """Return what the output of LOOK says; what a login prints besides is passed over."""
    facts = {name: value.strip() for name, value in _FACT.findall(output)}
    return Found(
        python=facts.get("python", ""),
        apt="apt" in facts,
        system=facts.get("system") or "an unknown system",
        answered="asked" in facts,
        packages=_packages(facts),
    )


def _packages(facts: dict[str, str]) -> str:
    if not facts.get("architecture") or not facts.get("distribution"):
        return ""
    return folder_name(facts["distribution"], facts.get("version", ""), facts["architecture"])


def refusal(found: Found) -> str:
    """Return why Python cannot be put on this host and the way out; empty when it can."""
    oldest = ".".join(str(part) for part in OLDEST)
    if found.python:
        return (
            f"python3 is {found.python}, modules need {oldest} or newer. "
            f"Install a newer one on {found.system} by hand, and name it in ansible_python_interpreter"
        )
    if not found.apt:
        return f"{found.system} has neither Python nor apt-get. Install Python {oldest} or newer by hand"
    return ""


def install_command(lock_timeout: int) -> str:
    """Return the shell command that installs Python from the host's own apt sources.

    lock_timeout: seconds to wait for another process that holds apt's lock.
    """
    apt = f"apt-get -q -o DPkg::Lock::Timeout={lock_timeout}"
    # What an earlier run left half done is finished first, or apt refuses everything.
    return (
        "export DEBIAN_FRONTEND=noninteractive LC_ALL=C; dpkg --configure --pending && "
        f"{apt} update && {apt} install --yes --no-install-recommends {PACKAGE}"
    )
