# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.backend import Backend
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.backend_native import (
    NATIVE,
    NATIVE_1_35,
    NATIVE_1_36,
    SHAPES,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import (
    BACKENDS,
    backend_of,
    gang_available,
    least_of,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.shape import shape_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.cluster import (
    NEWEST,
    Cluster,
    LiveCluster,
    RecordingCluster,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown

GANG = {"backend": "native", "min_available": 2, "timeout": None, "queue": None, "scheduler": None}
OPTIONS = {"name": "bert", "namespace": "n", "image": "i:1", "replicas": {"Worker": {"replicas": 3}}, "gang": GANG}


def store(*served: str) -> Any:
    """Return a store whose cluster serves these."""

    class Discovery:
        def served(self, api_version: str, kind: str) -> None:
            if f"{kind} {api_version}" not in served:
                raise KindUnknown(api_version, kind)

    return type("Store", (), {"discovery": Discovery()})()


class Serving(Cluster):
    """A cluster that serves one shape of native gangs alone."""

    def __init__(self, shape: Backend) -> None:
        self.shape = shape

    def serves(self, api_version: str, kind: str) -> bool:
        return (api_version, kind) == self.shape.identity


def made(cluster: Cluster = NEWEST, **options: Any) -> Job:
    job, problems = TFJOB.render({**OPTIONS, **options}, cluster)
    assert not problems
    assert job
    return job


def worker(job: Job) -> dict[str, Any]:
    spec: dict[str, Any] = job.root["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    return spec


@pytest.mark.parametrize(
    ("served", "shape"),
    [
        ("PodGroup scheduling.k8s.io/v1beta1", NATIVE),
        ("PodGroup scheduling.k8s.io/v1alpha2", NATIVE_1_36),
        ("Workload scheduling.k8s.io/v1alpha1", NATIVE_1_35),
        # Nobody switched it on: refused in the newest shape.
        ("PodGroup scheduling.volcano.sh/v1beta1", NATIVE),
        # An older kind of the same version is none.
        ("Workload scheduling.k8s.io/v1beta1", NATIVE),
    ],
)
def test_a_cluster_says_which_shape_it_knows(served: str, shape: Any) -> None:
    cluster = LiveCluster(store(served))
    assert shape_of(cluster, NATIVE) is shape
    assert shape_of(cluster, BACKENDS["volcano"]) is BACKENDS["volcano"]
    job = made(cluster)
    assert backend_of(job.parts[0]) is shape
    assert least_of(job.parts) == 2
    refused = gang_available(store(served), job.parts)
    assert [problem.value for problem in refused] == (
        [] if served in f"{shape.kind} {shape.api_version}" else ["native"]
    )


def test_the_newest_shape_of_several() -> None:
    every = store(*(f"{shape.kind} {shape.api_version}" for shape in SHAPES))
    assert shape_of(LiveCluster(every), NATIVE) is NATIVE


def test_1_36() -> None:
    before, job = made(), made(Serving(NATIVE_1_36))
    assert job.parts == [
        {
            "apiVersion": "scheduling.k8s.io/v1alpha2",
            "kind": "PodGroup",
            "metadata": {"name": "tfjob-bert", "namespace": "n"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
        }
    ]
    # Its pods are marked as they are in 1.37.
    assert job.root == before.root
    assert job.notes == before.notes


def test_1_35() -> None:
    job = made(Serving(NATIVE_1_35))
    assert job.parts == [
        {
            "apiVersion": "scheduling.k8s.io/v1alpha1",
            "kind": "Workload",
            "metadata": {"name": "tfjob-bert", "namespace": "n"},
            "spec": {"podGroups": [{"name": "pods", "policy": {"gang": {"minCount": 2}}}]},
        }
    ]
    assert worker(job)["workloadRef"] == {"name": "tfjob-bert", "podGroup": "pods"}
    assert "schedulingGroup" not in worker(job)


def test_a_job_without_operator() -> None:
    replicas: dict[str, Any] = {"PS": {"replicas": 1}, "Worker": {"replicas": 1}}
    common = {"command": ["train"], "port": 2222, "contract": ["env"], "end": "workers"}
    job, problems = PS_JOB.render({**OPTIONS, **common, "replicas": replicas, "gang": {**GANG}}, Serving(NATIVE_1_35))
    assert not problems
    assert job
    jobs = [part for part in job.parts if part["kind"] == "Job"]
    assert [part["spec"]["template"]["spec"]["workloadRef"] for part in jobs] == [
        {"name": "ps-job-bert", "podGroup": "pods"}
    ] * 2


@pytest.mark.parametrize("shape", [NATIVE_1_36, NATIVE_1_35])
def test_a_priority_that_a_shape_does_not_know(shape: Any) -> None:
    job = made(Serving(shape), priority_class="high")
    assert "priorityClassName" not in str(job.parts)
    assert worker(job)["priorityClassName"] == "high"
    assert f"{shape.title} does not know the priority of a gang" in job.notes[-1]


def test_nothing_is_asked_for_other_jobs() -> None:
    asked = RecordingCluster(NEWEST)
    made(asked, gang=None)
    made(asked, gang={**GANG, "backend": "volcano"})
    assert asked.answers == {}
    made(asked)
    assert asked.answers == {("serves", *NATIVE.identity): True}
