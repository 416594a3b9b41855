# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole files of a host: written, left alone, replaced, pruned."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.conftest import RunModule


def files(folder: Path) -> list[dict[str, object]]:
    """Return what the tests want to be there."""
    return [
        {"path": str(folder / "deep" / "a.conf"), "content": "one\n"},
        {"path": str(folder / "token"), "content": "hunter2", "mode": "0600", "secret": True},
        {"path": str(folder / "gone"), "state": "absent"},
    ]


def test_writes_once_then_changes_nothing(tmp_path: Path, run_module: RunModule) -> None:
    (tmp_path / "gone").write_text("x")
    first = run_module("host_files", files=files(tmp_path))
    assert first["changed"]
    assert first["changed_files"] == [str(tmp_path / name) for name in ("deep/a.conf", "token", "gone")]
    assert (tmp_path / "deep" / "a.conf").read_text() == "one\n"
    assert (tmp_path / "deep" / "a.conf").stat().st_mode & 0o7777 == 0o644
    assert (tmp_path / "token").stat().st_mode & 0o7777 == 0o600
    assert not (tmp_path / "gone").exists()
    second = run_module("host_files", files=files(tmp_path))
    assert (second["changed"], second["changed_files"]) == (False, [])


def test_check_mode_says_the_same_and_writes_nothing(tmp_path: Path, run_module: RunModule) -> None:
    result = run_module("host_files", check=True, files=files(tmp_path))
    assert result["changed_files"] == [str(tmp_path / name) for name in ("deep/a.conf", "token")]
    assert list(tmp_path.iterdir()) == []


def test_the_diff_shows_text_and_hides_secrets(tmp_path: Path, run_module: RunModule) -> None:
    (tmp_path / "token").write_text("hunter1")
    result = run_module("host_files", files=files(tmp_path))
    shown = {diff["after_header"]: diff for diff in result["diff"]}
    assert shown[str(tmp_path / "deep" / "a.conf")]["after"] == "mode 0644\none\n"
    token = shown[str(tmp_path / "token")]
    assert token["before"] != token["after"]
    assert "hunter" not in str(result["diff"])


@pytest.mark.parametrize("break_it", ["content", "mode", "link"])
def test_puts_right_what_was_changed_by_hand(tmp_path: Path, run_module: RunModule, break_it: str) -> None:
    run_module("host_files", files=files(tmp_path))
    path = tmp_path / "token"
    if break_it == "content":
        path.write_text("other")
    elif break_it == "mode":
        path.chmod(0o644)
    else:
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    assert run_module("host_files", files=files(tmp_path))["changed_files"] == [str(path)]
    assert (path.read_text(), path.is_symlink(), path.stat().st_mode & 0o7777) == ("hunter2", False, 0o600)


def test_prunes_only_what_matches_and_is_not_named(tmp_path: Path, run_module: RunModule) -> None:
    for name in ("a.conf", "b.conf", "c.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "d.conf").mkdir()
    named = [{"path": str(tmp_path / "a.conf"), "content": "a.conf"}]
    result = run_module("host_files", files=named, prune=[str(tmp_path / "*.conf")])
    assert result["changed_files"] == [str(tmp_path / "b.conf")]
    assert sorted(os.listdir(tmp_path)) == ["a.conf", "c.txt", "d.conf"]


def test_what_a_killed_run_left_is_no_hindrance(tmp_path: Path, run_module: RunModule) -> None:
    (tmp_path / "token.mlstack-new").write_text("half")
    run_module("host_files", files=files(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["deep", "token"]


def test_a_mode_that_yaml_took_for_a_number_is_refused(tmp_path: Path, run_module: RunModule) -> None:
    result = run_module("host_files", files=[{"path": str(tmp_path / "a"), "mode": 420}])
    assert result["failed"]
    assert '"0644"' in result["msg"]
    assert not (tmp_path / "a").exists()


def test_a_secret_is_in_no_part_of_the_result(tmp_path: Path, run_module: RunModule) -> None:
    assert "hunter2" not in str(run_module("host_files", files=files(tmp_path)))
