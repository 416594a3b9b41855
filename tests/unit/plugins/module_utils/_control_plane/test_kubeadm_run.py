# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm runs with its phases told, and fails with its last lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import Progress, WorkError
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm_run import (
    SHOWN_ON_FAILURE,
    stream,
)


def kubeadm(folder: Path, script: str) -> list[str]:
    """Return the command of a program that plays kubeadm."""
    path = folder / "kubeadm"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return [str(path), "init", "--config", "/secret"]


def told(path: Path) -> list[str]:
    """Return the lines that were told."""
    return [json.loads(line)["text"] for line in path.read_text().splitlines()] if path.exists() else []


def test_each_phase_is_told_once_when_it_begins(tmp_path: Path) -> None:
    lines = ["[init] Using Kubernetes version", "[certs] a", "[patches] b", "[certs] c", "text", "[kubeconfig] d"]
    command = kubeadm(tmp_path, "\n".join(f"echo '{line}'" for line in lines))
    stream(Progress(str(tmp_path / "progress")), command)
    assert told(tmp_path / "progress") == ["init", "certs", "patches", "kubeconfig"]


def test_a_failure_names_the_step_and_shows_the_last_lines(tmp_path: Path) -> None:
    command = kubeadm(tmp_path, "seq 1 50; echo '[etcd] no' >&2; exit 7")
    with pytest.raises(WorkError) as failed:
        stream(Progress(str(tmp_path / "progress")), command)
    head, *lines = str(failed.value).splitlines()
    assert head == f"{tmp_path}/kubeadm init ended with status 7:"
    assert lines == [*(str(number) for number in range(52 - SHOWN_ON_FAILURE, 51)), "[etcd] no"]
    assert told(tmp_path / "progress") == ["etcd"]
