# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shell that makes TF_CONFIG, run for real with the host files that Volcano's plugin svc writes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds import volcano_tf_config

TASKS = ("ps", "worker", "chief", "evaluator")
# Prints what it was told, as JSON.
PROGRAM = ["python3", "-c", "import json, os, sys; print(json.dumps([os.environ['TF_CONFIG'], sys.argv[1:]]))"]


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, task: str, index: int, *args: str) -> Any:
    monkeypatch.setattr(volcano_tf_config, "HOSTS", str(folder))
    command, arguments = volcano_tf_config.command_line({"tf_config": {"port": 2222}}, task, TASKS, PROGRAM, args)
    return subprocess.run(
        [*command, *arguments],
        env={"VC_TASK_INDEX": str(index), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """Return a folder as the plugin fills it: no line end after the last host, nothing for a task without pods."""
    for name, text in {
        "ps": "j-ps-0.j",
        "worker": "j-worker-0.j\nj-worker-1.j",
        "chief": "",
        "evaluator": "j-evaluator-0.j",
    }.items():
        (tmp_path / f"{name}.host").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("task", "index"), [("ps", 0), ("worker", 1), ("evaluator", 0)])
def test_each_task_is_told_of_all(hosts: Path, monkeypatch: pytest.MonkeyPatch, task: str, index: int) -> None:
    done = run(hosts, monkeypatch, task, index, "--steps=3", "two words", "$HOME", "'\"")
    assert done.stderr == ""
    config, arguments = json.loads(done.stdout)
    assert json.loads(config) == {
        "cluster": {"ps": ["j-ps-0.j:2222"], "worker": ["j-worker-0.j:2222", "j-worker-1.j:2222"]},
        "task": {"type": task, "index": index},
        "environment": "cloud",
    }
    assert arguments == ["--steps=3", "two words", "$HOME", "'\""]


def test_without_its_files_the_program_does_not_run_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(tmp_path, monkeypatch, "worker", 0)
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert "ps.host" in done.stderr


def test_without_the_option_a_command_stays_as_it_is() -> None:
    assert volcano_tf_config.command_line({}, "worker", TASKS, ["a"], ["b"]) == (["a"], ["b"])
