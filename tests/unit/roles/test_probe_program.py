# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of the verification's pods, run here as the pods run it: a process of its own, text after -c."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator
from urllib.request import urlopen

import pytest

from tests.support.paths import ROOT

PROGRAM = (ROOT / "roles" / "verify" / "files" / "probe.py").read_text(encoding="utf-8")


def start(*arguments: str, **env: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env={**os.environ, **env}, text=True, stdout=pipe, stderr=subprocess.STDOUT)


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


@pytest.fixture
def server() -> Iterator[int]:
    """The port of a server that says it is node-1."""
    port = free_port()
    process = start("serve", str(port), NODE_NAME="node-1")
    end = time.monotonic() + 30
    while True:
        try:
            assert urlopen(f"http://127.0.0.1:{port}", timeout=2).read() == b"node-1"
            break
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
    yield port
    process.kill()
    process.wait()


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The program's functions, patient for a moment only."""
    names: dict[str, Any] = {"__name__": "probe"}
    exec(compile(PROGRAM, "probe.py", "exec"), names)
    names["TRIES_FOR_S"] = 0.1
    return SimpleNamespace(**names)


def test_a_client_says_of_each_target_how_it_went(server: int, probe: SimpleNamespace, tmp_path: Path) -> None:
    gone = free_port()
    targets = [
        ["pod_network", "right", "dial", ["127.0.0.1", server, "node-1"]],
        ["pod_network", "wrong node", "dial", ["127.0.0.1", server, "node-2"]],
        ["service", "nobody there", "dial", ["127.0.0.1", gone, "node-1"]],
        ["dns", "known", "resolve", ["localhost", ""]],
        ["dns", "another address", "resolve", ["localhost", "198.51.100.1"]],
        ["dns", "unknown", "resolve", ["no-such-name.invalid", ""]],
    ]
    log = tmp_path / "termination-log"
    text = PROGRAM.replace('"/dev/termination-log"', repr(str(log))).replace("TRIES_FOR_S = 10", "TRIES_FOR_S = 1")
    subprocess.run([sys.executable, "-c", text, "look", json.dumps(targets)], check=True, timeout=60)
    found = {what: error for _check, what, error in json.loads(log.read_text())}
    assert found["right"] == found["known"] == ""
    assert found["wrong node"] == "node-1 answered instead of node-2"
    assert "refused" in found["nobody there"]
    assert "instead of 198.51.100.1" in found["another address"]
    assert found["unknown"]
    # The kubelet keeps 4096 bytes of a termination message.
    assert len(log.read_bytes()) < 4096


def test_proxies_of_the_environment_are_not_asked(server: int, probe: SimpleNamespace, monkeypatch: Any) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert probe.dial("127.0.0.1", server, "node-1") == ""


def test_a_failure_that_passes_is_no_failure(probe: SimpleNamespace) -> None:
    failures = iter([OSError("not yet")])

    def function() -> str:
        for failure in failures:
            raise failure
        return ""

    probe.patiently.__globals__["TRIES_FOR_S"] = 5
    assert probe.patiently(function, ()) == ""


def test_two_workers_exchange_numbers() -> None:
    workers = [f"127.0.0.1:{free_port()}", "127.0.0.1:1"]
    tasks = [{"type": "worker", "index": index} for index in (0, 1)]
    configs = [json.dumps({"cluster": {"worker": workers}, "task": task}) for task in tasks]
    # The second one comes first, as it may in a cluster.
    second = start("job", TF_CONFIG=configs[1])
    time.sleep(0.3)
    first = start("job", TF_CONFIG=configs[0])
    outputs = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], outputs
    assert "answered with the sum of 100 numbers" in outputs[0]
    assert "the sum is 4950" in outputs[1]
