# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that must succeed, and locks that others hold."""

from __future__ import annotations

from typing import Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import (
    LOCK_POLL,
    CommandError,
    must,
    must_with_lock,
)

# As apt 2.6 and dpkg 1.21 say it.
HELD = [
    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 604 (python3)",
    "dpkg: error: dpkg frontend lock was locked by another process with pid 604",
    "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 604 (python3)",
]


class Program:
    """Fails with the given texts, one a call, then succeeds."""

    def __init__(self, *failures: str) -> None:
        self.failures = list(failures)

    def __call__(self, argv: Sequence[str]) -> tuple[int, str, str]:
        return (1, "", self.failures.pop(0)) if self.failures else (0, "done", "")


def test_success_returns_the_output() -> None:
    assert must(Program(), ["x"]) == "done"


def test_failure_tells_program_status_and_last_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    with pytest.raises(CommandError) as error:
        must(Program(text), ["apt-get", "update"])
    assert str(error.value).startswith("apt-get update ended with status 1: line 20\n")
    assert "line 29" in str(error.value)


@pytest.mark.parametrize("message", HELD)
def test_waits_while_a_lock_is_held(message: str) -> None:
    slept: list[float] = []
    assert must_with_lock(Program(message, message), ["x"], 300, slept.append) == "done"
    assert slept == [LOCK_POLL, LOCK_POLL]


def test_gives_up_after_the_timeout() -> None:
    slept: list[float] = []
    with pytest.raises(CommandError, match="It is held by process 604"):
        must_with_lock(Program(*[HELD[0]] * 100), ["x"], 5, slept.append)
    assert sum(slept) == 6


def test_another_failure_is_not_tried_again() -> None:
    with pytest.raises(CommandError, match="Unable to locate"):
        must_with_lock(Program("E: Unable to locate package x"), ["x"], 300, lambda _seconds: pytest.fail("slept"))
