"""The sample's program without Kubernetes: a master and three workers as local processes, by the Python of the image.

Killed midway by SIGKILL; what fails is started again, as the pods' restart policy does. What only real pods can show is
test_job_modules'.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.support.local_cluster import SECONDS, Cluster, free_port
from tests.lab.support.unpacked_image import python_of

STEPS = 600
OPTIONS = ("--run=one", f"--steps={STEPS}", "--peer-timeout-s=120")
RANKS = [("master", 0), ("worker", 0), ("worker", 1), ("worker", 2)]


class Ranks(Cluster):
    """Tasks that know their places as the training operator tells them to PyTorch."""

    port = 0

    def place(self, kind: str, index: int) -> dict[str, str]:
        """The environment of one rank."""
        self.port = self.port or free_port()
        rank = RANKS.index((kind, index))
        master = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(self.port)}
        return {**master, "RANK": str(rank), "WORLD_SIZE": str(len(RANKS)), "GLOO_SOCKET_IFNAME": "lo"}


@pytest.fixture
def ranks(digits: Path, tmp_path: Path) -> Iterator[Ranks]:
    """Nothing started yet."""
    made = Ranks("pytorchjob_all_reduce.py", {}, python_of("pytorch"), digits, tmp_path)
    try:
        yield made
    finally:
        made.stop()


@pytest.mark.parametrize(
    "victim",
    [pytest.param(("worker", 1), id="worker-1"), pytest.param(("master", 0), id="master", marks=pytest.mark.long)],
)
def test_a_killed_rank_costs_no_more_than_the_steps_since_the_checkpoint(ranks: Ranks, victim: tuple[str, int]) -> None:
    tasks = {task: ranks.start(*task, *OPTIONS) for task in RANKS}
    ranks.kill_after("step 200 of", tasks[victim], *victim)
    ranks.run_to_end(tasks, *OPTIONS)
    result = ranks.result("master")

    # The others cannot go on without the lost one: all were started again.
    for task in RANKS:
        assert f"resumed from step {result['resumed_from']}\n" in ranks.read(*task)
    assert 100 <= result["resumed_from"] < STEPS
    assert result["steps"] == STEPS
    assert result["test_accuracy"] >= 0.90
    # Each did a quarter of each batch of 64; what was done after the checkpoint and lost does not count.
    assert result["rank_steps"] == [STEPS] * 4
    assert result["rank_rows"] == [STEPS * 16] * 4
    assert result["models_are_equal"] is True
    assert (Path(result["folder"]) / "model/model.pt").is_file()


def test_a_rank_that_never_comes_is_named(ranks: Ranks) -> None:
    options = ("--run=one", "--peer-timeout-s=8")
    tasks = [ranks.start(*task, *options) for task in RANKS[:3]]
    assert [task.wait(SECONDS) for task in tasks] == [1, 1, 1]
    assert "waited 8 s for worker-2: are these pods running?" in ranks.read("master", 0)


def test_a_rank_that_is_told_to_end_while_it_waits_does_so_at_once(ranks: Ranks) -> None:
    waiting = ranks.start("master", 0, *OPTIONS)
    while "on node" not in ranks.read("master", 0):
        assert waiting.poll() is None, ranks.read("master", 0)
    waiting.terminate()
    assert waiting.wait(10) == 143


@pytest.mark.long
def test_a_master_that_is_lost_after_the_last_step_needs_no_worker(ranks: Ranks) -> None:
    tasks = {task: ranks.start(*task, *OPTIONS) for task in RANKS}
    ranks.kill_after(f"step {STEPS} of", tasks["master", 0], "master", 0)
    # Workers that have ended are not started again; the operator removes the others when the master has ended.
    ranks.run_to_end({("master", 0): tasks["master", 0]}, *OPTIONS)
    result = ranks.result("master")
    assert (result["steps"], result["resumed_from"], result["models_are_equal"]) == (STEPS, STEPS, True)
