# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeconfig import (
    with_server,
)
from tests.support.kubeconfig_text import TEXT
from tests.unit.conftest import RunModule


def test_writes_once_and_keeps_it_secret(tmp_path: Path, run_module: RunModule) -> None:
    path = tmp_path / "kube" / "config"
    servers = ["127.0.0.1:1", "127.0.0.1:2"]
    predicted = run_module("kubeconfig", check=True, path=str(path), content=TEXT, servers=servers)
    assert predicted["changed"]
    assert not path.exists()
    first = run_module("kubeconfig", path=str(path), content=TEXT, servers=servers)
    assert (first["changed"], first["server"]) == (True, "127.0.0.1:1")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == with_server(TEXT, "127.0.0.1:1")
    assert "hunter2" not in str(first)
    assert not run_module("kubeconfig", path=str(path), content=TEXT, servers=servers[::-1])["changed"]
    assert run_module("kubeconfig", path=str(path), content=TEXT)["server"] == "127.0.0.1:7443"


def test_refuses_what_is_no_kubeconfig(tmp_path: Path, run_module: RunModule) -> None:
    failed = run_module("kubeconfig", path=str(tmp_path / "config"), content="kind: Config\n")
    assert failed["failed"]
    assert "names no server" in failed["msg"]
