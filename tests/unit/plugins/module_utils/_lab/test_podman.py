# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.podman import (
    Container,
    Network,
    Podman,
    PodmanError,
    Volume,
)

# As podman 4.3 prints them.
PS = [
    {
        "Names": ["demo-cp-1"],
        "State": "running",
        "Labels": {"trainyard.mlstack.lab": "demo", "trainyard.mlstack.spec": "12"},
    },
    {"Names": ["db"], "State": "Exited", "Labels": None},
]
NETWORKS = [
    {"name": "podman", "network_interface": "podman0", "subnets": [{"subnet": "10.88.0.0/16", "gateway": "10.88.0.1"}]},
    {
        "name": "demo",
        "network_interface": "podman1",
        "subnets": [{"subnet": "10.70.3.0/24"}],
        "labels": {"trainyard.mlstack.lab": "demo"},
    },
]
VOLUMES = [{"Name": "demo-shared", "Labels": {"trainyard.mlstack.lab": "demo"}}, {"Name": "data", "Labels": {}}]


def answering(status: int = 0, out: Any = "", errors: str = "") -> Podman:
    return Podman(lambda argv: (status, out if isinstance(out, str) else json.dumps(out), errors))


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")


def test_containers_are_read_with_their_labels() -> None:
    assert answering(out=PS).containers() == [
        Container("demo-cp-1", "demo", "12", "running"),
        Container("db", "", "", "exited"),
    ]


def test_networks_and_volumes_are_read_with_their_labels() -> None:
    assert answering(out=NETWORKS).networks() == [
        Network("podman", "", ("10.88.0.0/16",), "podman0"),
        Network("demo", "demo", ("10.70.3.0/24",), "podman1"),
    ]
    assert answering(out=VOLUMES).volumes() == [Volume("demo-shared", "demo"), Volume("data", "")]


@pytest.mark.parametrize("nothing", ["", "[]", "null"])
def test_nothing_is_an_empty_list(nothing: str) -> None:
    assert answering(out=nothing).containers() == []


def test_without_podman_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert answering(status=127).volumes() == []


def test_a_refusal_says_which_command_and_why() -> None:
    with pytest.raises(PodmanError, match="podman network rm: it is in use"):
        answering(status=2, errors="it is in use\n").remove_networks(["demo"])


def test_nothing_to_remove_runs_nothing() -> None:
    podman = answering(status=1)
    podman.remove_containers([])
    podman.remove_volumes([])
    podman.remove_networks([])
