# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.plan import JobPlan, owned, part_refs
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Step
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import Outcome
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Item, Ref

GROUP: dict[str, Any] = {"apiVersion": "g/v1", "kind": "PodGroup", "metadata": {"name": "tfjob-j"}, "spec": {}}
ROOT = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "j", "uid": "1", "namespace": "n"}}
JOB = Job(TFJOB, "j", "n", ROOT, [GROUP])


def test_a_part_goes_with_its_root() -> None:
    part = owned(GROUP, ROOT)
    assert part["metadata"]["ownerReferences"] == [
        {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": "j", "uid": "1", "controller": True}
    ]
    assert "ownerReferences" not in GROUP["metadata"]
    assert JOB.owns(part)
    assert not Job(TFJOB, "k", "n", ROOT).owns(part)
    assert not JOB.owns(GROUP)
    assert not JOB.owns(None)
    assert part_refs([JOB]) == [Ref("g/v1", "PodGroup", "tfjob-j", "n")]


def test_a_plan_with_a_missing_part_is_a_change() -> None:
    def step(result: str) -> Step:
        return Step(Item(JOB.ref, ROOT), Outcome(JOB.ref, result))

    assert not JobPlan(JOB, ROOT, step("unchanged"), [step("unchanged")]).changed
    assert JobPlan(JOB, ROOT, step("unchanged"), [step("created")]).changed
    assert not JobPlan(JOB, ROOT, step("unchanged")).creates
    assert JobPlan(JOB, None, step("created")).creates
    assert JobPlan(JOB, ROOT, step("unchanged"), replace=True).changed
