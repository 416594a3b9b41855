# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import (
    Layout,
    State,
    discovery_kubeconfig,
    phase_of,
    read_state,
    stage_of,
    write_state,
)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(kubernetes=str(tmp_path / "kubernetes"), kubelet=str(tmp_path / "kubelet"))
    os.makedirs(layout.own)
    for path in (layout.config, layout.join_config):
        Path(path).write_text("kind: A\n", encoding="utf-8")
    return layout


def made(layout: Layout, step: str) -> None:
    """Make what the step leaves behind."""
    for name in layout.result_of(step):
        os.makedirs(os.path.dirname(name), exist_ok=True)
        Path(name).write_text("x", encoding="utf-8")


@pytest.mark.parametrize("step", ["init", "join", "join_control_plane"])
def test_a_bare_host_has_nothing(layout: Layout, step: str) -> None:
    assert read_state(layout, step) == State("none", None)


@pytest.mark.parametrize("step", ["init", "join", "join_control_plane"])
def test_begun_and_not_ended_is_half_made(layout: Layout, step: str) -> None:
    write_state(layout, step, "begun")
    assert read_state(layout, step).stage == "half"


@pytest.mark.parametrize("step", ["init", "join_control_plane"])
def test_a_control_plane_that_was_killed_late_is_half_made(layout: Layout, step: str) -> None:
    write_state(layout, step, "begun")
    made(layout, step)
    assert read_state(layout, step).stage == "half"
    assert stage_of(layout) == "half"


def test_a_control_plane_stays_one_whichever_is_the_first_now(layout: Layout) -> None:
    write_state(layout, "join_control_plane", "done")
    made(layout, "join_control_plane")
    assert read_state(layout, "init").stage == "done"


@pytest.mark.parametrize(
    ("step", "recorded", "leaves", "stage"),
    [
        ("", "", "", "none"),
        ("", "", "init", "done"),
        ("", "", "join", "done"),
        ("join", "begun", "", "half"),
        ("join", "begun", "join", "done"),
        ("join_control_plane", "done", "join_control_plane", "done"),
        ("join_control_plane", "done", "", "half"),
    ],
)
def test_how_far_a_host_is_as_a_node(layout: Layout, step: str, recorded: str, leaves: str, stage: str) -> None:
    if recorded:
        write_state(layout, step, recorded)
    if leaves:
        made(layout, leaves)
    assert stage_of(layout) == stage


def test_a_worker_whose_kubelet_has_its_certificate_has_joined(layout: Layout) -> None:
    write_state(layout, "join", "begun")
    made(layout, "join")
    assert read_state(layout, "join").stage == "done"


@pytest.mark.parametrize("step", ["init", "join", "join_control_plane"])
def test_done_remembers_its_configuration(layout: Layout, step: str) -> None:
    write_state(layout, step, "done")
    made(layout, step)
    before = read_state(layout, step)
    assert before.stage == "done"
    Path(layout.config_of(step)).write_text("kind: B\n", encoding="utf-8")
    write_state(layout, step, "done")
    assert read_state(layout, step).config_sha256 != before.config_sha256


@pytest.mark.parametrize("step", ["init", "join", "join_control_plane"])
def test_somebody_elses_finished_step_is_adopted(layout: Layout, step: str) -> None:
    made(layout, step)
    assert read_state(layout, step) == State("done", None)


def test_recorded_as_done_but_wiped_is_made_again(layout: Layout) -> None:
    write_state(layout, "init", "done")
    assert read_state(layout, "init").stage == "half"


@pytest.mark.parametrize(
    ("line", "phase"),
    [
        ('[certs] Generating "ca" certificate and key', "certs"),
        ("[wait-control-plane] Waiting", "wait-control-plane"),
        ("[init] Using Kubernetes version: v1.37.2", "init"),
        ("  [certs] indented", None),
        ("Your Kubernetes control-plane has initialized successfully!", None),
    ],
)
def test_phase(line: str, phase: str | None) -> None:
    assert phase_of(line) == phase


def test_an_invitation_holds_server_trust_and_token(layout: Layout) -> None:
    made(layout, "init")
    os.makedirs(os.path.dirname(layout.ca))
    Path(layout.ca).write_text("CA", encoding="utf-8")
    Path(layout.admin).write_text("clusters:\n- cluster:\n    server: https://192.0.2.1:6443\n", encoding="utf-8")
    config = json.loads(discovery_kubeconfig(layout, "abcdef.0123456789abcdef"))
    assert config["clusters"][0]["cluster"] == {
        "server": "https://192.0.2.1:6443",
        "certificate-authority-data": "Q0E=",
    }
    assert config["users"][0]["user"] == {"token": "abcdef.0123456789abcdef"}
    Path(layout.admin).write_text("clusters: []\n", encoding="utf-8")
    with pytest.raises(ValueError, match="names no server"):
        discovery_kubeconfig(layout, "x")
