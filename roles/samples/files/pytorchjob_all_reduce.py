# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Train a classifier of handwritten digits with PyTorch's DistributedDataParallel over gloo.

The same program runs in every pod of the PyTorchJob; RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which the training
operator sets, tell it what it is. The master is rank 0, the workers are the others. Each keeps the whole model and
reads its own part of the data; in each step the mean of all gradients becomes everybody's. The master also writes
checkpoints, tests the model, and saves it.

A group that has lost one of its processes is of no use to the others: they end with an error, are started again by
their restart policy, meet, and go on from the last checkpoint. Everything lies on a volume that all pods share.
Further environment: POD_NAME, NODE_NAME.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

import numpy as np  # type: ignore[import-not-found]
import sample_run  # type: ignore[import-not-found]
import torch  # type: ignore[import-not-found]
import torch.distributed as dist  # type: ignore[import-not-found]
from torch import nn
from torch.nn.parallel import DistributedDataParallel  # type: ignore[import-not-found]

# A process that is lost with its machine closes no connection: this bounds how long the others stay in one step.
COLLECTIVE_TIMEOUT_S = 60
MASTER = "master-0"


def name_of(rank: int) -> str:
    """Return a rank as its pod is called: the Master is rank 0, the first worker rank 1."""
    return MASTER if rank == 0 else f"worker-{rank - 1}"


def new_model() -> Any:
    """64 pixels to the logits of ten digits, over one hidden layer; equal in all processes."""
    torch.manual_seed(sample_run.SEED)
    return nn.Sequential(
        nn.Linear(sample_run.PIXELS, sample_run.HIDDEN), nn.ReLU(), nn.Linear(sample_run.HIDDEN, sample_run.CLASSES)
    )


def read_digits(path: Path, test: bool) -> tuple[Any, Any]:
    """Return pixels and labels of one part of the rows: the fifth of the test, or all others."""
    table = np.loadtxt(path, delimiter=",", dtype=np.float32)
    part = table[(np.arange(len(table)) % sample_run.TEST_EVERY == sample_run.TEST_EVERY - 1) == test]
    pixels = torch.from_numpy(part[:, : sample_run.PIXELS] / sample_run.BRIGHTEST)
    return pixels, torch.from_numpy(part[:, sample_run.PIXELS].astype(np.int64))


def accuracy(model: Any, rows: tuple[Any, Any]) -> float:
    """Return which part of the rows a model reads right."""
    with torch.no_grad():
        return float((model(rows[0]).argmax(1) == rows[1]).float().mean())


def fingerprint(model: Any) -> str:
    """Return a sum over the parameters: only processes that have shared each gradient have the same one."""
    parameters = b"".join(value.detach().numpy().tobytes() for value in model.parameters())
    return hashlib.sha256(parameters).hexdigest()[:12]


class Checkpoints:
    """The files of the training's state. Each appears complete or not at all, and the newest two stay."""

    def __init__(self, options: sample_run.Options) -> None:
        self._folder = options.folder / "checkpoints"

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("ckpt-*.pt"), key=lambda path: int(path.stem.partition("-")[2]))

    def newest(self) -> dict[str, Any]:
        """Return the last state; empty when there is none."""
        paths = self._paths()
        found: dict[str, Any] = torch.load(paths[-1]) if paths else {}
        return found

    def save(self, state: dict[str, Any]) -> None:
        """Write a state under the count of its steps."""
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = self._folder / f".unfinished.{os.getpid()}"
        torch.save(state, unfinished)
        unfinished.replace(self._folder / f"ckpt-{state['step']}.pt")
        for path in self._paths()[:-2]:
            path.unlink()


class Training:
    """One process's side of the group: parameters and steps are everybody's, the rows are its own."""

    def __init__(self, rank: int, options: sample_run.Options, checkpoints: Checkpoints) -> None:
        self.rank, self.world, self.options, self.checkpoints = rank, dist.get_world_size(), options, checkpoints
        # Only the master reads the checkpoint: so all go on from the same one.
        states: list[Any] = [checkpoints.newest() if rank == 0 else None]
        dist.broadcast_object_list(states)
        state: dict[str, Any] = states[0]
        model = new_model()
        if state:
            model.load_state_dict(state["model"])
        self.step = self.resumed_from = int(state.get("step", 0))
        self.rows = torch.tensor(state.get("rank_rows", [0] * self.world))
        self.steps = torch.tensor(state.get("rank_steps", [0] * self.world))
        self.model = DistributedDataParallel(model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=sample_run.LEARNING_RATE)
        pixels, labels = read_digits(options.data, test=False)
        self.pixels, self.labels = pixels[rank :: self.world], labels[rank :: self.world]
        self.random = torch.Generator().manual_seed(sample_run.SEED + 1000 * self.step + rank)

    def _train_step(self) -> float:
        """One step of gradient descent of all processes, on this one's part of the batch."""
        chosen = torch.randint(len(self.labels), (self.options.batch_size // self.world,), generator=self.random)
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(self.pixels[chosen]), self.labels[chosen])
        # Here the gradients travel.
        loss.backward()
        self.optimizer.step()
        self.rows[self.rank] += len(chosen)
        self.steps[self.rank] += 1
        self.step += 1
        return float(loss)

    def _from_all(self, counts: Any) -> list[int]:
        """Return what each process has counted at its own place."""
        own = torch.zeros_like(counts)
        own[self.rank] = counts[self.rank]
        dist.all_reduce(own)
        return [int(count) for count in own]

    def round(self) -> float:
        """Train until the next checkpoint, and write it; return the mean loss of the round's steps."""
        count = min(sample_run.STEPS_PER_ROUND, self.options.steps - self.step)
        mean = torch.tensor(sum(self._train_step() for _step in range(count)) / count)
        dist.all_reduce(mean)
        loss = float(mean) / self.world
        fingerprints: list[Any] = [None] * self.world
        dist.all_gather_object(fingerprints, fingerprint(self.model))
        rank_rows, rank_steps = self._from_all(self.rows), self._from_all(self.steps)
        if self.rank == 0:
            self.checkpoints.save(
                {
                    "step": self.step,
                    "model": self.model.module.state_dict(),
                    "loss": loss,
                    "rank_rows": rank_rows,
                    "rank_steps": rank_steps,
                    "fingerprints": fingerprints,
                }
            )
        return loss


def meet(rank: int, options: sample_run.Options) -> Any:
    """Return the master's store when all are there; raise TimeoutError that names those which are not.

    PyTorch's own way to meet names nobody, and lets no signal handler run meanwhile.
    """
    host, port, world = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), int(os.environ["WORLD_SIZE"])
    if rank > 0:
        sample_run.wait_for_servers([(MASTER, f"{host}:{port}")], options.peer_timeout_s)
    wait = timedelta(seconds=COLLECTIVE_TIMEOUT_S)
    store = dist.TCPStore(host, port, world, rank == 0, wait, wait_for_workers=False)
    store.add(name_of(rank), 1)

    def missing() -> list[str]:
        return [name for name in map(name_of, range(world)) if store.add(name, 0) == 0]

    sample_run.wait(lambda: not missing(), options.peer_timeout_s, lambda: ", ".join(missing()))
    return store


