# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells how far a wait is: each news once, and a sign of life while there is none."""

from __future__ import annotations

from typing import Callable

from .deadline import Deadline

SIGN_OF_LIFE_S = 30.0


class Teller:
    """say: what shows a line. deadline: of the wait, for its clock."""

    def __init__(self, say: Callable[[str], None], deadline: Deadline) -> None:
        self._say = say
        self._deadline = deadline
        self._last = ""
        self._told_at = 0.0

    def tell(self, line: str) -> None:
        """Show a line unless it is the one that was shown not long ago."""
        if line != self._last or self._deadline.spent() - self._told_at >= SIGN_OF_LIFE_S:
            self._say(line)
            self._last, self._told_at = line, self._deadline.spent()
