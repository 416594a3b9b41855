# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which changes a live job takes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.fixed import fixed_part_changes
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB


def test_replicas_are_fixed_and_the_run_policy_is_not() -> None:
    def live(replicas: int, cpu: Any, ttl: int) -> dict[str, Any]:
        container = {"name": "tensorflow", "resources": {"limits": {"cpu": cpu}}}
        worker = {"replicas": replicas, "template": {"spec": {"containers": [container]}}}
        return {"metadata": {}, "spec": {"runPolicy": {"ttl": ttl}, "tfReplicaSpecs": {"Worker": worker}}}

    assert TFJOB.immutable_changes(live(1, "1000m", 1), live(1, 1, 2)) == []
    problems = TFJOB.immutable_changes(live(1, "1", 1), live(2, "2", 1))
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
    assert [problem.field for problem in PYTORCHJOB.immutable_changes(before, after)] == fixed


def batch_job(**spec: Any) -> dict[str, Any]:
    """Return a batch Job whose pods have these fields beside their only container."""
    spec = {"containers": [{"name": "main", "image": "i:1"}], **spec}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "worker-0-j"},
        "spec": {"template": {"spec": spec}},
    }


def applied(job: dict[str, Any], *fields: str) -> dict[str, Any]:
    """Return a Job as the server keeps it. fields: of the pods' spec, that our last apply wrote."""
    written = {"f:spec": {"f:template": {"f:spec": {f"f:{field}": {} for field in ("containers", *fields)}}}}
    entry = {"manager": "us", "operation": "Apply", "apiVersion": "batch/v1", "fieldsV1": written}
    found = copy.deepcopy(job)
    found["metadata"]["managedFields"] = [entry]
    found["spec"]["template"]["spec"].setdefault("dnsPolicy", "ClusterFirst")
    found["spec"]["template"]["spec"]["containers"][0].setdefault("imagePullPolicy", "IfNotPresent")
    return found


def memory(size: str) -> list[dict[str, Any]]:
    return [{"name": "m", "emptyDir": {"medium": "Memory", "sizeLimit": size}}]


@pytest.mark.parametrize(
    ("live", "wanted", "told"),
    [
        pytest.param(batch_job(), batch_job(), [], id="defaults of the server"),
        pytest.param(batch_job(), batch_job(hostNetwork=False, nodeSelector={}), [], id="what the server leaves out"),
        pytest.param(batch_job(volumes=memory("1Gi")), batch_job(volumes=memory("1024Mi")), [], id="a size"),
        pytest.param(
            batch_job(volumes=memory("1Gi")),
            batch_job(volumes=memory("2Gi")),
            [("volumes[0].emptyDir.sizeLimit", '"1Gi"', '"2Gi"')],
            id="another size",
        ),
        pytest.param(batch_job(), batch_job(hostNetwork=True), [("hostNetwork", "nothing", "true")], id="a new field"),
        pytest.param(
            batch_job(nodeSelector={"a": "b"}),
            batch_job(),
            [("nodeSelector", '{"a": "b"}', "nothing")],
            id="a field that is not wanted any more",
        ),
    ],
)
def test_what_the_template_of_a_batch_job_takes(
    live: dict[str, Any], wanted: dict[str, Any], told: list[tuple[str, str, str]]
) -> None:
    fields = set(live["spec"]["template"]["spec"]) - {"containers"}
    problems = fixed_part_changes(wanted, applied(live, *fields), "us")
    assert [(problem.field, problem.value) for problem in problems] == [
        (f"Job worker-0-j: spec.template.spec.{path}", f"{one} on the live job, {other} wanted")
        for path, one, other in told
    ]
    assert fixed_part_changes(wanted, applied(wanted, *fields), "us") == []


def group(version: str, wrote: list[str], **spec: Any) -> dict[str, Any]:
    """Return a PodGroup of whose spec our last apply wrote these keys."""
    fields = {"f:spec": {f"f:{key}": {} for key in wrote}}
    ours = {"manager": "trainyard.mlstack", "operation": "Apply", "apiVersion": version, "fieldsV1": fields}
    return {"apiVersion": version, "kind": "PodGroup", "metadata": {"name": "g", "managedFields": [ours]}, "spec": spec}


VOLCANO = "scheduling.volcano.sh/v1beta1"
NATIVE, ALPHA = "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha2"
FOUR, FIVE = ({"gang": {"minCount": count}} for count in (4, 5))


@pytest.mark.parametrize(
    ("live", "wanted", "fixed"),
    [
        # The server filled in its default.
        (group(VOLCANO, ["minMember"], minMember=4, queue="default"), group(VOLCANO, [], minMember=4), []),
        (group(VOLCANO, ["queue"], minMember=4, queue="a"), group(VOLCANO, [], minMember=5, queue="a"), []),
        (
            group(VOLCANO, ["queue"], minMember=4, queue="a"),
            group(VOLCANO, [], minMember=4, queue="b"),
            [("PodGroup g: spec.queue", '"a" on the live job, "b" wanted')],
        ),
        (
            group(VOLCANO, ["queue", "minMember"], minMember=4, queue="a"),
            group(VOLCANO, [], minMember=4),
            [("PodGroup g: spec.queue", '"a" on the live job, nothing wanted')],
        ),
        (group(NATIVE, [], schedulingPolicy=FOUR), group(NATIVE, [], schedulingPolicy=FIVE), []),
        (
            group(ALPHA, [], schedulingPolicy=FOUR),
            group(ALPHA, [], schedulingPolicy=FIVE),
            [("PodGroup g: spec.schedulingPolicy.gang.minCount", "4 on the live job, 5 wanted")],
        ),
    ],
)
def test_what_a_live_gang_keeps(live: dict[str, Any], wanted: dict[str, Any], fixed: list[tuple[str, str]]) -> None:
    found = fixed_part_changes(wanted, live, "trainyard.mlstack")
    assert [(problem.field, problem.value) for problem in found] == fixed
    assert all("recreate" in problem.way_out for problem in found)
