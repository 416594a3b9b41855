# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands and folders for the work on a cluster's settings. Python 3.8, standard library only."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from typing import Iterator, Mapping, Optional, Sequence, Tuple

from .settings_plan import SettingsError

LINES_SHOWN = 10


def run(command: Sequence[str], environment: Mapping[str, str], given: Optional[str] = None) -> Tuple[str, str]:
    """Run a command and return what it printed. Raises SettingsError with its last lines when it fails.

    environment: variables beside those of this process. given: what it reads.
    """
    try:
        # Not run_command: no module is at hand in here, and the variables are those of one command alone.
        done = subprocess.run(  # pylint: disable=ansible-bad-function
            list(command),
            env={**os.environ, **environment},
            input=given or "",
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise SettingsError(f"{command[0]} cannot be run: {error}") from None
    if done.returncode != 0:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-LINES_SHOWN:])
        raise SettingsError(f"{' '.join(command)} ended with status {done.returncode}:\n{last}")
    return done.stdout, done.stderr


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """Give a folder of root's own in memory, gone afterwards."""
    folder = tempfile.mkdtemp(prefix="mlstack-settings-", dir="/run")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
