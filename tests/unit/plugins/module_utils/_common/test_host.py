# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host as readers see it: files below a root, programs by argv."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host, os_release, run_program


def test_a_missing_program_is_no_error() -> None:
    assert run_program(["/no/such/program"]) is None
    assert run_program(["sh", "-c", "echo told; exit 3"]) == "told\n"


def test_a_program_that_does_not_end_is_one_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible_collections.trainyard.mlstack.plugins.module_utils._common.host.PROGRAM_TIMEOUT", 0.05)
    assert run_program(["sleep", "5"]) is None


def test_programs_speak_english_and_get_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert run_program(["sh", "-c", "cat; echo $LC_ALL"]) == "C\n"


def test_files_are_looked_for_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/b").write_bytes(b" text \xff\n")
    (tmp_path / "etc/a").symlink_to("/no/such/file")
    host = Host(str(tmp_path))
    assert host.path("/etc/b") == str(tmp_path / "etc/b")
    assert host.names("/etc") == ["a", "b"]
    assert host.names("/etc/b") == host.names("/nothing") == []
    assert host.text("/etc/b") == "text \ufffd"
    assert (host.exists("/etc/a"), host.text_or_none("/etc/a")) == (True, None), "a link to nothing is there"
    assert (host.is_folder("/etc"), host.is_folder("/etc/b"), host.exists("/nothing")) == (True, False, False)
    with pytest.raises(FileNotFoundError):
        host.text("/nothing")


def test_os_release_without_quotes_and_comments(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text("# a comment\nID=debian\nNAME=\"A = B\"\nVERSION_ID='12'\n\n")
    assert os_release(Host(str(tmp_path))) == {"ID": "debian", "NAME": "A = B", "VERSION_ID": "12"}
