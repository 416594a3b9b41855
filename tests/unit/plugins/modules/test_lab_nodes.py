# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the module says; what it does is shown by test_lab_keeper and, for real, by tests/lab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.nodes import Lab, LabNetwork, run_argv, spec_of

PRESENT = {
    "name": "demo",
    "networks": [{"name": "demo", "subnets": ["10.70.3.0/24"]}],
    "image": "node:1",
    "authorized_key": "/nowhere/key.pub",
    "nodes": {"cp-1": "10.70.3.11", "node-1": "10.70.3.21"},
}
LAB = Lab(
    "demo", "node:1", "crun", {}, False, "/srv/mlstack", (LabNetwork("demo", ("10.70.3.0/24",), default_route=True),)
)
SPEC = spec_of(run_argv(LAB, "cp-1", "10.70.3.11"))
OURS = {"trainyard.mlstack.lab": "demo"}


@pytest.fixture
def podman(tmp_path: Path) -> dict[str, str]:
    """A podman that has one node of the lab and refuses every change; its place as an environment."""
    listed = {
        "ps": [{"Names": ["demo-cp-1"], "State": "running", "Labels": {**OURS, "trainyard.mlstack.spec": SPEC}}],
        "volume": [{"Name": "demo-shared", "Labels": OURS}],
        "network": [{"name": "demo", "labels": OURS}],
    }
    for name, rows in listed.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    program = tmp_path / "podman"
    program.write_text(f"""#!/bin/sh
case "$1 $2" in
  "ps --all"|"volume ls"|"network ls") cat {tmp_path}/$1.json ;;
  exec*) echo new; echo "ssh-ed25519 HOSTKEY root@cp-1" ;;
  *) echo "$1 refused" >&2; exit 1 ;;
esac
""")
    program.chmod(0o755)
    return {"PATH": f"{tmp_path}:/usr/bin:/bin"}


def test_check_mode_says_what_would_be_done(run_module: Any, podman: dict[str, str]) -> None:
    result = run_module("lab_nodes", check=True, env=podman, **PRESENT)
    assert result["changed"] is True
    assert result["nodes"] == {"cp-1": "unchanged", "node-1": "created"}
    assert result["host_keys"] == {"cp-1": ["ssh-ed25519 HOSTKEY"]}
    assert result["diff"]["before"].startswith("cp-1: running\nnode-1: absent\n")
    assert result["diff"]["after"].startswith("cp-1: running\nnode-1: running\n")


def test_check_mode_works_before_podman_is_installed(run_module: Any, tmp_path: Path) -> None:
    result = run_module("lab_nodes", check=True, env={"PATH": str(tmp_path)}, **PRESENT)
    assert (result["changed"], result["host_keys"]) == (True, {})


def test_removal_is_foretold(run_module: Any, podman: dict[str, str]) -> None:
    result = run_module("lab_nodes", check=True, env=podman, name="demo", state="absent")
    assert result["removed"] == ["container demo-cp-1", "volume demo-shared", "network demo"]
    assert result["diff"] == {"before": "container demo-cp-1\nvolume demo-shared\nnetwork demo\n", "after": ""}


def test_a_lab_that_is_gone_is_no_change(run_module: Any, podman: dict[str, str]) -> None:
    assert run_module("lab_nodes", env=podman, name="other", state="absent")["changed"] is False


def test_a_refusal_is_told_with_the_way_out(run_module: Any, podman: dict[str, str]) -> None:
    result = run_module("lab_nodes", env=podman, name="demo", state="absent")
    assert (
        result["msg"]
        == "podman rm --force: rm refused. Run the playbook again; if it stays so, take the lab down first."
    )
