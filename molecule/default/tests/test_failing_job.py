"""Module tfjob on real pods: a job that fails says which replica, with what exit code, and what it printed last."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

ROOT = Path(__file__).parents[3]
NAME = "fails-at-step-ten"
PROGRAM = "for step in 1 2 3 4 5 6 7 8 9 10; do echo step $step; done; echo the gradients exploded >&2; exit 3"


@pytest.fixture
def ended(lab_dir: Path, release: dict[str, Any]) -> Iterator[subprocess.CompletedProcess[str]]:
    """The run of a job whose only worker crashes; the job is taken away afterwards."""

    def tfjob(**options: Any) -> subprocess.CompletedProcess[str]:
        common = {"name": NAME, "namespace": "mlstack-samples", "kubeconfig": str(lab_dir / "kubeconfig")}
        ansible = str(Path(sys.executable).with_name("ansible"))
        module = ["-m", "trainyard.mlstack.tfjob", "-a", json.dumps({**common, **options})]
        argv = [ansible, "localhost", *module]
        return subprocess.run(
            argv, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300
        )

    yield tfjob(
        replicas={"Worker": {"image": release["images"]["tensorflow"], "command": ["sh", "-c", PROGRAM]}},
        wait=True,
        timeout=240,
    )
    assert tfjob(state="absent").returncode == 0


def test_a_crash_is_told_with_its_exit_code_and_last_words(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.returncode != 0
    for said in (NAME, "Worker-0", "exit code 3", "step 10", "the gradients exploded"):
        assert said in ended.stdout, ended.stdout
    assert "did not end within" not in ended.stdout
