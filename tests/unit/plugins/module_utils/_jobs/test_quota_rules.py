# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.quotas import BOTH, GPUS, gang, job, limit_range, quota, refused, short


def test_a_quota_without_status() -> None:
    assert short([job()], quota({GPUS: 2})) == []
    assert "1, 0 used: TFJob a needs 2" in short([job()], quota({GPUS: 1}))[0]


def test_objects_count() -> None:
    hard = {"pods": 9, "services": 1, "count/tfjobs.kubeflow.org": 0, "count/podgroups.scheduling.k8s.io": 0}
    found = short([job(**gang())], quota(hard, {}))
    assert [line.split(" = ")[1].split(" ")[0] for line in found] == [name for name in hard if name != "pods"]


AFFINITY = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"namespaces": ["x"]}]}}
WEIGHTED = {
    "podAntiAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": {"namespaceSelector": {}}}]
    }
}


@pytest.mark.parametrize(
    ("scope", "spec", "inside"),
    [
        ("Terminating", {}, False),
        ("Terminating", {"activeDeadlineSeconds": 5}, True),
        ("NotTerminating", {}, True),
        ("BestEffort", {}, True),
        ("NotBestEffort", {}, False),
        ("NotBestEffort", {"resources": {"requests": {"cpu": 1}}}, True),
        ("BestEffort", {"resources": {"requests": {"cpu": 1}}}, False),
        ("BestEffort", {"initContainers": [{"name": "x", "resources": {"limits": {"memory": 1}}}]}, False),
        ("BestEffort", {"initContainers": [{"name": "x", "resources": {"limits": {"cpu": 0}}}]}, True),
        ("PriorityClass", {}, False),
        ("PriorityClass", {"priorityClassName": "high"}, True),
        ("CrossNamespacePodAffinity", {}, False),
        ("CrossNamespacePodAffinity", {"affinity": AFFINITY}, True),
        ("CrossNamespacePodAffinity", {"affinity": WEIGHTED}, True),
        ("CrossNamespacePodAffinity", {"affinity": {"podAffinity": {}}}, False),
        ("VolumeAttributesClass", {}, False),
        ({**BOTH, "operator": "In"}, {"priorityClassName": "high"}, True),
        ({**BOTH, "operator": "In"}, {}, False),
        ({**BOTH, "operator": "NotIn"}, {"priorityClassName": "high"}, False),
        ({**BOTH, "operator": "NotIn"}, {}, True),
        ({**BOTH, "operator": "DoesNotExist"}, {}, True),
        ({**BOTH, "operator": "Exists"}, {}, False),
    ],
)
def test_scopes(scope: Any, spec: dict[str, Any], inside: bool) -> None:
    """A quota of no pods concerns a job exactly when its scope holds for the pods."""
    selected: dict[str, Any] = (
        {"scopes": [scope]} if isinstance(scope, str) else {"scopeSelector": {"matchExpressions": [scope]}}
    )
    one = job(gpus=None, workers=1)
    one.root["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"].update(spec)
    assert bool(short([one], quota({"pods": 0}, {}, **selected))) == inside


def test_what_a_quota_wants_to_be_said() -> None:
    hard = quota({"limits.cpu": 9, "requests.memory": "9Gi", GPUS: 9}, {})
    found = refused(job(resources={"requests": {"cpu": 1}}), [hard], [])
    where = "TFJob a: Worker: container tensorflow.resources."
    assert [line.split(" = ")[0] for line in found] == [f"{where}limits[cpu]", f"{where}requests[memory]"]
    assert "ResourceQuota q wants it of every container, and refuses the pods. Give limits: {cpu: ...}" in found[0]
    # A limit says the request, too; a LimitRange says it for everybody; so does a quota that is for others.
    said = {"limits": {"cpu": 1, "memory": "1Gi"}}
    assert refused(job(resources=said), [hard], []) == []
    assert refused(job(), [hard], [limit_range(default={"cpu": 1}, defaultRequest={"memory": 1})]) == []
    assert refused(job(), [quota({"limits.cpu": 9}, {}, scopes=["Terminating"])], []) == []


def test_init_containers_have_to_say_it_too() -> None:
    init = [{"name": "fetch", "image": "i:1"}]
    found = refused(job(init_containers=init, resources={"limits": {"cpu": 1}}), [quota({"limits.cpu": 9}, {})], [])
    assert len(found) == 1
    assert "container fetch.resources.limits[cpu]" in found[0]
