# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import WorkError
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane import kubeadm as _kubeadm
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import Layout, read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm_invite import AUTHORITIES
from ansible_collections.trainyard.mlstack.plugins.modules import kubeadm

FAKE = """#!/bin/sh
echo "$@" >> {calls}
case "$1" in
  init) echo "[certs] Generating"; echo "[certs] more"; echo "[etcd] Creating"; echo "[certs] again"; exit {status};;
  join) cat {discovery} > {seen}; exit {status};;
esac
"""


class Said:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts a kubeadm of our own on a host in a folder; it ends with the given status."""
    layout = Layout(kubernetes=str(tmp_path / "kubernetes"), kubelet=str(tmp_path / "kubelet"))
    Path(layout.own).mkdir(parents=True)
    Path(layout.config).write_text("kind: A\n", encoding="utf-8")

    def make(status: int) -> Layout:
        program = tmp_path / "kubeadm"
        program.write_text(
            FAKE.format(calls=tmp_path / "calls", seen=tmp_path / "seen", discovery=layout.discovery, status=status),
            encoding="utf-8",
        )
        program.chmod(0o755)
        for module in (kubeadm, _kubeadm):
            monkeypatch.setattr(module, "KUBEADM", str(program))
        monkeypatch.setattr(kubeadm, "LAYOUT", layout)
        return layout

    return make


def test_init_shows_each_phase_once_and_is_done(host: Any, tmp_path: Path) -> None:
    layout, said = host(0), Said()
    result = kubeadm.make(said, "init", "", {})
    assert said.lines == ["certs", "etcd"]
    assert result["changed"] is True
    assert "--skip-token-print" in (tmp_path / "calls").read_text(encoding="utf-8")
    assert '"stage": "done"' in Path(layout.state).read_text(encoding="utf-8")


def test_a_failed_init_tells_its_last_lines_and_the_next_try_resets(host: Any, tmp_path: Path) -> None:
    layout = host(1)
    with pytest.raises(WorkError, match=r"ended with status 1:\n(.*\n)*\[etcd\] Creating") as error:
        kubeadm.make(Said(), "init", "", {})
    assert "init" in str(error.value)
    assert read_state(layout, "init").stage == "half"
    host(0)
    kubeadm.make(Said(), "init", "", {})
    assert [line.split()[0] for line in (tmp_path / "calls").read_text(encoding="utf-8").splitlines()] == [
        "init",
        "reset",
        "init",
    ]


@pytest.mark.parametrize("step", ["join", "join_control_plane"])
@pytest.mark.parametrize("status", [0, 1])
def test_the_invitation_is_a_file_for_the_join_only_and_never_an_argument(
    host: Any, tmp_path: Path, status: int, step: str
) -> None:
    layout = host(status)
    authorities = dict.fromkeys(AUTHORITIES, "KEY") if step == "join_control_plane" else {}
    try:
        kubeadm.make(Said(), step, "SECRET", authorities)
    except WorkError:
        assert status == 1
    assert (tmp_path / "seen").read_text(encoding="utf-8") == "SECRET"
    assert not Path(layout.discovery).exists()
    calls = (tmp_path / "calls").read_text(encoding="utf-8")
    assert "SECRET" not in calls
    assert "KEY" not in calls
    assert calls.startswith(f"join --config {layout.config_of(step)}")
    modes = {name: Path(layout.pki(name)).stat().st_mode & 0o777 for name in authorities}
    assert {name for name, mode in modes.items() if mode == 0o600} == {name for name in modes if name.endswith(".key")}


def test_check_mode_on_a_bare_host(run_module: Any) -> None:
    told = run_module("kubeadm", check=True, step="init")
    assert (told["changed"], told["stage"], told["diff"]["after"]) == (True, "none", "init: done\n")


@pytest.mark.parametrize("step", ["admit", "invite"])
def test_a_host_that_is_no_control_plane_lets_nobody_in(run_module: Any, step: str) -> None:
    failed = run_module("kubeadm", step=step, node_name="cp-2", node_address="192.0.2.12")
    assert failed["failed"] is True
    assert "no control plane yet" in failed["msg"]
    assert run_module("kubeadm", check=True, step=step, node_name="cp-2", node_address="192.0.2.12")["changed"] is True


def test_a_bare_host_is_no_part_of_a_control_plane(run_module: Any) -> None:
    assert run_module("kubeadm", check=True, step="inspect")["stage"] == "none"


@pytest.mark.parametrize("step", ["join", "join_control_plane"])
def test_a_join_without_an_invitation_is_refused(run_module: Any, step: str) -> None:
    failed = run_module("kubeadm", step=step)
    assert failed["failed"] is True
    assert "discovery is empty" in failed["msg"]
