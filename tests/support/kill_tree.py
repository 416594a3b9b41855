# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a run as a power cut brings it: Ansible's workers have sessions of their own, no group holds them all."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess


def kill_tree(pid: int) -> None:
    """Send SIGKILL to a process and all that it has started, as far as they still run."""
    with contextlib.suppress(ProcessLookupError):
        # Stopped, it starts no more of them.
        os.kill(pid, signal.SIGSTOP)
    for each in [pid, *descendants(pid)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have started."""
    lines = subprocess.check_output(["ps", "-e", "-o", "pid=,ppid="], text=True).splitlines()
    parents = {int(child): int(parent) for child, parent in (line.split() for line in lines)}
    children = [child for child, parent in parents.items() if parent == pid]
    return children + [below for child in children for below in descendants(child)]
