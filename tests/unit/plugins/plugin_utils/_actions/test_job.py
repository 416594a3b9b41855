# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins of modules for jobs show; against a real server: tests/integration/jobs/test_jobs.py."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.api import ApiAction
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.job import JobAction

JOB = {"kind": "tfjob", "namespace": "n", "changed": True, "state": "created"}


@pytest.mark.parametrize(("names", "lines"), [(["a"], 0), (["a", "b"], 3), ([], 0)])
def test_several_jobs_end_in_a_table(monkeypatch: pytest.MonkeyPatch, names: list[str], lines: int) -> None:
    shown: list[str] = []
    result = {"jobs": [{**JOB, "name": name} for name in names]}
    monkeypatch.setattr(ApiAction, "run", lambda *_arguments: result)
    monkeypatch.setattr(Display, "display", lambda _self, text: shown.append(text))
    action: Any = JobAction.__new__(JobAction)
    assert action.run() == result
    assert len("\n".join(shown).splitlines()) == lines


@pytest.mark.parametrize("failed", [True, False])
def test_a_failure_is_not_buried_under_manifests(monkeypatch: pytest.MonkeyPatch, failed: bool) -> None:
    made = {"failed": failed, "manifest": {}, "jobs": [{**JOB, "name": "a", "manifests": [{}]}]}
    monkeypatch.setattr(ApiAction, "run", lambda *_arguments: made)
    action: Any = JobAction.__new__(JobAction)
    result = action.run()
    assert ("manifest" in result, "manifests" in result["jobs"][0]) == (not failed, not failed)
