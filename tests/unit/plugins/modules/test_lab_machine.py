# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = {
    "name": "demo",
    "networks": [{"name": "demo", "subnets": ["10.70.3.0/24"]}],
    "folder": "/root/labs/demo",
    "nodes": {"cp-1": "10.70.3.11"},
    "packages": {"true": "coreutils"},
}


def test_it_reads_and_changes_nothing(run_module: Any) -> None:
    result = run_module(
        "lab_machine", check=True, **{**ARGUMENTS, "packages": {"true": "coreutils", "no-such-program": "some-package"}}
    )
    if "user = not root" in result.get("msg", ""):
        pytest.skip("only root can hold a lab")
    assert result["changed"] is False
    assert result["machine"]["cgroup"] in ("unified", "legacy")
    assert "some-package" in result["machine"]["missing_packages"]
    assert "coreutils" not in result["machine"]["missing_packages"]


def test_it_refuses_with_all_problems(run_module: Any) -> None:
    result = run_module("lab_machine", **{**ARGUMENTS, "name": "Demo", "nodes": {"cp-1": "10.70.4.11"}})
    assert result["failed"]
    assert "lab_name = 'Demo'" in result["msg"]
    assert "cp-1: ansible_host = 10.70.4.11" in result["msg"]


def test_a_broken_podman_is_told(run_module: Any, tmp_path: Path) -> None:
    for name in ("podman", "netavark"):
        (tmp_path / name).write_text("#!/bin/sh\necho 'no storage' >&2\nexit 125\n")
        (tmp_path / name).chmod(0o755)
    packages = {"podman": "podman", "netavark": "netavark"}
    result = run_module("lab_machine", env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, **{**ARGUMENTS, "packages": packages})
    assert "podman does not work on this machine. podman ps --all: no storage" in result["msg"]
