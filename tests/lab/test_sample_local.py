"""The sample's program without Kubernetes: chief, parameter server and workers as processes of this machine.

What only real pods can show (nodes, the shared volume, the init container) is molecule's.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any, Iterator

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "roles/samples/files/tfjob_parameter_server.py"
RELEASE = yaml.safe_load((ROOT / "releases/2026.11.yml").read_text(encoding="utf-8"))
CACHE = Path("~/.cache/trainyard").expanduser()
STEPS = 600
SECONDS = 300


@pytest.fixture(scope="module")
def python() -> Path:
    """A Python that has the release's TensorFlow, made once and kept."""
    version = RELEASE["components"]["tensorflow"]
    environment = CACHE / f"tests/tensorflow-{version}"
    python = environment / "bin/python"
    complete = environment / "complete"
    if not complete.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"tensorflow-cpu=={version}"], check=True)
        complete.touch()
    return python


@pytest.fixture(scope="module")
def data() -> Path:
    """The digits of the bundle."""
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    path = CACHE / f"bundles/{RELEASE['release']}-{architecture}/data/digits.csv"
    assert path.is_file(), f"{path} is missing: run `make bundle`"
    return path


class Cluster:
    """Processes that find each other as the operator's pods do, by TF_CONFIG."""

    def __init__(self, python: Path, data: Path, folder: Path) -> None:
        self._python, self._data, self._folder = python, data, folder
        kinds = {"chief": 1, "ps": 1, "worker": 2}
        self._addresses = {kind: [f"localhost:{free_port()}" for _n in range(count)] for kind, count in kinds.items()}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._logs: list[IO[bytes]] = []

    def start(self, kind: str, index: int, *options: str) -> subprocess.Popen[bytes]:
        """Start one task; its output is what read() returns."""
        task = {"cluster": self._addresses, "task": {"type": kind, "index": index}}
        environment = {
            **os.environ,
            "TF_CONFIG": json.dumps(task),
            "POD_NAME": f"digits-{kind}-{index}",
            "NODE_NAME": f"node-{index}",
        }
        log = self.log(kind, index).open("wb")
        command = [
            str(self._python),
            str(PROGRAM),
            "--job=digits",
            f"--volume={self._folder}",
            f"--data={self._data}",
            *options,
        ]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        self._logs.append(log)
        self._processes.append(process)
        return process

    def log(self, kind: str, index: int) -> Path:
        """Where the output of a task goes."""
        return self._folder / f"{kind}-{index}.log"

    def result(self) -> dict[str, Any]:
        """What the chief says for programs."""
        text = self.log("chief", 0).read_text(encoding="utf-8")
        (line,) = (line for line in text.splitlines() if line.startswith("RESULT "))
        found: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
        return found

    def servers(self) -> list[subprocess.Popen[bytes]]:
        """The parameter server and the workers."""
        return self._processes[:3]

    def stop(self) -> None:
        """End what still runs."""
        for process in self._processes:
            process.kill()
            process.wait()
        for log in self._logs:
            log.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def cluster(python: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A parameter server and two workers that serve; a test starts the chief."""
    made = Cluster(python, data, tmp_path_factory.mktemp("volume"))
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
    deadline = time.monotonic() + SECONDS
    while "step 200 of" not in cluster.log("chief", 0).read_text(encoding="utf-8"):
        assert first.poll() is None, cluster.log("chief", 0).read_text(encoding="utf-8")
        assert time.monotonic() < deadline, cluster.log("chief", 0).read_text(encoding="utf-8")
        time.sleep(0.02)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert cluster.start("chief", 0, *options).wait(SECONDS) == 0
    return cluster.result()


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
    again = cluster.result()
    assert again["resumed_from"] == 0
    assert again["steps"] == 100
    assert not (Path(again["folder"]) / f"checkpoints/ckpt-{STEPS}.index").exists()


def test_a_task_that_is_told_to_end_does_so_at_once(cluster: Cluster) -> None:
    # The first process of a container ignores the signal unless it has a handler: 143, and not -15, shows that it has.
    for process in cluster.servers():
        process.terminate()
    assert [process.wait(10) for process in cluster.servers()] == [143, 143, 143]
