# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that goes on in the background is followed to its end, whoever started it."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleActionFail
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions import follow
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow

STARTED = {"follow": "/run/trainyard/a b.progress", "pid": 7}


class FakeAction:
    """An action on a host. results: of the module, one a run. outputs: of the command that looks, the last for ever."""

    def __init__(self, results: list[dict[str, Any]], outputs: list[str]) -> None:
        self.results, self.outputs = results, outputs
        self.commands: list[str] = []

    def _execute_module(self, **_arguments: Any) -> dict[str, Any]:
        return self.results.pop(0)

    def _low_level_execute_command(self, command: str) -> dict[str, str]:
        self.commands.append(command)
        return {"stdout": self.outputs.pop(0) if len(self.outputs) > 1 else self.outputs[0]}


def say(text: str, seconds: float = 1.0) -> str:
    return json.dumps({"text": text, "seconds": seconds})


def end(**result: Any) -> str:
    return json.dumps({"result": result, "seconds": 2.0})


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines on the screen; there is no pause between two looks."""
    lines: list[str] = []
    display = MagicMock(spec=Display, display=lines.append)
    monkeypatch.setattr(follow, "Display", lambda: display)
    monkeypatch.setattr(follow, "POLL_SECONDS", 0.0)
    return lines


def run(action: Any, timeout: float = 60.0) -> dict[str, Any]:
    return run_and_follow(action, "node_packages", {}, {"inventory_hostname": "gpu-1"}, "packages", timeout)


@pytest.mark.parametrize("result", [{"changed": False}, {"failed": True, "background": STARTED}])
def test_a_module_that_ends_at_once_is_not_followed(shown: list[str], result: dict[str, Any]) -> None:
    action = FakeAction([result], [])
    assert run(action) == result
    assert (action.commands, shown) == ([], [])


def test_each_line_is_shown_once_until_the_result(shown: list[str]) -> None:
    outputs = [
        "alive",
        f"alive\n{say('download')}",
        f"alive\n{say('download')}\n{say('install', 2.6)}\n{say('half')[:-1]}",
        f"gone\n{say('download')}\n{say('install', 2.6)}\n{say('half')}\n{end(changed=True)}",
    ]
    action = FakeAction([{"background": STARTED}], outputs)
    assert run(action) == {"changed": True}
    assert shown == [
        "  [gpu-1] packages: download (1 s)",
        "  [gpu-1] packages: install (3 s)",
        "  [gpu-1] packages: half (1 s)",
    ]
    assert "cat '/run/trainyard/a b.progress'" in action.commands[0]
    assert "/proc/7 " in action.commands[0]


@pytest.mark.parametrize("earlier", [f"gone\n{end(changed=True)}", "gone"])
def test_an_earlier_runs_work_comes_first(shown: list[str], earlier: str) -> None:
    action = FakeAction(
        [{"background": {**STARTED, "busy": True}}, {"background": STARTED}], [earlier, f"gone\n{end(mine=1)}"]
    )
    assert run(action) == {"mine": 1}
    assert shown == ["  [gpu-1] packages: waiting for an earlier run's work on this host"]


def test_work_that_dies_without_a_word_has_failed(shown: list[str]) -> None:
    result = run(FakeAction([{"background": STARTED}], [f"gone\n{say('install')}"]))
    assert result["failed"]
    assert result["msg"].startswith("packages: the work on the host ended without a result; was the host restarted?")
    assert shown == ["  [gpu-1] packages: install (1 s)"]


def test_a_host_that_says_nothing_for_a_moment_is_asked_again(shown: list[str]) -> None:
    assert run(FakeAction([{"background": STARTED}], ["", f"gone\n{end(ok=1)}"])) == {"ok": 1}


def test_work_that_takes_too_long_goes_on_without_us(shown: list[str]) -> None:
    with pytest.raises(AnsibleActionFail, match=r"packages: not finished in time; .* Progress: /run/trainyard/a b"):
        run(FakeAction([{"background": STARTED}], ["alive"]), timeout=0.02)
