# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/parameter-server-job.md: its programs find their cluster, its tasks make what its table says.

Whether a server takes its tasks is shown in the API tier.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.filter.tf_config import tf_config
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_contract import CONTRACTS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import job_type
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read
from tests.unit.contracts import tree

PAGE = (tree.ROOT / "docs" / "parameter-server-job.md").read_text(encoding="utf-8")
TASKS = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)]
PROGRAMS = re.findall(r"^```python\n# (\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def made(task: list[dict[str, Any]], **more: Any) -> Job:
    wanted, problems = read(job_type(PS_JOB), {**task[0]["trainyard.mlstack.ps_job"], **more})
    assert [problem.line() for problem in problems] == []
    assert wanted[0].job is not None
    return wanted[0].job


def test_every_contract_has_a_program() -> None:
    assert {contract for contract, _program in PROGRAMS} == set(CONTRACTS)


@pytest.mark.parametrize(("contract", "program"), PROGRAMS)
def test_a_program_finds_its_cluster_and_its_place_in_it(
    contract: str, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = made(TASKS[0], contract=[contract], train=None)
    worker = next(part for part in job.parts if (part["kind"], part["metadata"]["name"]) == ("Job", "worker-1-mnist"))
    (container,) = worker["spec"]["template"]["spec"]["containers"]
    for entry in container.get("env", []):
        monkeypatch.setenv(entry["name"], entry["value"])
    monkeypatch.setattr("sys.argv", container["args"])
    found: dict[str, Any] = {}
    exec(program, found)
    wanted = {"ps": ["ps-0-mnist:2222"], "worker": ["worker-0-mnist:2222", "worker-1-mnist:2222"]}
    assert (found["cluster"], found["role"], found["index"]) == (wanted, "worker", 1)


def test_the_objects_are_those_of_the_table() -> None:
    job = made(TASKS[0], gang={})
    table = PAGE.partition("## Objects")[2].partition("\n\n")[2].partition("\n\n")[0]
    named = set(re.findall(r"`((?:ps|worker|mnist)[a-z0-9-]*)`", table))
    data = {name for name in re.findall(r"`([a-z_]+)`", table) if name in job.root["data"]}
    assert data == {"ps_hosts", "worker_hosts", "cluster"}
    assert {part["metadata"]["name"] for part in (job.root, *job.parts)} == {name for name in named if "_" not in name}


def test_the_larger_one_is_eight_and_sixteen_spread_over_their_nodes() -> None:
    jobs = [part for part in made(TASKS[1]).parts if part["kind"] == "Job"]
    nodes = [part["spec"]["template"]["spec"]["nodeSelector"]["kubernetes.io/hostname"] for part in jobs]
    assert nodes == [f"cpu-{n}" for n in (1, 2, 3, 4)] * 2 + [f"gpu-{n}" for n in range(1, 9)] * 2


def test_the_filters_line_gives_what_the_module_gives() -> None:
    (shown,) = re.findall(r"\{\{ (\{.*?\}) \| trainyard\.mlstack\.tf_config\('worker', 1\) \}\}", PAGE)
    assert json.loads(tf_config(yaml.safe_load(shown), "worker", 1))["task"] == {"type": "worker", "index": 1}


def test_each_option_of_the_table_of_folders_exists() -> None:
    table = PAGE.partition("## Folders")[2].partition("\n\n- ")[0]
    named = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
    assert set(named) == {"code", "data", "train", "nvidia_libraries", "nvidia_tools"} & set(PS_JOB.job_options())
