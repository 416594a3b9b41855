# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time that is left. Pure but for the two functions handed in."""

from __future__ import annotations

import time
from typing import Callable


class Deadline:
    """A span of time that all steps of one call share.

    timeout: seconds. clock and sleep: replaced by tests.
    """

    def __init__(
        self, timeout: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._start = clock()
        self._end = self._start + timeout

    def left(self) -> float:
        """Return the seconds left, at least 0."""
        return max(0.0, self._end - self._clock())

    def spent(self) -> float:
        """Return the seconds since the start."""
        return self._clock() - self._start

    def pause(self, seconds: float) -> bool:
        """Sleep, but not past the end. Return False when no time is left: then the caller gives up."""
        if self.left() <= 0:
            return False
        self._sleep(min(seconds, self.left()))
        return True
