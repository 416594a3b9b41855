"""The sample's program without Kubernetes: chief, parameter server and workers as processes of this machine.

What only real pods can show (nodes, the shared volume, the init container) is molecule's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.lab.support.local_cluster import SECONDS, Cluster

STEPS = 600
KINDS = {"chief": 1, "ps": 1, "worker": 2}


@pytest.fixture(scope="module")
def cluster(tensorflow: Path, digits: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A parameter server and two workers that serve; a test starts the chief."""
    made = Cluster("tfjob_parameter_server.py", KINDS, tensorflow, digits, tmp_path_factory.mktemp("volume"))
    try:
        made.start("ps", 0)
        made.start("worker", 0)
        made.start("worker", 1)
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def resumed(cluster: Cluster) -> dict[str, Any]:
    """The result of a chief that was killed after 200 steps and started again."""
    options = ("--run=one", f"--steps={STEPS}")
    first = cluster.start("chief", 0, *options)
    cluster.kill_after("step 200 of", first, "chief", 0)
    assert cluster.start("chief", 0, *options).wait(SECONDS) == 0
    return cluster.result("chief")


def test_a_killed_chief_goes_on_from_its_checkpoint(resumed: dict[str, Any]) -> None:
    assert 200 <= resumed["resumed_from"] < STEPS
    assert resumed["steps"] == STEPS


def test_it_learns_the_digits(resumed: dict[str, Any]) -> None:
    assert resumed["test_accuracy"] >= 0.90
    assert 0 < resumed["loss"] < 0.5


def test_all_variables_are_on_the_parameter_server(resumed: dict[str, Any]) -> None:
    assert {"hidden_kernel", "output_bias", "step", "worker_steps"} <= set(resumed["variables"])
    for device in resumed["variables"].values():
        assert device.startswith("/job:ps/replica:0/task:0/")


def test_the_steps_of_both_workers_are_in_the_shared_count(resumed: dict[str, Any]) -> None:
    assert len(resumed["worker_steps"]) == 2
    assert all(steps > 0 for steps in resumed["worker_steps"])
    assert sum(resumed["worker_steps"]) == resumed["steps"]


def test_it_tells_where_each_task_ran(resumed: dict[str, Any]) -> None:
    assert resumed["pods"] == [
        {"task": f"{kind}-{index}", "pod": f"digits-{kind}-{index}", "node": f"node-{index}"}
        for kind, index in (("chief", 0), ("ps", 0), ("worker", 0), ("worker", 1))
    ]


def test_checkpoints_logs_and_model_lie_on_the_volume(resumed: dict[str, Any]) -> None:
    folder = Path(resumed["folder"])
    assert (folder / f"checkpoints/ckpt-{STEPS}.index").is_file()
    assert list((folder / "logs").glob("events.out.tfevents.*"))
    assert (folder / "model/saved_model.pb").is_file()
    assert json.loads((folder / "result.json").read_text(encoding="utf-8")) == resumed


def test_a_finished_run_begins_anew(cluster: Cluster, resumed: dict[str, Any]) -> None:
    assert cluster.start("chief", 0, "--run=one", "--steps=100").wait(SECONDS) == 0
    again = cluster.result("chief")
    assert again["resumed_from"] == 0
    assert again["steps"] == 100
    assert not (Path(again["folder"]) / f"checkpoints/ckpt-{STEPS}.index").exists()


def test_a_task_that_is_told_to_end_does_so_at_once(cluster: Cluster) -> None:
    # The first process of a container ignores the signal unless it has a handler: 143, and not -15, shows that it has.
    for process in cluster.processes()[:3]:
        process.terminate()
    assert [process.wait(10) for process in cluster.processes()[:3]] == [143, 143, 143]
