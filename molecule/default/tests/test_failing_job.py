"""Playbook jobs on real pods: each job that does not end well says why, and those beside it go on to their ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

ROOT = Path(__file__).parents[3]
# All on one stream: of two a container runtime keeps no order.
PROGRAM = "for step in 1 2 3 4 5 6 7 8 9 10; do echo step $step; done; echo the gradients exploded; exit 3"
SERVER_OR_WORKER = "case $POD_NAME in ps-*) sleep 1000;; esac; sleep 3"
WORKER: dict[str, Any] = {"kind": "tfjob", "replicas": {"Worker": {}}}


def jobs(image: str) -> dict[str, Any]:
    """Return a file of jobs, most of which cannot end well."""
    servers = {"kind": "ps_job", "contract": ["environment"], "replicas": {"PS": {}, "Worker": {"replicas": 2}}}
    listed = [
        {**WORKER, "name": "ends", "args": ["sleep 3; echo done"]},
        {**WORKER, "name": "fails-at-step-ten", "args": [PROGRAM]},
        {**WORKER, "name": "no-such-image", "image": "registry.invalid/nothing:1"},
        {**WORKER, "name": "too-large", "resources": {"requests": {"memory": "64Ti"}}},
        {**servers, "name": "servers", "args": [SERVER_OR_WORKER]},
    ]
    common = {"namespace": "mlstack-samples", "image": image, "command": ["sh", "-c"], "args": ["true"]}
    return {"defaults": common, "jobs": listed}


@pytest.fixture(scope="module")
def ended(
    lab_dir: Path, release: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[subprocess.CompletedProcess[str]]:
    """Run the playbook; the jobs are taken away afterwards."""
    path = tmp_path_factory.mktemp("jobs") / "jobs.yml"
    # A kubeconfig is all that it needs.
    nobody = path.with_name("nobody.ini")
    nobody.touch()
    path.write_text(json.dumps(jobs(release["images"]["tensorflow"])), encoding="utf-8")

    def run(**options: Any) -> subprocess.CompletedProcess[str]:
        variables = {"mlstack_kubeconfig": str(lab_dir / "kubeconfig"), "mlstack_jobs_file": str(path), **options}
        playbook = str(Path(sys.executable).with_name("ansible-playbook"))
        argv = [playbook, "playbooks/jobs.yml", "-i", str(nobody), "-e", json.dumps(variables)]
        # Molecule asks for colours, whose codes stand at both ends of each line.
        plain = {name: value for name, value in os.environ.items() if name not in {"ANSIBLE_FORCE_COLOR", "PY_COLORS"}}
        return subprocess.run(
            argv,
            cwd=ROOT,
            env=plain,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )

    yield run(mlstack_jobs_timeout=40)
    removed = run(mlstack_jobs_state="absent")
    assert removed.returncode == 0, removed.stdout


@pytest.mark.parametrize(
    ("job", "row"),
    [
        ("ends", "succeeded"),
        ("fails-at-step-ten", "failed"),
        ("no-such-image", "timed_out"),
        ("too-large", "timed_out"),
        ("servers", "succeeded"),
    ],
)
def test_each_job_has_its_own_end(ended: subprocess.CompletedProcess[str], job: str, row: str) -> None:
    assert ended.returncode == 2, ended.stdout
    table = ended.stdout.partition("\nJOB ")[2].splitlines()
    assert [line.split()[3] for line in table if line.startswith(f"mlstack-samples/{job} ")] == [row], ended.stdout


@pytest.mark.parametrize(
    "said",
    [
        "Worker-0 failed: the container ended with exit code 3",
        "| step 10\n    | the gradients exploded",
        "why: Worker-0 cannot start: ",
        "image registry.invalid/nothing:1",
        "why: No node can ever hold Worker-0: each pod asks for 64Ti memory",
        "jobs: deleted Job mlstack-samples/ps-0-servers",
    ],
)
def test_each_failure_gives_its_sentence(ended: subprocess.CompletedProcess[str], said: str) -> None:
    assert said in ended.stdout, ended.stdout


def test_the_jobs_were_seen_moving(ended: subprocess.CompletedProcess[str]) -> None:
    assert any("running" in line for line in ended.stdout.splitlines() if line.startswith("  jobs: 5 jobs: "))
