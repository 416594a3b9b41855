# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What uninstall does without a cluster; with one it is tested in tests/integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.modules.uninstall import in_use

OBJECT = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}


def test_check_mode_before_there_is_a_cluster(run_module: Any, tmp_path: Path) -> None:
    planned = run_module("uninstall", check=True, kubeconfig=str(tmp_path / "none"), objects=[OBJECT])
    assert planned["changed"] is False
    assert "no cluster yet" in planned["note"]


def test_objects_without_a_name_are_refused(run_module: Any, tmp_path: Path) -> None:
    refused = run_module("uninstall", kubeconfig=str(tmp_path / "none"), objects=[{"apiVersion": "v1", "kind": "Pod"}])
    assert refused["failed"]
    assert "metadata.name must be given" in refused["msg"]


def test_many_users_are_counted() -> None:
    line = in_use([f"Pod a/{number}" for number in range(12)]).line()
    assert "Pod a/9 and 2 more: still needed" in line
    assert "Pod a/10" not in line


def test_a_scheduler_that_nobody_knows_is_refused(run_module: Any, tmp_path: Path) -> None:
    refused = run_module("uninstall", kubeconfig=str(tmp_path / "none"), objects=[OBJECT], gang_scheduler="kube-batch")
    assert "must be one of: native, volcano, kube_batch, scheduler_plugins" in refused["msg"]
