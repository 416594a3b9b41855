# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that build something, and the error that says what went wrong with one."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

TAIL_LINES = 25


class BuildError(Exception):
    """An item could not be built. The message names the command and ends with the last lines of its output."""


def run(argv: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run a command and return what it wrote to its standard output.

    env: what is added to the environment of this process.
    Raises BuildError when the command is missing or does not end with status 0.
    """
    try:
        done = subprocess.run(
            list(argv),
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise BuildError(f"command: {shlex.join(argv)}\n{error}") from error
    if done.returncode != 0:
        raise BuildError(failure(argv, done.returncode, done.stdout + done.stderr))
    return done.stdout


def failure(argv: Sequence[str], status: int, output: str) -> str:
    """Return the text for a command that failed."""
    lines = output.strip().splitlines()[-TAIL_LINES:]
    return "\n".join([f"command: {shlex.join(argv)}", f"status: {status}", "last lines of its output:", *lines])
