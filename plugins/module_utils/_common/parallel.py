# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many requests at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterable, List, TypeVar

T = TypeVar("T")
R = TypeVar("R")

THREADS = 8


def each(function: Callable[[T], R], items: Iterable[T]) -> List[R]:
    """Return `function` of each item, in the items' order. The first exception is raised after all have run."""
    todo = list(items)
    if len(todo) < 2:
        return [function(item) for item in todo]
    with ThreadPoolExecutor(max_workers=min(THREADS, len(todo))) as pool:
        # Not `map`: at the first exception that one drops what has not begun.
        running = [pool.submit(function, item) for item in todo]
    return [each_one.result() for each_one in running]
