# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_pauses_never_reach_past_the_end() -> None:
    clock = Clock()
    deadline = Deadline(5, clock, clock.sleep)
    assert deadline.pause(3)
    assert deadline.pause(3)
    assert (deadline.left(), deadline.spent()) == (0, pytest.approx(5))
    assert not deadline.pause(3)
    assert clock.now == 105
