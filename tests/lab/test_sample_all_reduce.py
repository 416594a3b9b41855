"""The sample's program without Kubernetes: two workers and an evaluator as processes of this machine.

Killed midway by SIGKILL, once the worker that leads and once the other one together with the evaluator; what fails is
started again, as the pods' restart policy does. What only real pods can show is molecule's and test_killed_worker's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.support.local_cluster import SECONDS, Cluster

STEPS = 600
OPTIONS = ("--run=one", f"--steps={STEPS}", "--peer-timeout-s=120")
TASKS = (("worker", 0), ("worker", 1), ("evaluator", 0))
VICTIMS = [
    pytest.param([("worker", 1), ("evaluator", 0)], id="worker-1 and evaluator"),
    pytest.param([("worker", 0)], id="worker-0", marks=pytest.mark.long),
]


@pytest.fixture
def cluster(tensorflow: Path, digits: Path, tmp_path: Path) -> Iterator[Cluster]:
    """Nothing started yet."""
    made = Cluster("tfjob_all_reduce.py", {"worker": 2}, tensorflow, digits, tmp_path)
    try:
        yield made
    finally:
        made.stop()


@pytest.mark.parametrize("victims", VICTIMS)
def test_a_killed_task_costs_no_more_than_the_steps_since_the_checkpoint(
    cluster: Cluster, victims: list[tuple[str, int]]
) -> None:
    tasks = {task: cluster.start(*task, *OPTIONS) for task in TASKS}
    cluster.kill_after("step 200 of", tasks[victims[0]], *victims[0])
    for victim in victims[1:]:
        tasks[victim].kill()
    cluster.run_to_end(tasks, *OPTIONS)
    result = cluster.result("worker")

    # The others of a ring cannot go on without the lost one: both were started again.
    for index in (0, 1):
        assert f"resumed from step {result['resumed_from']}\n" in cluster.read("worker", index)
    assert 100 <= result["resumed_from"] < STEPS
    assert result["steps"] == STEPS

    assert result["test_accuracy"] >= 0.90
    assert 0 < result["loss"] < 0.5
    # Each did half of each batch of 64; what was done after the checkpoint and lost does not count.
    assert result["worker_rows"] == [STEPS * 32, STEPS * 32]
    # The evaluation of the last checkpoint is there, though the job ends with worker 0.
    assert result["evaluated_steps"][-1] == STEPS
    assert [pod["task"] for pod in result["pods"]] == ["worker-0", "worker-1", "evaluator-0"]

    folder = Path(result["folder"])
    assert (folder / f"checkpoints/ckpt-{STEPS}.index").is_file()
    assert list((folder / "logs/worker-0").glob("events.out.tfevents.*"))
    assert list((folder / "logs/evaluator-0").glob("events.out.tfevents.*"))
    assert (folder / "model/saved_model.pb").is_file()
    assert json.loads((folder / "result.json").read_text(encoding="utf-8")) == result


def test_a_worker_that_never_comes_is_named(cluster: Cluster) -> None:
    lonely = cluster.start("worker", 0, "--run=one", "--peer-timeout-s=5")
    assert lonely.wait(SECONDS) == 1
    assert "waited 5 s for worker-1 (localhost:" in cluster.read("worker", 0)


def test_all_done_but_the_evaluation_needs_no_other_worker(cluster: Cluster) -> None:
    options = ("--run=one", "--steps=100", "--peer-timeout-s=120")
    first = cluster.start("worker", 0, *options)
    second = cluster.start("worker", 1, *options)
    # Killed after its last checkpoint, while it waits for an evaluator that is not there.
    cluster.kill_after("waiting for the last evaluation", first, "worker", 0)
    assert second.wait(SECONDS) == 0
    cluster.run_to_end({task: cluster.start(*task, *options) for task in (("worker", 0), ("evaluator", 0))}, *options)
    result = cluster.result("worker")
    assert (result["steps"], result["resumed_from"], result["evaluated_steps"]) == (100, 100, [100])


def test_tasks_that_are_told_to_end_do_so_at_once(cluster: Cluster) -> None:
    processes = [cluster.start(*task, *OPTIONS) for task in (("worker", 1), ("evaluator", 0))]
    for kind, index in (("worker", 1), ("evaluator", 0)):
        while "on node" not in cluster.read(kind, index):
            assert all(process.poll() is None for process in processes)
    for process in processes:
        process.terminate()
    assert [process.wait(10) for process in processes] == [143, 143]
