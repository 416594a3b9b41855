# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.why_objects import gang_job, gpus, node, pod, why
from tests.unit.plugins.module_utils._job_status.test_why_gang import GANG, group

SEEN = {"nodes": [node("a", 4)], "held": []}


def pods(phases: list[str], spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a pod in each of these phases; only a pending one has no node."""
    places = ["" if phase == "Pending" else "a" for phase in phases]
    return [
        pod(index, node=place, phase=phase, says=None if place else "no room", resources=gpus(1), **spec)
        for index, (phase, place) in enumerate(zip(phases, places))
    ]


@pytest.mark.parametrize("end", ["Succeeded", "Failed"])
def test_a_pod_that_comes_after_others_have_ended(end: str) -> None:
    told = why(gang_job(3, 1), pods([end, "Running", "Pending"], GANG), groups={"tfjob-bert": group(3)}, **SEEN)
    assert told.sentence == (
        "Worker-2 will not be placed: the scheduler wants 3 pods of the gang that have not ended, and 2 are left"
    )
    assert "gang.min_available: 2 (or less)" in told.facts[-1]


@pytest.mark.parametrize(
    ("phases", "least", "spec"),
    [
        pytest.param(["Running", "Running", "Pending"], 3, GANG, id="none has ended"),
        pytest.param(["Succeeded", "Running", "Pending"], 2, GANG, id="enough are left"),
        pytest.param(["Succeeded", "Running", "Pending"], 3, {}, id="no gang"),
    ],
)
def test_what_waits_for_something_else(phases: list[str], least: int, spec: dict[str, Any]) -> None:
    told = why(gang_job(3, 1), pods(phases, spec), groups={"tfjob-bert": group(least)}, **SEEN)
    assert "will not be placed" not in told.sentence
