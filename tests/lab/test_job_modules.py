# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of all kinds with real pods: the PyTorchJob sample, ps_job in each contract, and jobs that cannot end well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.lab import Lab
from tests.lab.local_cluster import PROGRAMS, result_in
from tests.paths import RELEASE

pytestmark = pytest.mark.lab

NAMESPACE = "mlstack-samples"
SAMPLE = ("-e", '{"mlstack_samples": ["pytorchjob_all_reduce"]}')
# The program comes first.
FILES = [PROGRAMS / name for name in ("ps_job_digits.py", "sample_run.py")]
CONTRACTS = ("flags", "tf_config", "environment")
# A pod of these that never runs is told after this time.
STUCK_S = 40


@pytest.fixture(scope="module")
def sample(converged_lab: Lab) -> dict[str, Any]:
    """What the PyTorchJob sample came to, on a lab whose nodes then have its images."""
    converged_lab.converge(*SAMPLE)
    return result_in(converged_lab.kubectl(f"--namespace {NAMESPACE} logs pytorchjob-all-reduce-master-0"))


def test_the_pytorchjob_trains_on_all_ranks_together(sample: dict[str, Any]) -> None:
    assert sample["test_accuracy"] >= 0.90
    assert sample["steps"] == 600
    # Each of four ranks did a quarter of each batch of 64, and each step's gradients were everybody's.
    assert sample["rank_rows"] == [600 * 16] * 4
    assert sample["models_are_equal"] is True
    assert [pod["task"] for pod in sample["pods"]] == ["master-0", "worker-0", "worker-1", "worker-2"]
    assert len({pod["node"] for pod in sample["pods"]}) > 1


def run(lab: Lab, tmp_path: Path, digits: Path, image: str, jobs: list[dict[str, Any]], timeout: int) -> dict[str, Any]:
    """Bring the program to the cluster, run the jobs, and return their results by name."""
    program = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "ps-job-digits", "namespace": NAMESPACE},
        "data": {path.name: path.read_text() for path in (*FILES, digits)},
    }
    report, cluster = tmp_path / "report.json", {"kubeconfig": str(lab.kubeconfig)}
    defaults = {
        "namespace": NAMESPACE,
        "image": image,
        "image_pull_policy": "IfNotPresent",
        "command": ["python3", f"/sample/{FILES[0].name}"],
        "volumes": [{"name": "program", "configMap": {"name": "ps-job-digits"}}],
        "volume_mounts": [{"name": "program", "mountPath": "/sample"}],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}},
        "env": {"HOME": "/tmp"},
    }
    options = {"jobs": jobs, "defaults": defaults, "wait": True, "timeout": timeout, "recreate": True}
    tasks = [
        {"trainyard.mlstack.objects": {"objects": [program], **cluster}},
        {"trainyard.mlstack.jobs": {**options, "report_file": str(report), **cluster}},
    ]
    playbook = tmp_path / "jobs.yml"
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]))
    started = lab.start(str(playbook))
    started.wait()
    assert report.is_file(), started.output
    return {job["name"]: job for job in json.loads(report.read_text())["jobs"]}


@pytest.fixture
def image(sample: dict[str, Any], verifiable_lab: Lab) -> str:
    """The image of the TensorFlow samples, on a lab whose nodes hold it."""
    assert sample
    return str(RELEASE["images"]["tensorflow"])


def ps_job(name: str, contract: str, *args: str) -> dict[str, Any]:
    """Return the options of a job of one parameter server and two workers."""
    args = ("--data=/sample/digits.csv", *args)
    replicas = {"PS": {}, "Worker": {"replicas": 2}}
    return {"kind": "ps_job", "name": name, "contract": contract, "args": list(args), "replicas": replicas}


def test_a_ps_job_trains_in_each_contract_and_a_crash_is_told(
    verifiable_lab: Lab, tmp_path: Path, digits: Path, image: str
) -> None:
    jobs = [ps_job(f"ps-{contract.replace('_', '-')}", contract) for contract in CONTRACTS]
    jobs.append(ps_job("ps-crash", "flags", "--crash-at=10"))
    told = run(verifiable_lab, tmp_path, digits, image, jobs, timeout=300)
    says = {"flags": "flags", "tf_config": "TF_CONFIG", "environment": "POD_NAME and CLUSTER_CONFIG"}
    for contract in CONTRACTS:
        name = f"ps-{contract.replace('_', '-')}"
        assert (told[name]["end"], told[name]["ended_by"]) == ("succeeded", "all 2 workers ended well"), told[name]
        result = result_in(verifiable_lab.kubectl(f"--namespace {NAMESPACE} logs job/worker-0-{name}"))
        assert result["contract"] == says[contract]
        assert result["test_accuracy"] >= 0.90
        # Both took part, and what they made was on the server, which went with the job's end.
        assert result["steps_by_worker"] == [300, 300]
        assert result["variables_on"] == ["/job:ps/task:0"]
        left = verifiable_lab.kubectl(f"--namespace {NAMESPACE} get jobs -l trainyard.mlstack/job-name={name} -o name")
        assert left.split() == [f"job.batch/worker-{index}-{name}" for index in range(2)]
    crash = told["ps-crash"]
    assert (crash["end"], crash["reason"]) == ("failed", "BackoffLimitExceeded")
    assert "exit code 1" in crash["why"]["sentence"]
    assert any("crashed at step 10" in replica.get("log", "") for replica in crash["replicas"])


def test_a_wrong_image_and_a_job_too_large_are_told_in_a_sentence(
    verifiable_lab: Lab, tmp_path: Path, digits: Path, image: str
) -> None:
    worker = {"replicas": {"Worker": {"replicas": 1}}}
    jobs = [
        {"kind": "tfjob", "name": "wrong-image", **worker, "image": "registry.invalid/nothing:1"},
        {"kind": "tfjob", "name": "too-large", **worker, "resources": {"requests": {"memory": "900Gi"}}},
    ]
    told = run(verifiable_lab, tmp_path, digits, image, jobs, timeout=STUCK_S)
    assert {job["end"] for job in told.values()} == {"timed_out"}
    assert "registry.invalid/nothing:1" in told["wrong-image"]["why"]["sentence"]
    assert "memory" in told["too-large"]["why"]["sentence"]
    for name in told:
        verifiable_lab.kubectl(f"--namespace {NAMESPACE} delete tfjob {name}")
