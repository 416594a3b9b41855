# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run kubeadm and tell its phases as they begin, which `run_command` cannot: it is silent until the end."""

from __future__ import annotations

import subprocess
from typing import IO, List, Set, cast

from .._common.background import Progress, WorkError
from .kubeadm import phase_of

SHOWN_ON_FAILURE = 20


def stream(progress: Progress, command: List[str]) -> None:
    """Run kubeadm and report each phase as it begins. Raises WorkError with the last lines when it fails."""
    process = subprocess.Popen(  # pylint: disable=ansible-bad-function
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    lines: List[str] = []
    told: Set[str] = set()
    for line in cast(IO[str], process.stdout):
        lines.append(line.rstrip())
        phase = phase_of(line)
        # kubeadm comes back to a phase after asides such as patches; each is told once, when it begins.
        if phase is not None and phase not in told:
            told.add(phase)
            progress.say(phase)
    if process.wait() != 0:
        last = "\n".join(lines[-SHOWN_ON_FAILURE:])
        raise WorkError(f"{' '.join(command[:2])} ended with status {process.returncode}:\n{last}")
