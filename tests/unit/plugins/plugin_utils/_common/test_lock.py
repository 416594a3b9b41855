# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs on one machine, as threads of one process: flock is held by each opening of the file."""

from __future__ import annotations

import threading
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.lock import locked


def test_two_runs_go_one_after_the_other(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with locked(tmp_path / "cache" / "lock", lambda: order.append("waiting")):
            order.append("second")

    thread = threading.Thread(target=second)
    with locked(tmp_path / "cache" / "lock"):
        thread.start()
        thread.join(timeout=0.3)
        order.append("first")
    thread.join()
    assert order == ["waiting", "first", "second"]
