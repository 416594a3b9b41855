# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host as the readers see it: files below a root folder, programs by argv. Python 3.8, standard library only."""

from __future__ import annotations

import os
import subprocess
from typing import Callable, Dict, List, Optional, Sequence

Run = Callable[[Sequence[str]], Optional[str]]

# A program that does not answer in this time is treated as one that is not there: reading a host must stay quick.
PROGRAM_TIMEOUT = 5.0


def run_program(argv: Sequence[str]) -> Optional[str]:
    """Return what the program prints, whatever its status; None when it is missing or does not end in time."""
    try:
        # Not run_command: that one has no limit of time.
        done = subprocess.run(  # pylint: disable=ansible-bad-function
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PROGRAM_TIMEOUT,
            env=dict(os.environ, LC_ALL="C"),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace")


class Host:
    """Where files are looked for and how programs are run.

    root: folder that stands for `/`; tests give a folder of their own.
    run: called with an argv, returns the program's output or None.
    machine: the hardware name, as `uname -m` prints it.
    """

    def __init__(self, root: str = "/", run: Run = run_program, machine: Optional[str] = None) -> None:
        self.root = root
        self.run = run
        self.machine = machine or os.uname().machine

    def path(self, absolute: str) -> str:
        """Return where the absolute path lies below the root."""
        return os.path.join(self.root, absolute.lstrip("/"))

    def exists(self, absolute: str) -> bool:
        """Say whether there is anything at the path."""
        return os.path.lexists(self.path(absolute))

    def is_folder(self, absolute: str) -> bool:
        """Say whether there is a folder at the path."""
        return os.path.isdir(self.path(absolute))

    def text(self, absolute: str) -> str:
        """Return the file's text without the white space around it; raises OSError when it cannot be read."""
        with open(self.path(absolute), encoding="utf-8", errors="replace") as handle:
            return handle.read().strip()

    def text_or_none(self, absolute: str) -> Optional[str]:
        """Return the file's text without the white space around it, or None when it cannot be read."""
        try:
            return self.text(absolute)
        except OSError:
            return None

    def names(self, absolute: str) -> List[str]:
        """Return the sorted names in a folder; none when there is no such folder."""
        try:
            return sorted(os.listdir(self.path(absolute)))
        except OSError:
            return []


def os_release(host: Host) -> Dict[str, str]:
    """Return the pairs of os-release(5), quotes taken off."""
    pairs = (line.split("=", 1) for line in host.text("/etc/os-release").splitlines() if "=" in line)
    return {key.strip(): value.strip().strip("\"'") for key, value in pairs}
