# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.name_clash import (
    check_list,
    check_live,
    check_root,
    offspring,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest, Ref
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store as RealStore


def operated(kind: str = "tfjob", name: str = "bert", namespace: str = "team-a", workers: int = 1) -> Job:
    """Return a job of the training operator, with a PodGroup."""
    of = {"tfjob": TFJOB, "pytorchjob": PYTORCHJOB}[kind]
    group = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": f"{kind}-{name}"}}
    root = {"spec": {of.replica_specs: {"Worker": {"replicas": workers}}}}
    return Job(of, name, namespace, root, [group])


def by_itself(name: str = "bert", namespace: str = "team-a", workers: int = 1) -> Job:
    """Return a job without an operator."""
    names = ["ps-0", *(f"worker-{number}" for number in range(workers))]
    kinds = (("v1", "Service"), ("batch/v1", "Job"))
    parts = [
        {"apiVersion": version, "kind": kind, "metadata": {"name": f"{each}-{name}", "namespace": namespace}}
        for each in names
        for version, kind in kinds
    ]
    return Job(PS_JOB, name, namespace, {"apiVersion": "v1", "kind": "ConfigMap"}, parts)


def owned_by(kind: str, name: str) -> dict[str, Any]:
    return {"ownerReferences": [{"kind": kind, "name": name}]}


@dataclass
class Store(RealStore):
    """A cluster that holds some objects, and says what it was asked for."""

    objects: dict[Ref, Manifest] = field(default_factory=dict)
    reads: list[Ref] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)

    def add(self, api_version: str, kind: str, name: str, namespace: str = "team-a", **metadata: Any) -> Store:
        ref = Ref(api_version, kind, name, namespace)
        self.objects[ref] = {"metadata": {"name": name, **metadata}, "data": {"a": "b"}}
        return self

    def read(self, ref: Ref) -> Manifest | None:
        self.reads.append(ref)
        return self.objects.get(ref)

    def list(
        self,
        api_version: str,
        kind: str,
        namespace: str = "",
        selector: str = "",
        fields: str = "",
        shape: Any = None,
    ) -> list[Manifest]:
        self.lists.append(kind)
        return [
            shape(item)
            for ref, item in self.objects.items()
            if (ref.api_version, ref.kind, ref.namespace) == (api_version, kind, namespace)
            and (not selector or selector in item["metadata"].get("labels", {}))
        ]


def live(store: Store, *jobs: Job) -> list[str]:
    return [problem.line() for problem in check_live(store, jobs, {})]


def test_nothing_in_the_way() -> None:
    assert live(Store(), operated(), operated("pytorchjob", "other"), by_itself("third")) == []


@pytest.mark.parametrize(
    ("job", "api_version", "kind", "title"),
    [
        (operated("tfjob"), "kubeflow.org/v1", "PyTorchJob", "PyTorchJob"),
        (operated("pytorchjob"), "kubeflow.org/v1", "TFJob", "TFJob"),
        (by_itself(), "kubeflow.org/v1", "TFJob", "TFJob"),
        (operated("tfjob"), "kubeflow.org/v1", "MPIJob", "MPIJob"),
        (operated("tfjob"), "batch.volcano.sh/v1alpha1", "Job", "Volcano Job"),
    ],
)
def test_a_job_of_another_kind_has_the_name(job: Job, api_version: str, kind: str, title: str) -> None:
    """FC-26: in the same namespace it is refused, in another one it is fine."""
    found = live(Store().add(api_version, kind, "bert"), job)
    assert len(found) == 1
    assert found[0].startswith(f"name = {job.kind.title} team-a/bert: a {title} of this name is in the namespace")
    assert "Rename the job, put it into another namespace" in found[0]
    assert live(Store().add(api_version, kind, "bert", "team-b"), job) == []
    assert live(Store().add(api_version, kind, "other"), job) == []


def test_a_job_without_operator_has_the_name() -> None:
    label = {PS_JOB.labels.job: "bert"}
    found = live(Store().add("v1", "ConfigMap", "bert", labels=label), operated())
    assert "a parameter-server job of this name" in found[0]
    # A ConfigMap of this name is nothing that a TFJob would meet.
    assert live(Store().add("v1", "ConfigMap", "bert"), operated()) == []
    assert live(Store().add("v1", "ConfigMap", "bert", labels={PS_JOB.labels.job: "x"}), operated()) == []


