# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_plan import SettingsError
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_run import run, scratch


def test_what_a_command_prints_comes_back_and_it_reads_what_is_given() -> None:
    assert run(["sh", "-c", "cat; echo $MARK >&2"], {"MARK": "m"}, "given") == ("given", "m\n")


def test_a_command_that_fails_is_told_with_its_last_lines() -> None:
    with pytest.raises(SettingsError, match=r"status 3:\nlast words"):
        run(["sh", "-c", "echo last words >&2; exit 3"], {})


def test_a_command_that_is_not_there_is_told() -> None:
    with pytest.raises(SettingsError, match="/not/there cannot be run"):
        run(["/not/there"], {})


def test_the_scratch_folder_is_roots_own_and_goes_away() -> None:
    with scratch() as folder:
        assert Path(folder).stat().st_mode & 0o777 == 0o700
    assert not Path(folder).exists()
