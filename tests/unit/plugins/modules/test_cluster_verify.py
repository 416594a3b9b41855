# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cluster_verify does without a cluster; with one it is tested in tests/integration and tests/lab."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_check_mode_does_nothing_and_says_so(run_module: Any, tmp_path: Path) -> None:
    found = run_module("cluster_verify", check=True, kubeconfig=str(tmp_path / "none"))
    assert found["changed"] is False
    assert "nothing is verified in check mode" in found["note"]
    assert "checks" not in found


def test_a_kubeconfig_that_does_not_exist(run_module: Any, tmp_path: Path) -> None:
    refused = run_module("cluster_verify", kubeconfig=str(tmp_path / "none"))
    assert refused["failed"]
    assert f"kubeconfig = {tmp_path}/none" in refused["msg"]


def test_the_full_way_needs_an_image_and_a_program(run_module: Any) -> None:
    refused = run_module("cluster_verify", mode="full")
    assert "image" in refused["msg"]
    assert "program" in refused["msg"]
