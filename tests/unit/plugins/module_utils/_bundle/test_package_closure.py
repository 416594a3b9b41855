# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages are found and fetched by apt with a state of its own; what fails is told with the way out."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_closure import (
    Closure,
    ClosureError,
    system_folder,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from tests.unit.debs import CONTENT, DEBS, Apt, control


def nothing(_line: str) -> None:
    pass


def test_each_package_is_found_once_and_the_hosts_state_is_not_used(tmp_path: Path) -> None:
    apt = Apt()
    lines: list[str] = []
    assert Closure(apt, str(tmp_path)).resolve([["socat", "conntrack"], ["chrony"]], lines.append) == DEBS
    assert lines == [
        "read the host's apt sources",
        "find what socat, conntrack depend on",
        "find what chrony depend on",
    ]
    for run in apt.runs:
        assert f"Dir::State::status={tmp_path}/status" in run
        assert f"Dir::State::lists={tmp_path}/lists" in run
    assert apt.runs[1][-3:] == ["--", "socat", "conntrack"]


def test_packages_come_in_one_archive_named_by_their_sums(tmp_path: Path) -> None:
    told = Closure(Apt(), str(tmp_path)).fetch(DEBS, nothing)
    assert told["controls"] == {deb.sha256: control(deb) + "\n" for deb in DEBS}
    with tarfile.open(told["tar"]) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    for deb in DEBS:
        assert (tmp_path / "out" / deb.sha256).read_bytes() == CONTENT[deb.name]
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("part", "message", "expected"),
    [
        ("update", "W: old\nE: Failed to fetch http://x", "E: Failed to fetch http://x. The host must reach"),
        ("--print-uris", "E: Unable to locate package x", "Unable to locate package x. Correct the names"),
    ],
)
def test_apts_own_words_and_the_way_out(tmp_path: Path, part: str, message: str, expected: str) -> None:
    with pytest.raises(ClosureError) as refused:
        Closure(Apt({part: message}), str(tmp_path)).resolve([["x"]], nothing)
    assert expected in str(refused.value)
    assert "Dir::State" not in str(refused.value)


def test_the_system_of_a_host(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/os-release").write_text('ID=ubuntu\nVERSION_ID="24.04"\n')
    assert system_folder(Apt(), Host(str(tmp_path))) == "packages/ubuntu-24.04-amd64"
    with pytest.raises(ClosureError, match="no dpkg"):
        system_folder(Apt({"dpkg": "not found"}), Host(str(tmp_path)))
