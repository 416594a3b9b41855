# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting jobs move to kube-batch's objects and back, with the real operator, scheduler and controllers."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any, Callable

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.jobs import SAVED
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import (
    PS_JOB,
    PYTORCHJOB,
    TFJOB,
    JobKind,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.names import GROUP_NAME
from tests.integration.conftest import Run, apply_crds, run_module
from tests.integration.support.api_server import ApiServer
from tests.integration.support.gang_kinds import kube_batch_crds
from tests.integration.support.samples import namespace_object
from tests.support.gang_contest import until
from tests.support.paths import ROOT

NAMESPACE = "moving"
KUBE_BATCH = BACKENDS["kube_batch"]
THREE: dict[str, Any] = {"namespace": NAMESPACE, "image": "t:1", "gpus": 1, "gang": {}}
WORKERS = {"Worker": {"replicas": 3}}
JOBS: dict[str, tuple[str, JobKind, dict[str, Any]]] = {
    "runs": ("tfjob", TFJOB, {"replicas": WORKERS}),
    "waits": ("tfjob", TFJOB, {"replicas": WORKERS, "gang": {"min_available": 2}}),
    "torch": ("pytorchjob", PYTORCHJOB, {"replicas": {"Master": {}, "Worker": {"replicas": 2}}}),
    "bare": ("ps_job", PS_JOB, {"replicas": {"PS": {}, "Worker": {"replicas": 2}}, "command": ["train"]}),
    "asleep": ("tfjob", TFJOB, {"replicas": WORKERS, "suspend": True}),
}
MOVED = ["asleep", "bare", "torch", "waits"]


@pytest.fixture(scope="module", autouse=True)
def place(cluster: ApiServer, nodes: list[str]) -> None:
    """Make the namespace and kube-batch's kinds; no program of that name runs."""
    cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    # Other tests of the session have them, too: they stay.
    apply_crds(cluster, kube_batch_crds())


def submit(run: Run, name: str, backend: str, **options: Any) -> dict[str, Any]:
    """Bring a job to its state, under a scheduler."""
    module, _kind, own = JOBS[name]
    gang = {**own.get("gang", {}), "backend": backend}
    return run(module, name=name, **{**THREE, **own, "gang": gang, **options})


def pods(cluster: ApiServer, name: str) -> list[dict[str, Any]]:
    """Return the pods of a job that are not on their way out."""
    selector = f"{JOBS[name][1].labels.job}={name}"
    found = cluster.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/pods", [("labelSelector", selector)])["items"]
    return [pod for pod in found if not pod["metadata"].get("deletionTimestamp")]


def groups(cluster: ApiServer, backend: str) -> dict[str, Any]:
    """Return the PodGroups of a scheduler, by the job that owns each."""
    path = f"/apis/{BACKENDS[backend].api_version}/namespaces/{NAMESPACE}/podgroups"
    items = cluster.client.call("GET", path)["items"]
    return {item["metadata"]["ownerReferences"][0]["name"]: item for item in items}


def uids(cluster: ApiServer) -> dict[str, str]:
    """Return the identities of the objects that stand for the jobs."""
    found = {}
    for name, (_module, kind, _options) in JOBS.items():
        prefix = "/api/v1" if kind is PS_JOB else "/apis/kubeflow.org/v1"
        root = cluster.client.call("GET", f"{prefix}/namespaces/{NAMESPACE}/{kind.kind.lower()}s/{name}")
        found[name] = root["metadata"]["uid"]
    return found


Migrate = Callable[..., dict[str, Any]]


def as_user(cluster: ApiServer, folder: Path, namespace: str) -> Migrate:
    """Return a function that moves what waits in NAMESPACE, as a user who has the documented rights alone.

    namespace: where the user has them; everywhere when empty.
    """
    documented = yaml.safe_load((ROOT / "docs/rbac/mlstack-gang-migration.yaml").read_text(encoding="utf-8"))
    user = cluster.user(folder, namespace, documented["items"][0]["rules"])
    return partial(run_module, cluster, "gang_migration", namespace=NAMESPACE, kubeconfig=str(user))


@pytest.fixture(scope="module")
def migrate(cluster: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Migrate:
    """Return a function that moves what waits in the namespace."""
    return as_user(cluster, tmp_path_factory.mktemp("user"), "")


def test_there_and_back(cluster: ApiServer, run_on_cluster: Run, migrate: Migrate) -> None:
    assert submit(run_on_cluster, "runs", "native")["changed"]
    until(lambda: len([pod for pod in pods(cluster, "runs") if pod["spec"].get("nodeName")]) == 3, "the first runs")
    for name in MOVED:
        assert submit(run_on_cluster, name, "native")["changed"]
    waiting = ["bare", "torch", "waits"]
    until(lambda: all(len(pods(cluster, name)) == 3 for name in waiting), "all pods are there")
    before = uids(cluster)

    mark = cluster.audit_mark()
    said = migrate(backend="kube_batch", check=True)
    assert (said["changed"], [item["name"] for item in said["left"]]) == (True, ["runs"])
    assert cluster.writes(mark) == []

    moved = migrate(backend="kube_batch")
    assert moved["changed"], moved
    assert [item["why"] for item in moved["left"]] == ["it has begun, and finishes under Kubernetes' own scheduler"]
    assert {item["name"]: item["way"] for item in moved["moved"]} == {
        **dict.fromkeys(["asleep", "torch", "waits"], "changed in place, its pods made again"),
        "bare": "its Jobs made anew",
    }
    assert [item["result"] for item in said["objects"]] == [item["result"] for item in moved["objects"]]
    assert sorted(groups(cluster, "native")) == ["runs"]
    made = groups(cluster, "kube_batch")
    assert {name: group["spec"]["minMember"] for name, group in made.items()} == {
        "asleep": 3,
        "bare": 3,
        "torch": 3,
        "waits": 2,
    }
    until(lambda: all(len(pods(cluster, name)) == 3 for name in waiting), "the pods were made again")
    for name in waiting:
        for pod in pods(cluster, name):
            assert pod["metadata"]["annotations"][GROUP_NAME] == made[name]["metadata"]["name"]
            assert pod["spec"]["schedulerName"] == "kube-batch"
            assert "schedulingGroup" not in pod["spec"]
    assert pods(cluster, "asleep") == []
    assert uids(cluster) == before

    # It is just what the same tasks make there.
    mark = cluster.audit_mark()
    for name in MOVED:
        assert not submit(run_on_cluster, name, "kube_batch")["changed"], name
    again = migrate(backend="kube_batch")
    assert (again["changed"], again["moved"], cluster.writes(mark)) == (False, [], [])
    services = cluster.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/services")
    assert SAVED not in json.dumps(services)

    # Back where a scheduler runs, each starts as soon as there is room.
    assert migrate(backend="native")["changed"]
    assert groups(cluster, "kube_batch") == {}
    for name in waiting:
        assert not submit(run_on_cluster, name, "native")["changed"], name
    gone = "runs"
    while waiting:
        assert submit(run_on_cluster, gone, "native", state="absent")["changed"]
        gone = one_starts(cluster, waiting)
        waiting.remove(gone)
    for name in (gone, "asleep"):
        assert submit(run_on_cluster, name, "native", state="absent")["changed"]


def test_a_team_moves_its_own_jobs(cluster: ApiServer, run_on_cluster: Run, tmp_path: Path) -> None:
    move = as_user(cluster, tmp_path, NAMESPACE)
    assert submit(run_on_cluster, "asleep", "native")["changed"]
    moved = move(backend="kube_batch", queues=False)
    assert [item["name"] for item in moved["moved"]] == ["asleep"], moved
    refused = move(backend="native", namespace="default", queues=False)
    assert (refused["failed"], "cannot list resource" in refused["msg"]) == (True, True)
    assert submit(run_on_cluster, "asleep", "kube_batch", state="absent")["changed"]


def one_starts(cluster: ApiServer, waiting: list[str]) -> str:
    """Return which of some jobs runs whole, as soon as one does."""
    until(lambda: any(started(cluster, name) for name in waiting), "another one starts")
    return next(name for name in waiting if started(cluster, name))


def started(cluster: ApiServer, name: str) -> bool:
    """Tell whether a job runs whole."""
    found = pods(cluster, name)
    return len(found) == 3 and all(pod["spec"].get("nodeName") for pod in found)


def test_a_scheduler_that_the_cluster_does_not_have(without_gangs: ApiServer, run: Run) -> None:
    mark = without_gangs.audit_mark()
    refused = run("gang_migration", backend="native", kubeconfig=str(without_gangs.kubeconfig))
    assert refused["failed"]
    assert "does not serve PodGroup in scheduling.k8s.io/v1beta1" in refused["msg"]
    assert without_gangs.writes(mark) == []


def test_queues(cluster: ApiServer, volcano_cluster: ApiServer, migrate: Migrate) -> None:
    path = f"/apis/{BACKENDS['volcano'].api_version}/queues"
    spec = {"weight": 3, "capability": {"cpu": "4"}, "parent": "root"}
    queue = {
        "apiVersion": BACKENDS["volcano"].api_version,
        "kind": "Queue",
        "metadata": {"name": "moving"},
        "spec": spec,
    }
    cluster.create(queue, path)
    done = migrate(backend="kube_batch")
    assert (done["changed"], done["queues"]) == (True, ["moving"])
    assert done["notes"] == ["queue moving leaves behind what kube-batch does not do: capability, parent"]
    assert done["notes"][0] in str(done["warnings"])
    made = cluster.client.call("GET", f"/apis/{KUBE_BATCH.api_version}/queues/moving")
    assert made["spec"] == {"weight": 3}
    assert not migrate(backend="kube_batch")["changed"]
    assert not migrate(backend="native", queues=False)["changed"]
    for where in (path, f"/apis/{KUBE_BATCH.api_version}/queues"):
        cluster.client.call("DELETE", f"{where}/moving")
