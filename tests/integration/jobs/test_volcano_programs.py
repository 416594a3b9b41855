# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of the tests says which of Volcano's programs it ran, and does not pass over a folder that lacks one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.support.volcano_programs import PROGRAMS, VARIABLE, folder, told


def test_without_a_folder_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert folder() is None
    assert f"skipped, {VARIABLE} names no folder" in told()


def test_a_folder_that_lacks_a_program_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    scheduler, *others = PROGRAMS
    (tmp_path / scheduler).write_text("#!/bin/sh\necho 'Version: 1.15.1'\n", encoding="utf-8")
    (tmp_path / scheduler).chmod(0o755)
    with pytest.raises(FileNotFoundError, match=f"no program {others[0]} and no {others[1]} in it"):
        folder()
    assert "no program" in told()
    for name in others:
        (tmp_path / name).symlink_to(tmp_path / scheduler)
    assert folder() == tmp_path
    assert told() == f"Volcano's programs: those of {tmp_path}, Version: 1.15.1"
