"""A sample's program without Kubernetes: its tasks as processes of this machine, told their places as pods are."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import IO, Any

from tests.lab.support.environments import make_environment
from tests.support.paths import RELEASE, ROOT, bundle_dir

PROGRAMS = ROOT / "roles/samples/files"
SECONDS = 300


def make_python() -> Path:
    """Return a Python that has the release's TensorFlow, made once and kept."""
    version = RELEASE["components"]["tensorflow"]
    return make_environment(f"tensorflow-{version}", f"tensorflow-cpu=={version}") / "python"


def find_data() -> Path:
    """Return the digits of the bundle."""
    path = bundle_dir() / "data/digits.csv"
    assert path.is_file(), f"{path} is missing: run `make bundle`"
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def result_in(log: str) -> dict[str, Any]:
    """What a sample's program has said for programs, once."""
    lines = [line for line in log.splitlines() if line.startswith("RESULT ")]
    assert len(lines) == 1, log
    found: dict[str, Any] = json.loads(lines[0].removeprefix("RESULT "))
    return found


class Cluster:
    """The tasks of one job. cluster: how many of each kind find each other; others (an evaluator) know only them."""

    def __init__(self, program: str, cluster: dict[str, int], python: Path, data: Path, folder: Path) -> None:
        self._command = [str(python), str(PROGRAMS / program), "--job=digits", f"--volume={folder}", f"--data={data}"]
        self._folder = folder
        self._addresses = {kind: [f"localhost:{free_port()}" for _n in range(count)] for kind, count in cluster.items()}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._logs: list[IO[bytes]] = []

    def start(self, kind: str, index: int, *options: str) -> subprocess.Popen[bytes]:
        """Start one task; its output is what read() returns."""
        environment = {
            **os.environ,
            **self.place(kind, index),
            "POD_NAME": f"digits-{kind}-{index}",
            "NODE_NAME": f"node-{index}",
        }
        log = self.log(kind, index).open("wb")
        process = subprocess.Popen(
            [*self._command, *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        self._logs.append(log)
        self._processes.append(process)
        return process

    def place(self, kind: str, index: int) -> dict[str, str]:
        """The environment by which a task knows what it is: that of TensorFlow."""
        return {"TF_CONFIG": json.dumps({"cluster": self._addresses, "task": {"type": kind, "index": index}})}

    def log(self, kind: str, index: int) -> Path:
        """Where the output of a task goes."""
        return self._folder / f"{kind}-{index}.log"

    def read(self, kind: str, index: int) -> str:
        """What a task has printed."""
        return self.log(kind, index).read_text(encoding="utf-8")

    def kill_after(self, line: str, victim: subprocess.Popen[bytes], kind: str, index: int) -> None:
        """Kill a process with SIGKILL as soon as a task prints a line."""
        deadline = time.monotonic() + SECONDS
        while not re.search(line, self.read(kind, index)):
            assert victim.poll() is None, self.read(kind, index)
            assert time.monotonic() < deadline, self.read(kind, index)
            time.sleep(0.02)
        victim.send_signal(signal.SIGKILL)
        victim.wait()

    def run_to_end(self, tasks: dict[tuple[str, int], subprocess.Popen[bytes]], *options: str) -> None:
        """Start again whatever fails, as restartPolicy OnFailure does, until every task has ended well."""
        deadline = time.monotonic() + SECONDS
        tasks = dict(tasks)
        while tasks:
            assert time.monotonic() < deadline, {name: self.read(*name)[-2000:] for name in tasks}
            for name, process in list(tasks.items()):
                status = process.poll()
                if status == 0:
                    del tasks[name]
                elif status is not None:
                    tasks[name] = self.start(*name, *options)
            time.sleep(0.1)

    def result(self, kind: str) -> dict[str, Any]:
        """What the first task of a kind says for programs."""
        return result_in(self.read(kind, 0))

    def processes(self) -> list[subprocess.Popen[bytes]]:
        """All that were started, in this order."""
        return self._processes

    def stop(self) -> None:
        """End what still runs."""
        for process in self._processes:
            process.kill()
            process.wait()
        for log in self._logs:
            log.close()
