# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The init container of the samples: once, whole or not at all, by any number of pods at the same time."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[4] / "roles" / "samples" / "files" / "stage_data.py"


@pytest.fixture
def stage_data() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stage_data", PROGRAM)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.csv"
    path.write_text("1,2\n" * 1000)
    return path


def test_a_missing_file_is_copied_with_its_folder_and_all_may_read_it(
    stage_data: ModuleType, source: Path, tmp_path: Path
) -> None:
    target = tmp_path / "volume" / "data" / "digits.csv"
    assert stage_data.stage(source, target) is True
    assert target.read_bytes() == source.read_bytes()
    assert target.stat().st_mode & 0o777 == 0o644
    assert os.listdir(target.parent) == ["digits.csv"]


def test_an_equal_file_is_left_as_it_is(stage_data: ModuleType, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "digits.csv"
    stage_data.stage(source, target)
    before = target.stat()
    assert stage_data.stage(source, target) is False
    assert target.stat().st_mtime_ns == before.st_mtime_ns
    assert target.stat().st_ino == before.st_ino


def test_another_file_of_the_same_size_is_replaced(stage_data: ModuleType, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "digits.csv"
    target.write_text("3,4\n" * 1000)
    assert stage_data.stage(source, target) is True
    assert target.read_bytes() == source.read_bytes()


def test_a_copy_that_fails_leaves_the_old_file_and_nothing_else(
    stage_data: ModuleType, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "data" / "digits.csv"
    target.parent.mkdir()
    target.write_text("old")

    def disk_full(*_arguments: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(stage_data.shutil, "copyfileobj", disk_full)
    with pytest.raises(OSError, match="No space left"):
        stage_data.stage(source, target)
    assert target.read_text() == "old"
    assert os.listdir(target.parent) == ["digits.csv"]


def test_pods_that_start_together_agree(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "data" / "digits.csv"
    command = [sys.executable, str(PROGRAM), str(source), str(target)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _pod in range(4)]
    assert [process.wait(timeout=30) for process in processes] == [0, 0, 0, 0]
    for process in processes:
        process.communicate()
    assert target.read_bytes() == source.read_bytes()
    assert os.listdir(target.parent) == ["digits.csv"]


def test_a_wrong_command_line_says_how_to_use_it(stage_data: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert stage_data.main(["one"]) == 2
    assert "usage: stage_data.py SOURCE DESTINATION" in capsys.readouterr().err
