# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cluster_info does without a cluster; with one it is tested in tests/integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

NODES = [{"api_version": "v1", "kind": "Node"}]


def test_a_kubeconfig_that_does_not_exist(run_module: Any, tmp_path: Path) -> None:
    options = {"kubeconfig": str(tmp_path / "none"), "lists": NODES}
    refused = run_module("cluster_info", **options)
    assert refused["failed"]
    assert f"kubeconfig = {tmp_path}/none" in refused["msg"]
    planned = run_module("cluster_info", check=True, **options)
    assert (planned["changed"], planned["objects"]) == (False, [])
    assert "no cluster yet" in planned["note"]


def test_a_list_needs_a_kind(run_module: Any) -> None:
    refused = run_module("cluster_info", kubeconfig="/not/there", lists=[{"api_version": "v1"}])
    assert "kind" in refused["msg"]
