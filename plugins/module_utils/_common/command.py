# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run programs that change a host and must succeed. Python 3.8, standard library only."""

from __future__ import annotations

import time
from typing import Callable, Sequence, Tuple

# argv -> (status, output, error output), as AnsibleModule.run_command.
Runner = Callable[[Sequence[str]], Tuple[int, str, str]]

# What apt and dpkg say when another process, perhaps that of a run that was killed, holds one of their locks.
LOCK_MESSAGES = ("Could not get lock", "locked by another process")
LOCK_POLL = 2.0


class CommandError(Exception):
    """A program failed. The text names its argv, status and the last lines that it printed."""


def must(run: Runner, argv: Sequence[str]) -> str:
    """Return what the program prints; raises CommandError when its status is not 0."""
    status, out, err = run(argv)
    if status == 0:
        return out
    last = "\n".join((err.strip() or out.strip()).splitlines()[-10:])
    raise CommandError(f"{' '.join(argv)} ended with status {status}: {last}")


def must_with_lock(
    run: Runner, argv: Sequence[str], timeout: float, sleep: Callable[[float], None] = time.sleep
) -> str:
    """Return what the program prints, tried again for up to `timeout` seconds while another process holds a lock.

    Raises CommandError.
    """
    waited = 0.0
    while True:
        try:
            return must(run, argv)
        except CommandError as error:
            if waited >= timeout or not any(message in str(error) for message in LOCK_MESSAGES):
                raise
        sleep(LOCK_POLL)
        waited += LOCK_POLL
