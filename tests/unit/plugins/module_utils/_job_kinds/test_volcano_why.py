# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why Volcano makes no pods of a job."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.cause import Evidence
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import Why, explain, wanted_replicas
from tests.support.why_objects import JUST_NOW, LONG_AGO, NOW

AFTER = {"name": ["ps"]}
DOWN = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "volcano-controllers", "namespace": "volcano-system"},
    "spec": {"replicas": 1},
    "status": {},
}
UP = {**DOWN, "status": {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}}


def job(phase: str = "", made: str = LONG_AGO, **worker: Any) -> dict[str, Any]:
    tasks = [{"name": "ps", "replicas": 1}, {"name": "worker", "replicas": 2, **worker}]
    return {
        "apiVersion": VOLCANO_JOB.api_version,
        "kind": "Job",
        "metadata": {"name": "bert", "namespace": "team-a", "uid": "u", "creationTimestamp": made},
        "spec": {"tasks": tasks},
        "status": {"state": {"phase": phase}} if phase else {},
    }


def group(phase: str, message: str = "") -> dict[str, Any]:
    conditions = [{"type": "Unschedulable", "status": "True", "message": message}] if message else []
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "bert-u"},
        "spec": {"minMember": 3, "queue": "team-a"},
        "status": {"phase": phase, "conditions": conditions},
    }


def why(root: dict[str, Any], *pods: dict[str, Any], **evidence: Any) -> Why:
    state = VOLCANO_JOB.state(root, [], pods, [], "u", NOW)
    return explain(VOLCANO_JOB, VOLCANO_JOB.ref("bert", "team-a"), state, root, pods, Evidence(NOW, **evidence))


@pytest.mark.parametrize(
    ("root", "evidence", "sentence"),
    [
        (job(), {"operator": []}, "Nobody makes ps-0, worker-0 and worker-1: there is no Volcano in this cluster"),
        (
            job(),
            {"operator": [DOWN]},
            "Nobody makes ps-0, worker-0 and worker-1: Volcano's controllers do not run (0 of 1",
        ),
        (job(), {"operator": [UP]}, "Volcano has not taken up the job in 60m, so ps-0, worker-0 and worker-1 cannot"),
        (job(made=JUST_NOW), {"operator": [UP]}, "The pods ps-0, worker-0 and worker-1 are about to be made"),
        (
            job("Pending"),
            {"operator": [], "groups": {"bert-u": group("Pending", "queue is full")}},
            "Volcano makes ps-0, worker-0 and worker-1 only when queue team-a has room for 3 of them together (",
        ),
        (
            job("Pending"),
            {"groups": {"bert-u": group("Pending")}, "queues": {}},
            "Queue team-a, in which the gang waits, does not exist",
        ),
        (job("Pending"), {"groups": {"bert-u": group("Inqueue")}}, "The pods ps-0, worker-0 and worker-1 are about to"),
        (
            job("Pending", dependsOn=AFTER),
            {"groups": {"bert-u": group("Inqueue")}},
            "worker-0 and worker-1 wait until task ps runs, as depends_on says",
        ),
    ],
)
def test_each_cause(root: dict[str, Any], evidence: dict[str, Any], sentence: str) -> None:
    found = why(root, **evidence)
    assert found.sentence.startswith(sentence)
    assert found.facts[-1].startswith("what to do: ")


def test_replicas_are_those_of_the_tasks() -> None:
    assert wanted_replicas(VOLCANO_JOB, job()) == ["ps-0", "worker-0", "worker-1"]


def test_a_job_that_a_policy_began_anew() -> None:
    root = job("Restarting")
    root["status"]["retryCount"] = 2
    found = why(root)
    assert found.sentence == "A policy has begun the job anew: Volcano starts its pods anew, for the second time"
    assert "max_retry" in found.facts[-1]
