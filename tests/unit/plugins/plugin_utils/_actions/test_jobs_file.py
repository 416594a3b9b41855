# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.jobs_file import read_jobs


@pytest.mark.parametrize(
    ("text", "jobs", "defaults"),
    [
        ("- {kind: tfjob, name: a}", [{"kind": "tfjob", "name": "a"}], {}),
        ("jobs: []", [], {}),
        ("defaults: {gpus: 1}\njobs: [{name: a}]", [{"name": "a"}], {"gpus": 1}),
        ("defaults:\njobs: [{name: '{{ x }}'}]", [{"name": "{{ x }}"}], {}),
    ],
)
def test_a_list_or_a_mapping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, jobs: Any, defaults: Any
) -> None:
    (tmp_path / "jobs.yml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert read_jobs("jobs.yml") == (jobs, defaults)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "holds no jobs"),
        ("a: [", "cannot be read"),
        ("mlstack_jobs: []", "has mlstack_jobs at its top"),
        ("jobs: {}", "needs a list as `jobs`"),
        ("jobs: []\ndefaults: [1]", "needs a list as `jobs`"),
    ],
)
def test_any_other_file_is_refused(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "jobs.yml").write_text(text)
    with pytest.raises(AnsibleActionFail, match=f"file = {tmp_path}/jobs.yml: {rule}"):
        read_jobs(str(tmp_path / "jobs.yml"))


def test_no_file() -> None:
    with pytest.raises(AnsibleActionFail, match=r"file = /not/there: cannot be read \(No such file"):
        read_jobs("/not/there")
