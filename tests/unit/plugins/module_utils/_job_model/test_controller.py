# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the program that makes a job's pods is there, runs and does anything."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.cause import Cause, Evidence
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.controller import PATIENCE_S, JobController
from tests.support.why_objects import NOW

CONTROLLER = JobController(
    title="the maker",
    deployment="maker",
    namespace="default-place",
    install="Install it",
    missing=Cause("none", "{who}: there is none", ""),
    down=Cause("down", "{who}: {word} in {its_namespace}", ""),
    silent=Cause("idle", "{who}: nothing in {ago} in {its_namespace}", ""),
)


def deployment(namespace: str, available: int = 0, updated: int = 0) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "maker", "namespace": namespace},
        "spec": {"replicas": 1},
        "status": {"availableReplicas": available, "updatedReplicas": updated},
    }


@pytest.mark.parametrize(
    ("deployments", "taken_up", "sentence"),
    [
        (None, False, ""),
        ([], False, "w-0: there is none"),
        # It may run where it has no Deployment.
        ([], True, ""),
        ([deployment("a")], True, "w-0: 0 of 1 updated, 0 of 1 available in a"),
        ([deployment("a", 1, 1)], False, ""),
        # The former version still does the work.
        ([deployment("a", 1, 0)], False, ""),
        # One that runs is enough.
        ([deployment("a"), deployment("b", 1, 1)], False, ""),
    ],
)
def test_whether_it_runs(deployments: list[dict[str, Any]] | None, taken_up: bool, sentence: str) -> None:
    found = CONTROLLER.why_down("w-0", taken_up, Evidence(NOW, operator=deployments))
    assert (found.sentence if found else "") == sentence


def test_whether_it_does_anything() -> None:
    assert CONTROLLER.why_silent("w-0", PATIENCE_S - 1, Evidence(NOW)) is None
    for deployments, namespace in ((None, "default-place"), ([], "default-place"), ([deployment("a", 1, 1)], "a")):
        found = CONTROLLER.why_silent("w-0", PATIENCE_S, Evidence(NOW, operator=deployments))
        assert found is not None
        assert found.sentence == f"w-0: nothing in 20s in {namespace}"
