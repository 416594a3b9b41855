# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keeper against a podman that only remembers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab import keeper as lab_keeper
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab import podman as _podman
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.keeper import Keeper, NodeError, remove
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.nodes import (
    CREATE,
    KEEP,
    REPLACE,
    START,
    Lab,
    LabNetwork,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.podman import Podman

NETWORK = LabNetwork("demo", ("10.70.3.0/24",), True)
LAB = Lab("demo", "node:1", "crun", {}, False, "/srv/mlstack", (NETWORK,))
NODES = {"cp-1": "10.70.3.11", "node-1": "10.70.3.21"}
KEY = "ssh-ed25519 AAAA lab"


class Memory:
    """What podman would have; `boots` is whether its containers come up."""

    def __init__(self) -> None:
        self.containers: dict[str, dict[str, object]] = {}
        self.volumes: dict[str, str] = {}
        self.networks: dict[str, str] = {}
        self.made: list[list[str]] = []
        self.cards: set[str] = set()
        self.known: set[str] = set()
        self.removed_volumes: list[str] = []
        self.boots = True

    def run(self, argv: list[str]) -> tuple[int, str, str]:
        answer = getattr(self, "_" + "_".join(argv[1:3] if argv[1] in ("volume", "network") else argv[1:2]))(argv)
        return answer if isinstance(answer, tuple) else (0, answer or "", "")

    @staticmethod
    def _labels(argv: list[str]) -> dict[str, str]:
        return dict(argv[place + 1].split("=", 1) for place, word in enumerate(argv) if word == "--label")

    def _ps(self, argv: list[str]) -> str:
        return json.dumps([{"Names": [name], **rest} for name, rest in self.containers.items()])

    def _volume_ls(self, argv: list[str]) -> str:
        return json.dumps([{"Name": name, "Labels": {_podman.LABEL: lab}} for name, lab in self.volumes.items()])

    def _network_ls(self, argv: list[str]) -> str:
        return json.dumps([{"name": name, "labels": {_podman.LABEL: lab}} for name, lab in self.networks.items()])

    def _volume_create(self, argv: list[str]) -> None:
        assert argv[-1] not in self.volumes
        self.volumes[argv[-1]] = self._labels(argv)[_podman.LABEL]

    def _volume_rm(self, argv: list[str]) -> None:
        for name in argv[3:]:
            del self.volumes[name]
            self.removed_volumes.append(name)

    def _network_create(self, argv: list[str]) -> None:
        self.networks[argv[-1]] = self._labels(argv)[_podman.LABEL]
        self.made.append(argv)

    def _network_rm(self, argv: list[str]) -> None:
        for name in argv[3:]:
            del self.networks[name]

    def _run(self, argv: list[str]) -> tuple[int, str, str] | None:
        name = argv[argv.index("--name") + 1]
        if name in self.containers:
            return 125, "", "name is in use"
        assert {f"{name}-{part}" for part in ("containerd", "kubelet", "etcd")} <= set(self.volumes)
        self.containers[name] = {"State": "running", "Labels": self._labels(argv)}
        self.known.discard(name)
        return None

    def _start(self, argv: list[str]) -> None:
        self.containers[argv[-1]]["State"] = "running"

    def _rm(self, argv: list[str]) -> None:
        for name in argv[5:]:
            del self.containers[name]

    def _logs(self, argv: list[str]) -> str:
        return "systemd: cannot go on"

    def _exec(self, argv: list[str]) -> str | tuple[int, str, str]:
        if not self.boots:
            return 75, "", ""
        name, mode = argv[2], argv[-2]
        self.cards |= set(argv[-1].split())
        assert self.containers[name]["State"] == "running"
        word = "known" if name in self.known else "new"
        if mode == "write":
            self.known.add(name)
        return f"{word}\nssh-ed25519 HOSTKEY root@{name}\n"


@pytest.fixture(autouse=True)
def reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(lab_keeper, "_ssh_answers", lambda address: True)


@pytest.fixture
def memory() -> Memory:
    return Memory()


def up(memory: Memory, lab: Lab = LAB) -> dict[str, str]:
    keeper = Keeper(Podman(memory.run), lab, NODES, timeout=0.5)
    keeper.make_networks(keeper.networks_missing())
    steps = keeper.steps()
    access = keeper.make(steps, KEY)
    assert {host: found.host_keys for host, found in access.items()} == {key: ["ssh-ed25519 HOSTKEY"] for key in NODES}
    return steps


def test_a_lab_from_nothing(memory: Memory) -> None:
    assert up(memory) == {"cp-1": CREATE, "node-1": CREATE}
    assert sorted(memory.containers) == ["demo-cp-1", "demo-node-1"]
    assert len(memory.volumes) == 7
    assert set(memory.volumes.values()) == set(memory.networks.values()) == {"demo"}


def test_a_lab_of_two_networks(memory: Memory) -> None:
    second = LabNetwork("demo-second", ("10.71.0.0/24", "fd6c:1::/64"), False)
    up(memory, LAB._replace(networks=(NETWORK, second)))
    assert set(memory.networks) == {"demo", "demo-second"}
    first, other = memory.made
    assert ("--ipv6" in first, "--ipv6" in other) == (False, True)
    assert "fd6c:1::/64" in other
    assert memory.cards == {"eth1"}


def test_a_second_time_nothing_is_done(memory: Memory) -> None:
    up(memory)
    before = json.dumps([memory.containers, memory.volumes])
    assert up(memory) == {"cp-1": KEEP, "node-1": KEEP}
    assert json.dumps([memory.containers, memory.volumes]) == before


def test_what_is_stopped_is_started_and_what_is_missing_is_made(memory: Memory) -> None:
    up(memory)
    memory.containers["demo-cp-1"]["State"] = "exited"
    del memory.containers["demo-node-1"]
    assert up(memory) == {"cp-1": START, "node-1": CREATE}
    assert {item["State"] for item in memory.containers.values()} == {"running"}


def test_another_image_replaces_the_nodes(memory: Memory) -> None:
    up(memory)
    assert up(memory, LAB._replace(image="node:2")) == {"cp-1": REPLACE, "node-1": REPLACE}


def test_a_node_made_anew_has_empty_volumes(memory: Memory) -> None:
    up(memory)
    del memory.containers["demo-cp-1"]
    up(memory)
    assert sorted(memory.removed_volumes) == ["demo-cp-1-containerd", "demo-cp-1-etcd", "demo-cp-1-kubelet"]


def test_a_setting_of_the_machine_is_raised_and_never_lowered(memory: Memory, tmp_path: Path) -> None:
    low, high = tmp_path / "low", tmp_path / "high"
    low.write_text("128\n")
    high.write_text("99999\n")
    keeper = Keeper(Podman(memory.run), LAB, NODES, 0.5, settings={str(low): 8192, str(high): 8192})
    assert keeper.settings_too_low() == {str(low): 128}
    keeper.raise_settings(keeper.settings_too_low())
    assert (low.read_text(), high.read_text()) == ("8192\n", "99999\n")
    assert keeper.settings_too_low() == {}


def test_looking_changes_nothing(memory: Memory) -> None:
    up(memory)
    memory.known.clear()
    keeper = Keeper(Podman(memory.run), LAB, NODES, timeout=0.5)
    access = keeper.look(keeper.steps(), KEY)
    assert [access[host].new for host in NODES] == [True, True]
    assert memory.known == set()


def test_a_node_that_does_not_boot_is_named_with_its_last_words(memory: Memory) -> None:
    memory.boots = False
    with pytest.raises(NodeError, match=r"(?s)SSH does not answer.*systemd: cannot go on"):
        up(memory)


def test_all_that_has_the_label_goes_whatever_the_inventory_says(memory: Memory) -> None:
    up(memory)
    memory.volumes["other-shared"] = "other"
    memory.containers["demo-old"] = {"State": "exited", "Labels": {_podman.LABEL: "demo"}}
    podman = Podman(memory.run)
    foretold = remove(podman, "demo", really=False)
    assert len(memory.containers) == 3
    assert remove(podman, "demo", really=True) == foretold
    assert len(foretold) == 3 + 7 + 1
    assert (memory.containers, memory.volumes, memory.networks) == ({}, {"other-shared": "other"}, {})
    assert remove(podman, "demo", really=True) == []
