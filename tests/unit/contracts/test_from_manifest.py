# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/from-manifest.md: each manifest and the task below it are one object, as they stand on the page."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_native import check_job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import job_type
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read
from tests.unit.contracts import tree

PAGE = (tree.ROOT / "docs" / "from-manifest.md").read_text(encoding="utf-8")
BLOCKS = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)]
PAIRS = list(zip(BLOCKS[::2], BLOCKS[1::2], strict=True))


def test_both_kinds_are_shown() -> None:
    assert [manifest["kind"] for manifest, _task in PAIRS] == ["TFJob", "PyTorchJob"]


@pytest.mark.parametrize(("manifest", "task"), PAIRS)
def test_a_task_renders_to_the_manifest_above_it(manifest: dict[str, Any], task: list[dict[str, Any]]) -> None:
    assert check_job(manifest) == []
    (name,) = [key for key in task[0] if key != "name"]
    kind = JOB_KINDS[name.rpartition(".")[2]]
    wanted, problems = read(job_type(kind), task[0][name])
    assert problems == []
    assert wanted[0].job is not None
    assert wanted[0].job.root == manifest


def test_each_option_that_is_named_exists() -> None:
    """In the table of fields, where a wrong name would send people the wrong way."""
    table = PAGE.partition("## Fields and options")[2].partition("## ")[0]
    options: set[str] = set()
    for name in ("tfjob", "pytorchjob"):
        options |= set(job_type(JOB_KINDS[name]).job_spec())
    cells = [row.split("|")[2] for row in table.splitlines() if row.startswith("| ") and "---" not in row][1:]
    named = {word.split(".")[0].split(":")[0] for cell in cells for word in re.findall(r"`([a-z_.: ]+)`", cell)}
    assert named
    assert named <= options, named - options
