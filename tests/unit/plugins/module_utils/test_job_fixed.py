# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which changes a live job takes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_fixed import fixed_changes
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import PYTORCHJOB, TFJOB


def test_replicas_are_fixed_and_the_run_policy_is_not() -> None:
    def live(replicas: int, cpu: Any, ttl: int) -> dict[str, Any]:
        container = {"name": "tensorflow", "resources": {"limits": {"cpu": cpu}}}
        worker = {"replicas": replicas, "template": {"spec": {"containers": [container]}}}
        return {"metadata": {}, "spec": {"runPolicy": {"ttl": ttl}, "tfReplicaSpecs": {"Worker": worker}}}

    assert fixed_changes(TFJOB, live(1, "1000m", 1), live(1, 1, 2)) == []
    problems = fixed_changes(TFJOB, live(1, "1", 1), live(2, "2", 1))
    assert [(p.field, p.value) for p in problems] == [
        ("spec.tfReplicaSpecs.Worker.replicas", "1 on the live job, 2 wanted"),
        (
            "spec.tfReplicaSpecs.Worker.template.spec.containers[0].resources.limits.cpu",
            '"1" on the live job, "2" wanted',
        ),
    ]


ELASTIC = {"minReplicas": 1, "maxReplicas": 4}
METRICS = [{"type": "Resource"}]


def pytorch(workers: int = 2, **spec: Any) -> dict[str, Any]:
    return {"metadata": {}, "spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": workers}}, **spec}}


@pytest.mark.parametrize(
    ("before", "after", "fixed"),
    [
        (pytorch(2), pytorch(3), ["spec.pytorchReplicaSpecs.Worker.replicas"]),
        (pytorch(nprocPerNode="8"), pytorch(nprocPerNode="4"), ["spec.nprocPerNode"]),
        (pytorch(), pytorch(elasticPolicy=ELASTIC), ["spec.elasticPolicy"]),
        (
            pytorch(elasticPolicy=ELASTIC),
            pytorch(elasticPolicy={**ELASTIC, "maxReplicas": 8}),
            ["spec.elasticPolicy.maxReplicas"],
        ),
        (pytorch(2, elasticPolicy=ELASTIC), pytorch(3, elasticPolicy=ELASTIC), []),
        (pytorch(elasticPolicy=ELASTIC), pytorch(elasticPolicy={**ELASTIC, "metrics": METRICS}), []),
        (
            pytorch(elasticPolicy={**ELASTIC, "metrics": METRICS}),
            pytorch(elasticPolicy={**ELASTIC, "metrics": [{"type": "Pods"}]}),
            [],
        ),
        (
            pytorch(elasticPolicy={**ELASTIC, "metrics": METRICS}),
            pytorch(elasticPolicy=ELASTIC),
            ["spec.elasticPolicy.metrics"],
        ),
    ],
)
def test_what_a_pytorchjob_takes(before: dict[str, Any], after: dict[str, Any], fixed: list[str]) -> None:
    assert [problem.field for problem in fixed_changes(PYTORCHJOB, before, after)] == fixed
