# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/volcano-job.md: its table names options that exist, its phases are read as it says.

Whether a server takes its task is shown in the API tier.
"""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from tests.unit.contracts import tree

PAGE = (tree.ROOT / "docs" / "volcano-job.md").read_text(encoding="utf-8")


def rows(title: str) -> list[list[str]]:
    """Return the rows of the table below a title, without its head."""
    assert f"## {title}\n" in PAGE
    below = PAGE.partition(f"## {title}")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names(options: Mapping[str, Any]) -> Iterator[str]:
    for name, option in options.items():
        yield name
        yield from names(option.get("options") or {})


def test_each_option_that_is_named_exists() -> None:
    known = set(names(VOLCANO_JOB.job_options()))
    named = {
        word for row in rows("Fields and options") for word in re.findall(r"`(?:tasks\[\]\.)?([a-z_]+)`", row[1])
    }
    assert {"queue", "depends_on", "exit_code"} <= named
    assert named <= known, named - known


@pytest.mark.parametrize(
    ("phase", "said"), [(phase, row[1]) for row in rows("Changes of a live job") for phase in row[0].split(", ")]
)
def test_each_phase_is_read_as_it_says(phase: str, said: str) -> None:
    job = {"metadata": {"uid": "u"}, "spec": {}, "status": {"state": {"phase": phase}}}
    labels = {VOLCANO_JOB.labels.type: "worker", VOLCANO_JOB.labels.index: "0"}
    pod = {"metadata": {"name": "p", "labels": labels}, "status": {"phase": "Running"}}
    state = VOLCANO_JOB.state(job, [], [] if phase == "Pending" else [pod], [])
    assert said.startswith(state.state)
