# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as a list of phases with times. Pure: the time comes from a function that the caller passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

BAR_WIDTH = 30


@dataclass
class Phase:
    """Tasks of one role in one play, or of a play outside roles.

    start, seconds: since the run began, and how long it took. tasks: how many began, whatever the number of hosts.
    changed, failed: results of single hosts.
    """

    play: str
    role: str
    start: float
    seconds: float = 0.0
    tasks: int = 0
    changed: int = 0
    failed: int = 0

    @property
    def title(self) -> str:
        """Return the phase's name: the role, and the play that ran it."""
        return f"{self.role} ({self.play})" if self.role else self.play

    @property
    def account(self) -> str:
        """Return what the phase took, in one line."""
        noun = "task" if self.tasks == 1 else "tasks"
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.seconds:.1f} s, {self.tasks} {noun}, {self.changed} changed{failed}"


class Timeline:
    """Collects phases as they happen. Each lasts until the first task of the next, so no time is lost between them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self.phases: list[Phase] = []

    def elapsed(self) -> float:
        """Return the seconds since the run began."""
        return self._clock() - self._start

    def begin_task(self, play: str, role: str) -> str:
        """Count a task; return the line to show when it opens a phase, else nothing."""
        ended = self.phases[-1] if self.phases else None
        if ended and (ended.play, ended.role) == (play, role):
            ended.tasks += 1
            return ""
        self.end()
        # The first phase also carries what Ansible did before any task: reading playbooks and inventory.
        begun = Phase(play, role, start=self.elapsed() if ended else 0.0, tasks=1)
        self.phases.append(begun)
        line = f"{clock_text(begun.start)} {begun.title}"
        return f"{line}, after {ended.title}: {ended.account}" if ended else line

    def add_result(self, changed: bool = False, failed: bool = False) -> None:
        """Count one host's result of the present task."""
        if self.phases:
            self.phases[-1].changed += changed
            self.phases[-1].failed += failed

    def end(self) -> None:
        """Close the present phase."""
        if self.phases:
            self.phases[-1].seconds = self.elapsed() - self.phases[-1].start

    def table(self) -> list[str]:
        """Return the summary as lines: one for each phase in its order, the total last."""
        longest = max((phase.seconds for phase in self.phases), default=0.0)
        lines = [f"{'start':>6} {'seconds':>8} {'tasks':>6} {'changed':>8}  phase"]
        for phase in self.phases:
            length = "#" * round(BAR_WIDTH * phase.seconds / longest) if longest else ""
            failed = f"  {phase.failed} failed" if phase.failed else ""
            numbers = _numbers(phase.start, phase.seconds, phase.tasks, phase.changed)
            lines.append(f"{numbers}  {phase.title:<50} {length}{failed}".rstrip())
        tasks, changed = sum(phase.tasks for phase in self.phases), sum(phase.changed for phase in self.phases)
        end = sum(phase.seconds for phase in self.phases)
        return lines + [f"{_numbers(end, end, tasks, changed)}  end"]


def clock_text(seconds: float) -> str:
    """Return seconds as minutes and seconds, 01:05."""
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


def _numbers(start: float, seconds: float, tasks: int, changed: int) -> str:
    return f"{clock_text(start):>6} {seconds:>8.1f} {tasks:>6} {changed:>8}"
