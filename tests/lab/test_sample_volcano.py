# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Volcano Job of the guides without Volcano: its pods' own commands as processes, each in a network of its own.

What Volcano's plugins tell a pod is played: the host files of `svc`, here with addresses, and the number of `env`.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds import volcano_tf_config
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import job_type
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read
from tests.lab.support.local_cluster import PROGRAMS, SECONDS, result_in

PODS = [("ps", 0), ("worker", 0), ("worker", 1)]
# Documentation's own network: nothing else has it.
ADDRESS = "198.51.100.{}"


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def networks() -> Iterator[list[str]]:
    """Return the names of as many networks as there are pods, each with its address, joined by a bridge."""
    if os.geteuid() != 0:
        pytest.skip("only root can make networks")
    tag = f"v{os.getpid() % 100000}"
    bridge, names = f"{tag}b", [f"{tag}n{number}" for number in range(len(PODS))]
    ip("link", "add", bridge, "type", "bridge")
    try:
        ip("link", "set", bridge, "up")
        for number, name in enumerate(names):
            ip("netns", "add", name)
            ip("link", "add", f"{tag}h{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", f"{tag}h{number}", "master", bridge, "up")
            ip("-n", name, "address", "add", f"{ADDRESS.format(number + 1)}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                ip("-n", name, "link", "set", device, "up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, stdin=subprocess.DEVNULL)
        ip("link", "delete", bridge)


def commands(folder: Path, python: Path, digits: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Return what the container of each task runs."""
    monkeypatch.setattr(volcano_tf_config, "HOSTS", str(folder))
    task: dict[str, Any] = {
        "name": "digits",
        "image": "t:1",
        "command": [str(python), str(PROGRAMS / "ps_job_digits.py")],
        "args": [f"--data={digits}"],
        "tf_config": {},
        "tasks": [{"name": "ps"}, {"name": "worker", "replicas": 2}],
    }
    wanted, problems = read(job_type(VOLCANO_JOB), task)
    assert [problem.line() for problem in problems] == []
    assert wanted[0].job is not None
    found = {}
    for each in wanted[0].job.root["spec"]["tasks"]:
        (container,) = each["template"]["spec"]["containers"]
        found[each["name"]] = [*container["command"], *container["args"]]
    return found


def test_its_pods_find_each_other_and_train(
    networks: list[str], tensorflow: Path, digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts: dict[str, list[str]] = {}
    for number, (task, _index) in enumerate(PODS):
        hosts.setdefault(task, []).append(ADDRESS.format(number + 1))
    for task, addresses in hosts.items():
        (tmp_path / f"{task}.host").write_text("\n".join(addresses), encoding="utf-8")
    command = commands(tmp_path, tensorflow, digits, monkeypatch)
    running: dict[tuple[str, int], subprocess.Popen[bytes]] = {}
    try:
        for network, (task, index) in zip(networks, PODS):
            with (tmp_path / f"{task}-{index}.log").open("wb") as log:
                running[task, index] = subprocess.Popen(
                    ["ip", "netns", "exec", network, *command[task]],
                    env={**os.environ, "VC_TASK_INDEX": str(index)},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
        for index in (0, 1):
            log_text = (tmp_path / f"worker-{index}.log").read_text
            assert running["worker", index].wait(SECONDS) == 0, log_text()
        # It would serve for ever: the policy of the workers' end is what takes it away.
        assert running["ps", 0].poll() is None
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    result = result_in((tmp_path / "worker-0.log").read_text(encoding="utf-8"))
    assert (result["contract"], result["steps_by_worker"]) == ("TF_CONFIG", [300, 300])
    assert result["variables_on"] == ["/job:ps/task:0"]
    assert result["test_accuracy"] >= 0.90
