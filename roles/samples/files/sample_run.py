# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all samples have in common, with whatever they train: command line, files on the shared volume, how they report.

Lies beside the programs in their pods. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Sequence

PIXELS = 64
CLASSES = 10
BRIGHTEST = 16.0
HIDDEN = 64
LEARNING_RATE = 0.5
# Every fifth row is kept for the test, so that both parts hold all writers and all digits.
TEST_EVERY = 5
STEPS_PER_ROUND = 100
SEED = 20261128
# What a run makes on the volume; a run of another program clears it away.
MADE = ("checkpoints", "logs", "model", "evaluation.json")

Address = tuple[str, str]


@dataclass(frozen=True)
class Options:
    """The command line. steps and batch_size are counts; the run names the program and its parameters."""

    job: str
    run: str
    volume: Path
    data: Path
    steps: int
    batch_size: int
    peer_timeout_s: int

    @property
    def folder(self) -> Path:
        """Where the job writes."""
        return self.volume / self.job


def parse(arguments: list[str], about: str | None) -> Options:
    """Read the command line. about: what the program is, for its help."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job", required=True, help="the job's name: its folder on the volume")
    parser.add_argument("--run", default="", help="what tells one run from another; an unfinished equal one is resumed")
    parser.add_argument("--volume", type=Path, required=True, help="where the shared volume is mounted")
    parser.add_argument("--data", type=Path, required=True, help="CSV on the volume: 64 pixels of 0 to 16, the digit")
    parser.add_argument("--steps", type=int, default=600, help="training steps of all workers together")
    parser.add_argument("--batch-size", type=int, default=64, help="rows in a step")
    parser.add_argument("--peer-timeout-s", type=int, default=600, help="seconds to wait for the job's other pods")
    return Options(**vars(parser.parse_args(arguments)))


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a file that is complete whenever somebody reads it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}")
    unfinished.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """Return what write_json wrote; nothing when there is no such file."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def report_pod(folder: Path, name: str) -> None:
    """Leave word on the shared volume of where this task runs; the one that leads prints all of them at the end."""
    where = {
        "task": name,
        "pod": os.environ.get("POD_NAME", socket.gethostname()),
        "node": os.environ.get("NODE_NAME", "unknown"),
    }
    print(f"{name}: pod {where['pod']} on node {where['node']}", flush=True)
    write_json(folder / "pods" / f"{name}.json", where)


def pods(folder: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return what these tasks reported."""
    return [read_json(folder / "pods" / f"{name}.json") for name in names]


def is_under_way(options: Options) -> bool:
    """Tell whether the folder holds what this run has made so far, and not what an ended or another one left."""
    started = read_json(options.folder / "run.json") == {"run": options.run}
    return started and not (options.folder / "result.json").is_file()


def prepare_folder(options: Options) -> None:
    """Keep what an unfinished run of the same program left, and clear away what any other one did."""
    if is_under_way(options):
        return
    (options.folder / "run.json").unlink(missing_ok=True)
    for name in (*MADE, "result.json"):
        path = options.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    write_json(options.folder / "run.json", {"run": options.run})


def unreachable(servers: Sequence[Address]) -> list[str]:
    """Return those that take no connection."""
    silent = []
    for name, address in servers:
        host, port = address.rsplit(":", 1)
        try:
            socket.create_connection((host, int(port)), timeout=2).close()
        except OSError:
            silent.append(f"{name} ({address})")
    return silent


def wait(until: Any, timeout_s: int, what: Any) -> None:
    """Return when until() is true; raise TimeoutError with the text that what() returns."""
    deadline = time.monotonic() + timeout_s
    while not until():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout_s} s for {what()}: are these pods running?")
        time.sleep(0.2)


def wait_for_servers(servers: Sequence[Address], timeout_s: int) -> None:
    """Return when all of them take connections; raise TimeoutError that names those which do not."""
    wait(lambda: not unreachable(servers), timeout_s, lambda: ", ".join(unreachable(servers)))


def end_at_once(_number: int, _frame: object) -> NoReturn:
    """Handle SIGTERM: the first process of a container ignores it otherwise, and its pod ends half a minute later."""
    os._exit(128 + signal.SIGTERM)


def print_round(done: int, options: Options, loss: float, accuracy: float | None = None) -> None:
    """Say how far the training is."""
    tested = "" if accuracy is None else f", test accuracy {accuracy:.4f}"
    print(f"step {done} of {options.steps}: loss {loss:.4f}{tested}", flush=True)


def print_result(result: dict[str, Any], more: Sequence[str], who_did: str) -> None:
    """Print the facts as one line for programs, then for people; the last line says it all.

    more: lines that only this program has. who_did: who did how much of the steps.
    """
    print(f"RESULT {json.dumps(result)}")
    print("where the pods ran:")
    for pod in result["pods"]:
        print(f"  {pod['task']:<11} {pod['pod']} on {pod['node']}")
    for line in more:
        print(line)
    print(f"checkpoints, logs and the saved model: {result['folder']} on the shared volume")
    print(f"{result['steps']} steps in {result['training_s']:.1f} s, {who_did}")
    print(f"test accuracy {result['test_accuracy']:.4f}, loss {result['loss']:.4f}", flush=True)
