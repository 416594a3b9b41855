# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What options of a job without an operator are refused for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.plugins.module_utils._job_kinds.test_ps_job import refusals


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"replicas": {"PS": {}}}, "replicas = PS: a job needs at least one worker"),
        ({"port": 0}, "port = 0: must be a port"),
        ({"contract": []}, "contract = []: the tasks must be told"),
        ({"restart_policy": "ExitCode"}, "restart_policy = ExitCode: is for jobs of an operator"),
        ({"ttl_seconds_after_finished": 5}, "ttl_seconds_after_finished = 5: without an operator"),
        ({"clean_pod_policy": "All"}, "clean_pod_policy = All: what still runs"),
        ({"nodes": ["a"], "node": "b"}, "node = b: nodes places the replicas already"),
        (
            {"replicas": {"Worker": {"nodes": ["a"], "node": "b"}}},
            "replicas.Worker.node = b: nodes places the replicas already",
        ),
        ({"nodes": ["a", "gpu_2"]}, "nodes[1] = gpu_2: must be lower-case letters"),
        (
            {"replicas": {"Worker": {"nodes": ["GPU-1"]}}},
            "replicas.Worker.nodes[0] = GPU-1: must be lower-case letters",
        ),
        ({"contract": ["tf_config"], "env": {"TF_CONFIG": "x"}}, "env = TF_CONFIG: contract tf_config"),
        ({"contract": ["environment"], "env": {"POD_NAME": "x"}}, "env = POD_NAME: contract environment"),
        ({"command": ["sh", "-c", "train"]}, "command = sh -c train: the flags of the contract"),
        (
            {"replicas": {"PS": {"restart_policy": "ExitCode"}, "Worker": {}}},
            "replicas.PS.restart_policy = ExitCode: is for jobs of an operator",
        ),
        (
            {"contract": ["tf_config"], "replicas": {"PS": {"env": {"TF_CONFIG": "x"}}, "Worker": {}}},
            "replicas.PS.env = TF_CONFIG: contract tf_config",
        ),
        (
            {"replicas": {"PS": {"command": ["sh", "-c", "train"]}, "Worker": {}}},
            "replicas.PS.command = sh -c train: the flags of the contract",
        ),
        ({"train": {"claim": "c", "output": True}}, "replicas.PS.command = : train.output"),
        ({"code": {"mount_path": "/code"}}, "code = neither: needs either host_path"),
        ({"name": "J"}, "name = J: a job's name is lower-case letters"),
        ({"name": "j" * 60}, f"name = {'j' * 60}: its replica worker-1-{'j' * 60} has a Service of the same name"),
        ({"gang": {"min_available": 4}}, "gang.min_available = 4: must be between 1 and 3"),
        ({"shm_size": "many"}, "shm_size = many: must be a quantity"),
        (
            {"template": {"spec": {"containers": [{"name": "tensorflow"}]}}},
            "template.spec.containers = tensorflow: one must be named main",
        ),
    ],
)
def test_refusals(given: dict[str, Any], told: str) -> None:
    assert any(line.startswith(told) for line in refusals(**given)), refusals(**given)


def test_all_problems_are_told_at_once() -> None:
    lines = refusals(port=99999, contract=[], restart_policy="Always", ttl_seconds_after_finished=1)
    assert len(lines) == 5
    lines = refusals(port=0, labels={"a b": 1}, image="I")
    assert [line.split(" = ")[0] for line in lines] == ["port", "labels", "image", "image"]


def test_a_wrong_folder_is_told_once_and_nothing_that_would_come_of_it() -> None:
    lines = refusals(code={"mount_path": "/code"}, train={"claim": "c", "sub_path": "../x"}, shm_size="many")
    told = ["code", "train.sub_path", "shm_size", "shm_size"]
    assert [line.split(" = ")[0] for line in lines] == told