def train(rank: int, options: sample_run.Options, checkpoints: Checkpoints) -> int:
    """Be one process of the group until the last step is done; return the step from which it went on."""
    try:
        store = meet(rank, options)
        dist.init_process_group(
            "gloo",
            store=store,
            rank=rank,
            world_size=int(os.environ["WORLD_SIZE"]),
            timeout=timedelta(seconds=COLLECTIVE_TIMEOUT_S),
        )
        training = Training(rank, options, checkpoints)
        if training.resumed_from:
            print(f"resumed from step {training.resumed_from}", flush=True)
        test = read_digits(options.data, test=True)
        while training.step < options.steps:
            loss = training.round()
            tested = accuracy(training.model.module, test) if rank == 0 else None
            sample_run.print_round(training.step, options, loss, tested)
        # Not before all have the last step: a process that ends takes its connections with it.
        dist.barrier()
    except RuntimeError as error:
        print(f"{name_of(rank)}: the group broke: {str(error).splitlines()[0]}", flush=True)
        # Not through Python's own end: gloo may wait there for those that it has lost.
        os._exit(1)
    return training.resumed_from


def sum_up(
    options: sample_run.Options, checkpoints: Checkpoints, resumed_from: int, training_s: float
) -> dict[str, Any]:
    """Be the master at the end: save the model and return the facts of the whole job, all from the last checkpoint."""
    state = checkpoints.newest()
    model = new_model()
    model.load_state_dict(state["model"])
    folder = options.folder / "model"
    folder.mkdir(exist_ok=True)
    torch.jit.script(model).save(str(folder / "model.pt"))
    names = [name_of(rank) for rank in range(len(state["rank_steps"]))]
    return {
        "job": options.job,
        "torch": torch.__version__,
        "steps": state["step"],
        "rank_steps": state["rank_steps"],
        "rank_rows": state["rank_rows"],
        # Each rank has seen other rows: their models are equal only if the gradients of each step were everybody's.
        "models_are_equal": len(set(state["fingerprints"])) == 1,
        "resumed_from": resumed_from,
        "loss": state["loss"],
        # Of the saved model as read back from the volume: what a server would answer.
        "test_accuracy": accuracy(torch.jit.load(str(folder / "model.pt")), read_digits(options.data, test=True)),
        "pods": sample_run.pods(options.folder, names),
        "training_s": round(training_s, 3),
        "folder": str(options.folder),
    }


def main(arguments: list[str]) -> NoReturn:
    """Be what RANK says."""
    options, rank = sample_run.parse(arguments, __doc__), int(os.environ["RANK"])
    signal.signal(signal.SIGTERM, sample_run.end_at_once)
    # The pods share their nodes with others.
    torch.set_num_threads(1)
    sample_run.report_pod(options.folder, name_of(rank))
    if rank == 0:
        sample_run.prepare_folder(options)
    else:
        sample_run.wait(lambda: sample_run.is_under_way(options), options.peer_timeout_s, lambda: f"{MASTER} to begin")
    checkpoints = Checkpoints(options)
    began = time.monotonic()
    resumed_from = int(checkpoints.newest().get("step", 0))
    if resumed_from < options.steps:
        # All may be done already but for the end: then there is nobody left to train with.
        resumed_from = train(rank, options, checkpoints)
    if rank == 0:
        result = sum_up(options, checkpoints, resumed_from, time.monotonic() - began)
        sample_run.print_result(result, [], f"of whose rows each rank saw {result['rank_rows']}")
        # The very last act: a finished run that is started again would begin anew, and alone.
        sample_run.write_json(options.folder / "result.json", result)
    else:
        print(f"{name_of(rank)}: done", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
