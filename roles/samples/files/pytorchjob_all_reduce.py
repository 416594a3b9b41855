# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Train a classifier of handwritten digits with PyTorch's DistributedDataParallel, over gloo.

The same program runs in every pod of the PyTorchJob; RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which the
training operator sets, tell it who it is. Each rank keeps the whole model and reads its own part of the data; in each
step all of them sum up their gradients. Rank 0, the Master, also writes checkpoints and the model, and tests it at
the end.

Ranks that lose one of them end with an error, all of them are started again by their restart policy, find each other,
and go on from the last checkpoint. Everything lies on a volume that all pods share.
"""

from __future__ import annotations

import datetime
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np  # type: ignore[import-not-found]
import sample_run  # type: ignore[import-not-found]
import torch  # type: ignore[import-not-found]
import torch.distributed as dist  # type: ignore[import-not-found]
from sample_run import BRIGHTEST, CLASSES, HIDDEN, LEARNING_RATE, PIXELS, SEED, STEPS_PER_ROUND, TEST_EVERY

# A rank that is lost with its machine closes no connection: this bounds how long the others stay in one step.
COLLECTIVE_TIMEOUT_S = 60


def read_digits(path: Path, test: bool) -> tuple[Any, Any]:
    """Return pixels and labels of one part of the rows: the fifth of the test, or all others."""
    rows = np.loadtxt(path, delimiter=",", dtype=np.float32)
    mine = (np.arange(len(rows)) % TEST_EVERY == TEST_EVERY - 1) == test
    return torch.from_numpy(rows[mine, :PIXELS] / BRIGHTEST), torch.from_numpy(rows[mine, PIXELS].astype(np.int64))


def name_of(rank: int) -> str:
    """Return a rank as its pod is called: the Master is rank 0, the first worker rank 1."""
    return "master-0" if rank == 0 else f"worker-{rank - 1}"


class Training:
    """One rank's side: the model is everybody's, the rows are its own."""

    def __init__(self, options: Any, rank: int, size: int) -> None:
        self.options, self.rank, self.size = options, rank, size
        torch.manual_seed(SEED)
        model = torch.nn.Sequential(torch.nn.Linear(PIXELS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, CLASSES))
        # Steps that were done, and rows that each rank has seen: kept with the model, so that they survive with it.
        self.done = torch.zeros(1 + size, dtype=torch.int64)
        self.checkpoint = options.folder / "checkpoints" / "last.pt"
        if self.checkpoint.is_file():
            state = torch.load(self.checkpoint)
            model.load_state_dict(state["model"])
            self.done = state["done"]
        # It begins with the model of rank 0 on all ranks.
        dist.broadcast(self.done, src=0)
        self.model = torch.nn.parallel.DistributedDataParallel(model)
        self.descent = torch.optim.SGD(self.model.parameters(), lr=LEARNING_RATE)
        pixels, labels = read_digits(options.data, test=False)
        self.pixels, self.labels = pixels[rank::size], labels[rank::size]
        self.choose = torch.Generator().manual_seed(SEED + rank + 1000 * self.steps())

    def steps(self) -> int:
        """The count of steps, equal on all ranks."""
        return int(self.done[0])

    def round(self) -> float:
        """Train until the next checkpoint, which rank 0 writes; return the mean loss of this rank."""
        losses = []
        for _step in range(min(STEPS_PER_ROUND, self.options.steps - self.steps())):
            rows = torch.randint(len(self.labels), (self.options.batch_size // self.size,), generator=self.choose)
            self.descent.zero_grad()
            loss = torch.nn.functional.cross_entropy(self.model(self.pixels[rows]), self.labels[rows])
            loss.backward()
            self.descent.step()
            self.done[0] += 1
            self.done[1:] += len(rows)
            losses.append(loss.item())
        if self.rank == 0:
            self.write(self.checkpoint, {"model": self.model.module.state_dict(), "done": self.done})
        return float(np.mean(losses))

    def write(self, path: Path, state: Any) -> None:
        """Write a file that is complete whenever somebody reads it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}")
        torch.save(state, unfinished)
        unfinished.replace(path)

    def rows_of_ranks(self) -> list[int]:
        """Return how many rows each rank has seen, as each of them says itself."""
        seen = torch.zeros(self.size, dtype=torch.int64)
        seen[self.rank] = self.done[1 + self.rank]
        dist.all_reduce(seen)
        return [int(count) for count in seen]

    def are_equal(self) -> bool:
        """Tell whether all ranks hold the same model: they do if each step's gradients were everybody's."""
        flat = torch.cat([parameter.detach().reshape(-1) for parameter in self.model.parameters()])
        least, most = flat.clone(), flat.clone()
        dist.all_reduce(least, op=dist.ReduceOp.MIN)
        dist.all_reduce(most, op=dist.ReduceOp.MAX)
        return bool(torch.equal(least, most))

    def accuracy(self) -> float:
        """Return which part of the rows that no training sees the model reads right."""
        pixels, labels = read_digits(self.options.data, test=True)
        with torch.no_grad():
            return float((self.model.module(pixels).argmax(dim=1) == labels).float().mean())


def main(arguments: list[str]) -> None:
    """Be what the environment says."""
    options = sample_run.parse(arguments, __doc__)
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    signal.signal(signal.SIGTERM, sample_run.end_at_once)
    sample_run.report_pod(options.folder, name_of(rank))
    if rank == 0:
        sample_run.prepare_folder(options)
    else:
        sample_run.wait(lambda: sample_run.is_under_way(options), options.peer_timeout_s, lambda: "the Master to begin")
    limit = datetime.timedelta(seconds=max(options.peer_timeout_s, COLLECTIVE_TIMEOUT_S))
    dist.init_process_group("gloo", timeout=limit)
    training, began = Training(options, rank, size), time.monotonic()
    resumed_from, loss = training.steps(), 0.0
    if resumed_from:
        print(f"resumed from step {resumed_from}", flush=True)
    while training.steps() < options.steps:
        loss = training.round()
        sample_run.print_round(training.steps(), options, loss)
    rows, equal = training.rows_of_ranks(), training.are_equal()
    if rank > 0:
        print(f"{name_of(rank)}: done", flush=True)
        return
    training.write(options.folder / "model" / "model.pt", training.model.module.state_dict())
    result = {
        "job": options.job,
        "torch": torch.__version__,
        "steps": training.steps(),
        "rank_rows": rows,
        "models_are_equal": equal,
        "resumed_from": resumed_from,
        "loss": loss,
        "test_accuracy": training.accuracy(),
        "pods": sample_run.pods(options.folder, [name_of(number) for number in range(size)]),
        "training_s": round(time.monotonic() - began, 3),
        "folder": str(options.folder),
    }
    sample_run.print_result(result, [], f"of whose rows each rank saw {rows}")
    # The very last act: a finished run that is started again would begin anew.
    sample_run.write_json(options.folder / "result.json", result)


if __name__ == "__main__":
    main(sys.argv[1:])
