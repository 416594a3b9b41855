# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane import kubeadm_invite
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.etcd_client import EtcdError
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.etcd_members import Member
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import Layout
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm_invite import (
    AUTHORITIES,
    InviteError,
    invited,
    make_room,
    read_authorities,
)


def member(number: int) -> Member:
    return Member(str(number), f"cp-{number}", f"https://192.0.2.1{number}:2380", f"https://192.0.2.1{number}:2379")


class FakeEtcd:
    """An etcd of three, in which those of `down` do not answer."""

    def __init__(self, down: str = "", refuses: bool = False) -> None:
        self.down, self.refuses = down, refuses
        self.removed: list[str] = []

    def members(self) -> list[Member]:
        return [member(number) for number in (1, 2, 3)]

    def answering(self, members: list[Member]) -> list[str]:
        return [item.id for item in members if item.id not in self.down]

    def remove(self, item: Member) -> None:
        if self.refuses:
            raise EtcdError("unhealthy cluster")
        self.removed.append(item.name)


class Kubectl:
    """A kubectl that knows three nodes."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, command: list[str]) -> tuple[int, str, str]:
        self.calls.append(command)
        return 0, "cp-1 cp-2 cp-3", ""


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeadm_invite, "PAUSE_SECONDS", 0.0)


def test_what_a_broken_join_has_left_goes(tmp_path: Path) -> None:
    etcd: Any = FakeEtcd(down="2")
    kubectl = Kubectl()
    removed = make_room(Layout(str(tmp_path)), etcd, kubectl, "cp-2", "192.0.2.12", 0.0)
    assert removed == ["cp-2 (192.0.2.12)"]
    assert etcd.removed == ["cp-2"]
    assert kubectl.calls[-1][3:] == ["delete", "node", "cp-2", "--ignore-not-found", "--wait=false"]


def test_nobody_joins_an_etcd_that_is_not_well_and_nothing_is_touched(tmp_path: Path) -> None:
    etcd: Any = FakeEtcd(down="3")
    kubectl = Kubectl()
    with pytest.raises(InviteError, match=r"cp-3 \(192\.0\.2\.13\) does not answer"):
        make_room(Layout(str(tmp_path)), etcd, kubectl, "cp-2", "192.0.2.12", 0.0)
    assert etcd.removed == []
    assert not [call for call in kubectl.calls if "delete" in call]


def test_a_member_that_has_just_been_started_gets_its_time(tmp_path: Path) -> None:
    etcd: Any = FakeEtcd(down="3")
    answering = etcd.answering

    def later(members: list[Member]) -> list[str]:
        found = answering(members)
        etcd.down = ""
        return list(found)

    etcd.answering = later
    assert make_room(Layout(str(tmp_path)), etcd, Kubectl(), "cp-4", "192.0.2.14", 60.0) == []


def test_etcd_that_refuses_is_told(tmp_path: Path) -> None:
    etcd: Any = FakeEtcd(refuses=True)
    with pytest.raises(InviteError, match="unhealthy cluster"):
        make_room(Layout(str(tmp_path)), etcd, Kubectl(), "cp-2", "192.0.2.12", 0.0)


def test_authorities_arrive_as_they_were(tmp_path: Path) -> None:
    one, other = (Layout(str(tmp_path / name)) for name in "ab")
    (Path(other.own)).mkdir(parents=True)
    with invited(one, "", {name: f"text of {name}\n" for name in AUTHORITIES}):
        pass
    found = read_authorities(one)
    assert found["etcd/ca.key"] == "text of etcd/ca.key\n"
    with invited(other, json.dumps({"token": "x"}), found):
        assert Path(other.discovery).stat().st_mode & 0o777 == 0o600
    assert not Path(other.discovery).exists()
    assert read_authorities(other) == found
