# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.report_file import write_report


def test_it_is_written_whole_into_a_folder_that_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.json"
    write_report(str(path), {"ok": False})
    write_report(str(path), {"ok": True})
    assert json.loads(path.read_text()) == {"ok": True}
    assert list(path.parent.iterdir()) == [path]


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AnsibleActionFail, match=r"mlstack_report_file = .*/file/report\.json"):
        write_report(str(tmp_path / "file" / "report.json"), {})
