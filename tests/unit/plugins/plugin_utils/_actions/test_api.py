# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from ansible_collections.trainyard.mlstack.plugins.action.objects import ActionModule
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions import api as api_action


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the lines that reach the screen."""
    lines: list[str] = []
    display = MagicMock()
    display.return_value.display = lines.append
    monkeypatch.setattr(api_action, "Display", display)
    monkeypatch.setattr(api_action, "POLL_SECONDS", 0.05)
    return lines


class Task:
    """As much of a task as the plugin touches."""

    def __init__(self) -> None:
        self.args = {"objects": [], "name": None}
        self.action = "trainyard.mlstack.queue"
        self.no_log = False
        self.async_val = 0
        self.check_mode = False

    def copy(self) -> Task:
        return Task()


def action(transport: str, module: Any, become: bool = False) -> ActionModule:
    connection = MagicMock(transport=transport, become=become)
    found = ActionModule(Task(), connection, MagicMock(), MagicMock(), MagicMock(), MagicMock())
    found._execute_module = module
    return found


def test_steps_are_shown_while_the_module_works(shown: list[str]) -> None:
    during: list[str] = []

    def module(module_args: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        path = Path(module_args["progress_file"])
        path.write_text(
            json.dumps({"text": "created Pod a", "seconds": 1.2}) + "\n" + '{"text": "half', encoding="utf-8"
        )
        time.sleep(0.3)
        during.extend(shown)
        with path.open("a", encoding="utf-8") as handle:
            handle.write(' a line", "seconds": 2}\n')
        return {"changed": True}

    assert action("local", module).run(task_vars={})["changed"]
    assert during == ["  queue: created Pod a (1 s)"]
    assert shown == ["  queue: created Pod a (1 s)", "  queue: half a line (2 s)"]


@pytest.mark.parametrize(("transport", "become"), [("ssh", False), ("local", True)])
def test_no_progress_file_on_another_host_or_for_another_user(shown: list[str], transport: str, become: bool) -> None:
    given: dict[str, Any] = {}

    def module(module_args: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        given.update(module_args)
        return {}

    action(transport, module, become).run(task_vars={})
    assert "progress_file" not in given
    assert shown == []


def test_objects_stay_out_of_the_system_log(shown: list[str]) -> None:
    found = action("ssh", lambda **_arguments: {})
    task = found._task
    found.run(task_vars={})
    assert (found._task.no_log, task.no_log) == (True, False)