def test_somebodys_objects_have_the_names() -> None:
    store = (
        Store()
        .add("v1", "Service", "bert-worker-0")
        .add("v1", "Service", "worker-0-bert", **owned_by("TFJob", "worker-0-bert"))
    )
    store.add("scheduling.k8s.io/v1beta1", "PodGroup", "tfjob-bert", **owned_by("Job", "mine"))
    found = live(store, operated())
    there = "is there already and belongs to"
    assert [line.split(": ")[1] for line in found] == [
        f"its PodGroup tfjob-bert {there} Job mine. Rename the job, or remove PodGroup team-a/tfjob-bert",
        f"its Service bert-worker-0 {there} nobody's job. Rename the job, or remove Service team-a/bert-worker-0",
    ]
    found = live(store, by_itself())
    assert len(found) == 1
    assert "its Service worker-0-bert is there already and belongs to TFJob worker-0-bert" in found[0]


def test_what_a_job_of_the_same_kind_and_name_left_is_no_ones_else() -> None:
    store = Store().add("v1", "Service", "bert-worker-0", **owned_by("TFJob", "bert"))
    assert live(store, operated()) == []
    assert len(live(store, operated("pytorchjob"))) == 1


def test_many_jobs_are_read_by_lists() -> None:
    store = Store().add("kubeflow.org/v1", "PyTorchJob", "j7").add("v1", "Service", "j8-worker-2")
    store.add("v1", "ConfigMap", "j9", labels={PS_JOB.labels.job: "j9"}).add("v1", "ConfigMap", "j10")
    found = live(store, *(operated(name=f"j{number}", workers=4) for number in range(100)))
    assert [line.split(":")[0] for line in found] == [f"name = TFJob team-a/j{number}" for number in (7, 8, 9)]
    assert store.reads == []
    assert sorted(store.lists) == sorted({*store.lists})


def test_one_job_lists_nothing() -> None:
    store = Store()
    live(store, operated())
    assert store.lists == []
    assert all(ref.name in ("bert", "tfjob-bert", "bert-worker-0") for ref in store.reads)


@pytest.mark.parametrize("jobs", [1, 10])
def test_what_may_not_be_read_is_in_nobodys_way(jobs: int) -> None:
    class Closed(Store):
        def read(self, ref: Ref) -> Manifest | None:
            raise ApiError(403, "Forbidden", f"{ref}")

        def list(self, api_version: str, kind: str, *_how: Any, **_more: Any) -> list[Manifest]:
            raise ApiError(403, "Forbidden", kind)

    assert live(Closed(), *(operated(name=f"j{number}") for number in range(jobs))) == []


def test_derived_names_in_one_list() -> None:
    """A Service of both would be ps-0-worker-3."""
    one, other = operated(name="ps-0", workers=4), by_itself("worker-3")
    found = [problem.line() for problem in check_list([one, other])]
    assert found == [
        "name = parameter-server job team-a/worker-3: its Service team-a/ps-0-worker-3 would be that of "
        "TFJob team-a/ps-0, too. Rename one of the two"
    ]
    assert check_list([one, replace(other, namespace="team-b", parts=by_itself("worker-3", "team-b").parts)]) == []
    assert check_list([operated(name="a"), operated(name="b"), by_itself("c"), by_itself("d")]) == []


def test_two_kinds_share_every_service() -> None:
    one, other = operated(workers=3), operated("pytorchjob", workers=3)
    assert len(check_list([one, other])) == 1
    assert {ref.name for ref in offspring(one)} & {ref.name for ref in offspring(other)}


def test_a_config_map_that_is_no_job() -> None:
    mine = {"metadata": {"name": "bert", "labels": {PS_JOB.labels.job: "bert"}}}
    assert check_root(by_itself(), None) == []
    assert check_root(by_itself(), mine) == []
    assert check_root(operated(), {"metadata": {"name": "bert"}}) == []
    found = check_root(by_itself(), {"metadata": {"name": "bert"}})
    assert len(found) == 1
    assert "would be overwritten" in found[0].line()


def test_every_pair_of_our_kinds_is_refused() -> None:
    for kind in (TFJOB, PYTORCHJOB):
        for other in (TFJOB, PYTORCHJOB):
            found = live(Store().add(other.api_version, other.kind, "bert"), operated(kind.name))
            assert len(found) == (0 if kind is other else 1)
