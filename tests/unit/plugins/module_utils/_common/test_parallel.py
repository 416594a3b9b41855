# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import threading

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.parallel import THREADS, each


def test_order_is_kept_and_work_is_done_side_by_side() -> None:
    together = threading.Barrier(3, timeout=10)

    def wait_for_the_others(number: int) -> int:
        together.wait()
        return number * 2

    assert each(wait_for_the_others, [3, 1, 2]) == [6, 2, 4]


def test_few_threads_for_many_items() -> None:
    seen: set[str] = set()

    def remember(number: int) -> int:
        seen.add(threading.current_thread().name)
        return number

    assert each(remember, range(200)) == list(range(200))
    assert len(seen) <= THREADS


def test_all_run_although_one_fails() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        if number == 1:
            raise ValueError("one")
        done.append(number)

    # More of them than threads: some begin only after the first has failed.
    with pytest.raises(ValueError, match="one"):
        each(work, range(1, 10 * THREADS))
    assert sorted(done) == list(range(2, 10 * THREADS))
