# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program is told of its cluster, in each contract."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_contract import (
    CONTRACTS,
    Task,
    arguments,
    check_command,
    cluster_of,
    environment,
    tf_config,
)

TASKS = [Task("ps", 0, "ps-0-j"), Task("worker", 0, "worker-0-j"), Task("worker", 1, "worker-1-j")]
CLUSTER = {"ps": ["ps-0-j:2222"], "worker": ["worker-0-j:2222", "worker-1-j:2222"]}


def test_the_cluster_is_lists_of_addresses_by_role() -> None:
    assert cluster_of(TASKS, 2222) == CLUSTER


def test_flags() -> None:
    assert arguments(["flags"], CLUSTER, TASKS[2]) == [
        "--job_name=worker",
        "--task_index=1",
        "--ps_hosts=ps-0-j:2222",
        "--worker_hosts=worker-0-j:2222,worker-1-j:2222",
    ]
    assert environment(["flags"], CLUSTER, TASKS[2]) == {}


def test_tf_config() -> None:
    told = environment(["tf_config"], CLUSTER, TASKS[0])
    assert list(told) == ["TF_CONFIG"]
    assert json.loads(told["TF_CONFIG"]) == {
        "cluster": CLUSTER,
        "task": {"type": "ps", "index": 0},
        "environment": "cloud",
    }
    assert arguments(["tf_config"], CLUSTER, TASKS[0]) == []


def test_environment() -> None:
    told = environment(["environment"], CLUSTER, TASKS[1])
    assert told["POD_NAME"] == "worker-0-j"
    assert ast.literal_eval(told["CLUSTER_CONFIG"]) == CLUSTER


@given(st.integers(0, 9), st.integers(1, 20), st.integers(1, 65535))
def test_any_cluster_reads_the_same_in_all_contracts(servers: int, workers: int, port: int) -> None:
    tasks = [Task("ps", n, f"ps-{n}-j") for n in range(servers)]
    tasks += [Task("worker", n, f"worker-{n}-j") for n in range(workers)]
    cluster, task = cluster_of(tasks, port), tasks[-1]
    told = environment(CONTRACTS, cluster, task)
    flags = dict(flag[2:].split("=", 1) for flag in arguments(CONTRACTS, cluster, task))
    listed = {role: hosts.split(",") for role in ("ps", "worker") if (hosts := flags[f"{role}_hosts"])}
    assert listed == cluster == ast.literal_eval(told["CLUSTER_CONFIG"]) == json.loads(told["TF_CONFIG"])["cluster"]
    assert told["POD_NAME"] == f"{flags['job_name']}-{flags['task_index']}-j"


@pytest.mark.parametrize(("role", "index"), [("worker", 2), ("worker", -1), ("chief", 0)])
def test_a_task_that_is_not_there_is_refused(role: str, index: int) -> None:
    with pytest.raises(ValueError, match=rf"no task {role} {index} in the cluster; it has ps 0 to 0, worker 0 to 1"):
        tf_config(CLUSTER, role, index)


@pytest.mark.parametrize(
    ("command", "args", "refused"),
    [
        (["sh", "-c", "python train.py"], [], True),
        (["/bin/bash", "-ec", "python train.py"], ["sh"], True),
        (["sh", "-c", 'python train.py "$@"', "sh"], [], False),
        (["sh", "-c", 'python train.py "$@"'], ["sh", "--steps=1"], False),
        # The first flag would be the script's name.
        (["sh", "-c", 'python train.py "$@"'], [], True),
        (["sh", "train.sh"], [], False),
        (["python", "-c", "print(1)"], [], False),
        ([], [], False),
    ],
)
def test_flags_behind_a_shells_script_are_lost(command: list[str], args: list[str], refused: bool) -> None:
    assert bool(check_command(["flags"], command, args, "replicas.PS")) is refused
    assert check_command(["tf_config"], command, args, "replicas.PS") == []
