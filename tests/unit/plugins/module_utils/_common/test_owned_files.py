# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the collection owns whole: planned, written, shown and pruned."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.owned_files import (
    FileChange,
    FileState,
    apply,
    plan,
    read_state,
    write,
)


def test_a_second_run_has_nothing_to_do(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.conf"
    wanted = [{"path": str(path), "content": "x\n", "mode": "0600"}]
    changes = plan(wanted)
    assert changes == [FileChange(str(path), None, FileState("x\n", "0600"))]
    apply(changes)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("x\n", 0o600)
    assert list(path.parent.iterdir()) == [path]
    assert plan(wanted) == []


@pytest.mark.parametrize(
    ("wanted", "after"),
    [
        ({"content": "old\n"}, None),
        ({"content": "new\n"}, FileState("new\n", "0644")),
        ({"content": "old\n", "mode": "0600"}, FileState("old\n", "0600")),
        ({}, FileState("", "0644")),
    ],
)
def test_content_and_mode_are_compared(tmp_path: Path, wanted: dict[str, Any], after: FileState | None) -> None:
    path = tmp_path / "a"
    write(str(path), FileState("old\n", "0644"))
    changes = plan([{"path": str(path), **wanted}])
    assert [change.after for change in changes] == ([] if after is None else [after])


def test_what_shall_be_absent_goes_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    gone = [{"path": str(path), "state": "absent"}]
    apply(plan(gone))
    assert not path.exists()
    assert plan(gone) == []


def test_pruned_is_what_matches_and_is_not_named(tmp_path: Path) -> None:
    for name in ("a.conf", "b.conf", "c.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "d.conf").mkdir()
    named = [{"path": str(tmp_path / "a.conf"), "content": "a.conf"}]
    changes = plan(named, [str(tmp_path / "*.conf")])
    assert [(change.path, change.after) for change in changes] == [(str(tmp_path / "b.conf"), None)]


def test_a_link_is_replaced_by_a_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("x")
    link.symlink_to(target)
    assert read_state(str(link)) == FileState("x", "link")
    apply(plan([{"path": str(link), "content": "y"}]))
    assert not link.is_symlink()
    assert (link.read_text(), target.read_text()) == ("y", "x")


def test_a_link_to_nothing_and_no_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/no/such/file")
    assert read_state(str(tmp_path / "link")) == FileState("", "link")
    assert read_state(str(tmp_path / "none")) is None
    with pytest.raises(IsADirectoryError):
        read_state(str(tmp_path))


def test_what_a_killed_run_left_opens_no_file(tmp_path: Path) -> None:
    left = tmp_path / "key.mlstack-new"
    left.write_text("half")
    left.chmod(0o666)
    keeps = os.open(left, os.O_RDONLY)
    write(str(tmp_path / "key"), FileState("secret", "0600"))
    assert os.read(keeps, 9) == b"half", "whoever had it open reads no secret"
    os.close(keeps)
    assert not left.exists()


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (None, FileState("a", "0600"), ("", "mode 0600\n(secret, new)\n")),
        (FileState("a", "0600"), None, ("mode 0600\n(secret, old)\n", "")),
        (
            FileState("a", "0600"),
            FileState("b", "0600"),
            ("mode 0600\n(secret, old)\n", "mode 0600\n(secret, new)\n"),
        ),
        (FileState("a", "0644"), FileState("a", "0600"), ("mode 0644\n(secret)\n", "mode 0600\n(secret)\n")),
    ],
)
def test_a_diff_shows_no_secret(before: FileState | None, after: FileState | None, shown: tuple[str, str]) -> None:
    diff = FileChange("/k", before, after, secret=True).diff()
    assert diff == {"before_header": "/k", "after_header": "/k", "before": shown[0], "after": shown[1]}


def test_a_diff_shows_the_rest() -> None:
    diff = FileChange("/k", None, FileState("text\n", "0644")).diff()
    assert (diff["before"], diff["after"]) == ("", "mode 0644\ntext\n")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(content=st.binary(max_size=40))
def test_any_content_comes_back_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    original.write_bytes(content)
    state = read_state(str(original))
    assert state is not None
    write(str(copy), state)
    assert copy.read_bytes() == content
