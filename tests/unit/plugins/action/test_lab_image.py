# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action as Ansible runs it, with a podman that knows one image or none and refuses everything else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.action import lab_image
from tests.support.paths import ROOT


def options(folder: Path) -> dict[str, Any]:
    (folder / "setup.sh").write_text("true\n")
    return {
        "base": "debian:12",
        "suite": "bookworm",
        "packages": ["systemd"],
        "setup": str(folder / "setup.sh"),
        "cache_dir": str(folder / "cache"),
    }


def run(folder: Path, known: bool, *flags: str) -> str:
    podman = folder / "podman"
    podman.write_text(f'#!/bin/sh\n[ "$1 $2" = "image exists" ] || exit 1\nexit {0 if known else 1}\n')
    podman.chmod(0o755)
    command = [sys.executable, "-m", "ansible", "adhoc", "localhost", "-m", "trainyard.mlstack.lab_image"]
    done = subprocess.run(
        [*command, "-a", json.dumps(options(folder)), *flags],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "PATH": f"{folder}:/usr/bin:/bin"},
    )
    return done.stdout + done.stderr


def test_an_image_that_is_there_is_left_alone(tmp_path: Path) -> None:
    output = run(tmp_path, True)
    assert "localhost | SUCCESS" in output
    assert "image: localhost/trainyard/lab-node:" in output


def test_check_mode_foretells_and_makes_nothing(tmp_path: Path) -> None:
    assert "localhost | CHANGED" in run(tmp_path, False, "--check")
    assert not (tmp_path / "cache").exists()


def test_the_recipe_holds_what_this_machine_hands_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    recipe = lab_image._recipe(options(tmp_path))
    assert recipe.setup == "true\n"
    assert "Suites: bookworm" in recipe.files["etc/apt/sources.list.d/debian.sources"]
    assert "Acquire::http::Proxy" in recipe.files["etc/apt/apt.conf.d/90site"]
