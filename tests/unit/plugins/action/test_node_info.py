# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a host's clock is from ours: measured by the time that the question took, again where that was long."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.action import node_info


def action(monkeypatch: pytest.MonkeyPatch, times: list[float], told: str = "") -> node_info.ActionModule:
    """Return the plugin with a controller's clock that shows these times, and a host that answers `date`."""
    plugin = node_info.ActionModule.__new__(node_info.ActionModule)
    clock = iter(times)
    monkeypatch.setattr("time.time", lambda: next(clock))
    monkeypatch.setattr(node_info.ActionModule, "_low_level_execute_command", lambda *_: {"stdout": told})
    monkeypatch.setattr(node_info.ActionModule, "_execute_module", lambda *_, **__: {"node": {"clock": 1007.0}})
    monkeypatch.setattr("ansible.plugins.action.ActionBase.run", lambda *_: {})
    plugin._task = type("Task", (), {"args": {}})()
    return plugin


@pytest.mark.parametrize(
    ("times", "told", "expected"),
    [
        ([1000.0, 1000.5], "unused", {"low": 6.5, "high": 7.0}),
        ([1000.0, 1020.0, 1030.0, 1030.25], "1037.5\n", {"low": 7.25, "high": 7.5}),
        ([1000.0, 1002.0, 1030.0, 1060.0], "1037.5\n", {"low": 5.0, "high": 7.0}),
        ([1000.0, 1002.0, 1030.0, 1060.0], "date: no such program", {"low": 5.0, "high": 7.0}),
        ([1000.0, 1002.0, 1030.0, 1060.0], "", {"low": 5.0, "high": 7.0}),
    ],
)
def test_offset(monkeypatch: pytest.MonkeyPatch, times: list[float], told: str, expected: dict[str, Any]) -> None:
    result = action(monkeypatch, times, told).run()
    assert result["node"]["clock_offset"] == expected
    assert result["ansible_facts"] == {"mlstack_node": result["node"]}


def test_a_host_that_was_not_read_has_no_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = action(monkeypatch, [1000.0, 1001.0])
    monkeypatch.setattr(node_info.ActionModule, "_execute_module", lambda *_, **__: {"unreachable": True})
    assert plugin.run() == {"unreachable": True}
