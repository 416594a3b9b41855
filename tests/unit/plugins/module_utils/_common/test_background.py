# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import (
    Progress,
    WorkError,
    running,
    start,
)


def events(path: str, seconds: float = 5.0) -> list[dict[str, Any]]:
    """Return all lines once the last one holds a result."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        if lines and "result" in lines[-1]:
            return lines
        time.sleep(0.02)
    raise AssertionError(f"no result in {path}")


def test_progress_and_result_reach_the_follower(tmp_path: Path) -> None:
    def work(progress: Progress) -> dict[str, Any]:
        progress.say("first")
        progress.say("second")
        return {"changed": True}

    followed = start("demo", work, str(tmp_path))
    lines = events(followed["follow"])
    assert [line.get("text") for line in lines[:-1]] == ["first", "second"]
    assert lines[-1]["result"] == {"changed": True}


@pytest.mark.parametrize(("error", "message"), [
    (WorkError("the disk is full"), "the disk is full"),
    (KeyError("x"), "unexpected error on the node"),
])
def test_a_failure_is_a_result(tmp_path: Path, error: Exception, message: str) -> None:
    def work(_progress: Progress) -> dict[str, Any]:
        raise error

    result = events(start("demo", work, str(tmp_path))["follow"])[-1]["result"]
    assert result["failed"] is True
    assert result["msg"] == message


def test_one_at_a_time_and_the_second_follows_the_first(tmp_path: Path) -> None:
    def slow(_progress: Progress) -> dict[str, Any]:
        time.sleep(1)
        return {"who": "first"}

    first = start("slow", slow, str(tmp_path))
    second = start("other", lambda _progress: {"who": "second"}, str(tmp_path))
    assert second["busy"] is True
    assert second["follow"] == first["follow"]
    assert events(first["follow"])[-1]["result"] == {"who": "first"}
    deadline = time.monotonic() + 5
    while start("other", lambda _progress: {"who": "second"}, str(tmp_path)).get("busy"):
        assert time.monotonic() < deadline


def test_the_lock_is_free_after_a_kill(tmp_path: Path) -> None:
    killed = start("slow", lambda _progress: time.sleep(60) or {}, str(tmp_path))
    assert Path(f"/proc/{killed['pid']}").is_dir()
    os.kill(killed["pid"], signal.SIGKILL)
    os.waitpid(killed["pid"], 0)
    assert "busy" not in start("next", lambda _progress: {}, str(tmp_path))


def test_old_progress_files_do_not_pile_up(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"old-{number}.progress").write_text("", encoding="utf-8")
    start("new", lambda _progress: {}, str(tmp_path))
    assert len(list(tmp_path.glob("*.progress"))) <= 21


def test_running_work_is_told_until_it_ends(tmp_path: Path) -> None:
    assert running(str(tmp_path)) is None
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    def work(_progress: Progress) -> dict[str, Any]:
        return {"read": gate.read_text()}

    started = start("demo", work, str(tmp_path))
    assert running(str(tmp_path)) == {**started, "busy": True}
    gate.write_text("go")
    events(started["follow"])
    os.waitpid(started["pid"], 0)
    assert running(str(tmp_path)) is None
