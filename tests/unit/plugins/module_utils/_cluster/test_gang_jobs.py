# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which scheduler a job is, and whether it has begun."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.gang_jobs import GangJob, gang_jobs
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS, marked_template
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB

Object = dict[str, Any]


def template(backend: str, scheduler: str = "") -> Object:
    """Return a pod template that a backend's mark is in; without a mark when there is no backend."""
    plain: Object = {"metadata": {}, "spec": {}}
    return marked_template(BACKENDS[backend], "g", scheduler, plain) if backend else plain


def root(kind: Any, name: str, **spec: Any) -> Object:
    """Return the object that stands for a job."""
    metadata = {"name": name, "namespace": "a", "uid": f"uid-{name}", "labels": {kind.labels.job: name}}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}


def pod(job: str, **spec: Any) -> Object:
    """Return a pod of a TFJob."""
    owner = {"apiVersion": TFJOB.api_version, "kind": TFJOB.kind, "name": job, "uid": f"uid-{job}"}
    metadata = {
        "name": f"{job}-worker-0",
        "namespace": "a",
        "labels": TFJOB.pod_labels(job),
        "ownerReferences": [owner],
    }
    return {"metadata": {**metadata, "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": spec, "status": {}}


def tfjob(backend: str, scheduler: str = "", name: str = "bert") -> Object:
    """Return a TFJob of one worker."""
    worker = {"replicas": 1, "template": template(backend, scheduler)}
    return root(TFJOB, name, **{TFJOB.replica_specs: {"Worker": worker}})


def only(jobs: list[GangJob]) -> GangJob:
    """Return the one job that was found."""
    (job,) = jobs
    return job


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_job_is_under_the_scheduler_whose_mark_and_name_it_bears(backend: str) -> None:
    live = tfjob(backend, BACKENDS[backend].scheduler)
    assert only(gang_jobs(TFJOB, [live], [], [], set())).backend == backend


@pytest.mark.parametrize("backend", ["volcano", "kube_batch"])
def test_of_two_schedulers_with_the_same_mark_the_group_decides(backend: str) -> None:
    live = tfjob(backend, "my-scheduler")
    assert only(gang_jobs(TFJOB, [live], [], [], {(backend, "a", "g")})).backend == backend


def test_a_job_without_a_gang_is_none_of_them() -> None:
    assert gang_jobs(TFJOB, [tfjob("")], [], [], set()) == []


def test_a_volcano_job_is_volcanos_whatever_it_says() -> None:
    live = root(VOLCANO_JOB, "mpi", tasks=[{"name": "w", "replicas": 1, "template": template("")}])
    assert only(gang_jobs(VOLCANO_JOB, [live], [], [], set())).backend == "volcano"


@pytest.mark.parametrize(
    ("pods", "state"),
    [
        ([], "waiting"),
        ([pod("bert")], "waiting"),
        ([pod("bert", nodeName="gpu-1")], "running"),
        # Another job's, of the same namespace.
        ([pod("gpt", nodeName="gpu-1")], "waiting"),
    ],
)
def test_a_job_has_begun_when_a_pod_of_it_has_a_node(pods: list[Object], state: str) -> None:
    assert only(gang_jobs(TFJOB, [tfjob("native")], [], pods, set())).state == state


def test_a_job_that_has_ended_is_in_nobodys_way() -> None:
    live = tfjob("native")
    live["status"] = {"conditions": [{"type": "Succeeded", "status": "True"}]}
    assert only(gang_jobs(TFJOB, [live], [], [pod("bert", nodeName="gpu-1")], set())).state == "ended"


def test_a_job_without_an_operator_has_its_templates_in_batch_jobs() -> None:
    live = root(PS_JOB, "bare")
    owners = [{"kind": PS_JOB.kind, "name": "bare", "uid": "uid-bare"}]
    metadata = {"name": "bare-worker-0", "namespace": "a", "uid": "1", "labels": PS_JOB.pod_labels("bare")}
    batch = {
        "metadata": {**metadata, "ownerReferences": owners},
        "spec": {"template": template("kube_batch", "kube-batch")},
    }
    assert only(gang_jobs(PS_JOB, [live], [batch], [], set())).backend == "kube_batch"
    assert gang_jobs(PS_JOB, [live], [], [], set()) == []
