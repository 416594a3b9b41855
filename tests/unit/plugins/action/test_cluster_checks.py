# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report is written however the module ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.action.cluster_checks import ActionModule
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.api import ApiAction

PROBLEM = {"field": "kubeconfig", "value": "/x", "rule": "must be usable", "way_out": "Name another"}


@pytest.mark.parametrize(
    ("outcome", "rules"),
    [
        ({"problems": []}, []),
        ({"failed": True, "problems": [PROBLEM], "msg": "1 problem"}, ["must be usable"]),
        ({"failed": True, "msg": "Failed to import kubernetes"}, ["Failed to import kubernetes"]),
    ],
)
def test_every_end_has_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcome: dict[str, Any], rules: list[str]
) -> None:
    monkeypatch.setattr(ApiAction, "run", lambda _self, _tmp, _task_vars: outcome)
    action = object.__new__(ActionModule)
    path = tmp_path / "report.json"
    action._task = type("Task", (), {"args": {"report_file": str(path)}})()
    assert action.run() == outcome
    report = json.loads(path.read_text(encoding="utf-8"))
    assert (report["check"], report["ok"]) == ("cluster", not rules)
    assert [problem["rule"] for problem in report["problems"]] == rules
    assert all(problem["host"] == "" for problem in report["problems"])
