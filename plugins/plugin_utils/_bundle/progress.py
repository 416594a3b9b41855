# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said while items are downloaded: name, place in the list, megabytes, percent, time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from .._download.download import megabytes


class Progress:
    """Says now and then how far each download is. Safe to use from several threads."""

    def __init__(self, say: Callable[[str], None], every_s: float = 10.0) -> None:
        """say: shows one line. every_s: seconds between two lines about one download."""
        self._say = say
        self._every_s = every_s
        self._lock = threading.Lock()
        self._labels: dict[str, str] = {}

    def label(self, name: str, label: str) -> None:
        """Set what an item is called in the lines about it."""
        self._labels[name] = label

    def say(self, line: str) -> None:
        """Show one line, never in the middle of another."""
        with self._lock:
            self._say(line)

    def meter(self, name: str) -> Meter:
        """Return the meter of one item."""
        return Meter(name, self, self._every_s)

    def about(self, name: str, text: str) -> None:
        """Say something about an item."""
        self.say(f"{self._labels.get(name, name)} {text}")


class Meter:
    """Counts the bytes of one item, which may come in several parts at a time."""

    def __init__(self, name: str, progress: Progress, every_s: float) -> None:
        self._name = name
        self._progress = progress
        self._every_s = every_s
        self._started = self._said = time.monotonic()
        self._parts: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def part(self, key: str = "", total: int = 0) -> Callable[[int, int], None]:
        """Return what is told of the bytes of one part. total: its size, where it is known before."""
        self._parts[key] = (0, total)

        def count(done: int, size: int) -> None:
            with self._lock:
                self._parts[key] = (done, size or total)
                now = time.monotonic()
                if now - self._said < self._every_s:
                    return
                self._said = now
            self._progress.about(self._name, self.text())

        return count

    def note(self, text: str) -> None:
        """Say what went wrong and is tried again."""
        self._progress.about(self._name, f"has trouble: {text}")

    def text(self) -> str:
        """Return how far it is, for example `12 of 60 MB, 20 %, 4 s`."""
        done = sum(part[0] for part in self._parts.values())
        total = sum(part[1] for part in self._parts.values())
        known = all(part[1] for part in self._parts.values())
        percent = f", {100 * done // total} %" if known and total else ""
        return f"{megabytes(done, total if known else 0)}{percent}, {time.monotonic() - self._started:.0f} s"
