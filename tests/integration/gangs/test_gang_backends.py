# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs of schedulers that do not run here, with the real operator: what is written, what pods say, what is refused."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from tests.integration.conftest import Run, apply_crds
from tests.integration.support.api_server import ApiServer
from tests.integration.support.gang_kinds import KUBE_BATCH, VOLCANO, foreign_gang_crds, open_queue, volcano_queue
from tests.integration.support.samples import namespace_object

NAMESPACE = "gang-backends"
QUEUE = "gang-team"
# Each in a queue where it has some: what its PodGroup says, and what its pods do.
ROWS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "volcano": (
        {"queue": QUEUE},
        {"minMember": 3, "queue": QUEUE, "minResources": {"cpu": "1.5", "nvidia.com/gpu": "3"}},
        "volcano",
    ),
    "kube_batch": ({"queue": QUEUE}, {"minMember": 3, "queue": QUEUE}, "kube-batch"),
    "scheduler_plugins": (
        {"timeout": 60, "scheduler": "coscheduling"},
        {"minMember": 3, "scheduleTimeoutSeconds": 60, "minResources": {"cpu": "1.5", "nvidia.com/gpu": "3"}},
        "coscheduling",
    ),
}
WORKER = {"replicas": 3, "gpus": 1, "resources": {"requests": {"cpu": "500m"}}}
COMMON = {"namespace": NAMESPACE, "image": "t:1", "command": ["train"]}


@pytest.fixture(scope="module")
def every(volcano_cluster: ApiServer, training_operator: None) -> ApiServer:
    """Serve all kinds of gang, with one queue in each that has queues."""
    apply_crds(volcano_cluster, foreign_gang_crds())
    volcano_cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    volcano_queue(volcano_cluster, QUEUE, weight=1)
    volcano_queue(volcano_cluster, "gang-shut", "Closed", weight=1)
    queue = {"apiVersion": KUBE_BATCH.partition("/apis/")[2], "kind": "Queue", "metadata": {"name": QUEUE}}
    volcano_cluster.create({**queue, "spec": {"weight": 1}}, f"{KUBE_BATCH}/queues")
    return volcano_cluster


def groups(server: ApiServer) -> list[dict[str, Any]]:
    """Return the PodGroups of every backend in the namespace."""
    versions = [backend.api_version for backend in BACKENDS.values()]
    paths = [f"/apis/{version}/namespaces/{NAMESPACE}/podgroups" for version in versions]
    return [
        {**item, "apiVersion": version}
        for version, path in zip(versions, paths)
        for item in server.client.call("GET", path)["items"]
    ]


def pods_of(server: ApiServer, label: str, count: int) -> list[dict[str, Any]]:
    """Return the pods of a job as soon as it has this many."""
    end = time.monotonic() + 60
    while True:
        found = server.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/pods", [("labelSelector", label)])["items"]
        if len(found) == count:
            return list(found)
        assert time.monotonic() < end, f"{len(found)} of {count} pods"
        time.sleep(0.2)


@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
@pytest.mark.parametrize("backend", ROWS)
def test_one_job_one_group(every: ApiServer, run_on_cluster: Run, backend: str, kind: str) -> None:
    options, spec, scheduler = ROWS[backend]
    name = f"{backend}-{kind}".replace("_", "-")
    replicas = {"Worker": WORKER}
    gang = {"backend": backend, **options}
    job = {**COMMON, "name": name, "replicas": replicas, "gang": gang}
    made = run_on_cluster(kind, **job)
    assert made["changed"], made
    label = "training.kubeflow.org/job-name" if kind == "tfjob" else "trainyard.mlstack/job-name"
    pods = pods_of(every, f"{label}={name}", 3)
    # The operator's own flag is off: nobody else makes a group.
    (group,) = groups(every)
    title = f"{kind.replace('_', '-')}-{name}"
    assert (group["apiVersion"], group["metadata"]["name"]) == (BACKENDS[backend].api_version, title)
    assert group["spec"] == spec
    assert group["metadata"]["ownerReferences"][0]["name"] == name
    for pod in pods:
        metadata = pod["metadata"]
        marks = (
            metadata.get("annotations", {}).get("scheduling.k8s.io/group-name"),
            metadata["labels"].get("scheduling.x-k8s.io/pod-group"),
        )
        assert marks == ((None, title) if backend == "scheduler_plugins" else (title, None))
        assert pod["spec"]["schedulerName"] == scheduler
        assert "schedulingGroup" not in pod["spec"]
    with every.quiet():
        assert not run_on_cluster(kind, **job)["changed"]
    fewer = run_on_cluster(kind, **{**job, "gang": {**gang, "min_available": 2}})
    assert (fewer["changed"], groups(every)[0]["spec"]["minMember"]) == (True, 2), fewer
    if "queue" in options:
        with every.quiet():
            moved = run_on_cluster(kind, **{**job, "gang": {"backend": backend}})
        assert f'PodGroup {title}: spec.queue = "{QUEUE}" on the live job, ' in moved["msg"]
        assert "cannot be changed on a live job" in moved["msg"]
        with every.quiet():
            lost = {"backend": backend, "queue": "nobody"}
            refused = run_on_cluster(kind, recreate=True, **{**job, "gang": lost})
        assert "gang.queue = nobody: there is no such queue" in refused["msg"]
    with every.quiet():
        other = run_on_cluster(kind, **{**job, "gang": {}})
    assert "cannot be changed on a live job" in other["msg"]
    assert run_on_cluster(kind, name=name, namespace=NAMESPACE, state="absent")["changed"]
    assert groups(every) == []


def test_queues_that_take_nothing(every: ApiServer, run_on_cluster: Run) -> None:
    jobs = [
        {"kind": "tfjob", "name": "a", "gang": {"backend": "volcano", "queue": "nobody"}},
        {"kind": "tfjob", "name": "b", "gang": {"backend": "volcano", "queue": "gang-shut"}},
        {"kind": "ps_job", "name": "c", "gang": {"backend": "kube_batch", "queue": "gang-shut"}},
    ]
    defaults = {**COMMON, "replicas": {"Worker": WORKER}}
    with every.quiet():
        refused = run_on_cluster("jobs", jobs=jobs, defaults=defaults)
    assert "3 problems, nothing was changed" in refused["msg"]
    # Other tests may have left queues of their own.
    for part in (
        r"gang\.queue = nobody: there is no such queue; there are: .*gang-shut",
        r"gang\.queue = gang-shut: the queue is Closed and takes no new jobs",
        rf"gang\.queue = gang-shut: there is no such queue; there are: .*{QUEUE}",
    ):
        assert re.search(part, refused["msg"]), refused["msg"]
    # An earlier task may be what makes the queue.
    assert run_on_cluster("jobs", check=True, jobs=jobs, defaults=defaults)["changed"]


def test_a_backend_that_is_not_there(without_gangs: ApiServer, every: ApiServer, run_on_cluster: Run) -> None:
    job = {**COMMON, "replicas": {"Worker": WORKER}, "name": "a", "namespace": "default"}
    with without_gangs.quiet():
        refused = run_on_cluster(
            "ps_job", **job, kubeconfig=str(without_gangs.kubeconfig), gang={"backend": "kube_batch"}
        )
    for part in ("gang.backend = kube_batch", "Leave gang out; or on Kubernetes up to 1.24", "gang_scheduler"):
        assert part in refused["msg"]


def test_why_a_gang_waits_in_its_queue(every: ApiServer, run_on_cluster: Run) -> None:
    """A queue that takes a job may be closed, too small or gone a moment later."""
    volcano_queue(every, "gang-later", weight=1)
    job = {**COMMON, "name": "waits", "replicas": {"Worker": WORKER}}
    made = run_on_cluster("ps_job", **job, gang={"backend": "volcano", "queue": "gang-later"})
    assert made["changed"], made
    pods_of(every, "trainyard.mlstack/job-name=waits", 3)

    def why() -> str:
        answer = run_on_cluster("job_info", kinds=["ps_job"], name="waits", namespace=NAMESPACE)
        return str(answer["jobs"][0]["why"]["sentence"])

    open_queue(every, "gang-later", "Closing")
    assert why() == "Queue gang-later, in which the gang waits, is Closing: Volcano starts nothing in it"
    open_queue(every, "gang-later")
    every.patch(f"{VOLCANO}/queues/gang-later", {"spec": {"capability": {"nvidia.com/gpu": "2"}}})
    assert why().startswith(
        "The gang can never start in queue gang-later: its 3 pods ask for at least 3 nvidia.com/gpu"
    )
    every.client.call("DELETE", f"{VOLCANO}/queues/gang-later")
    assert why() == "Queue gang-later, in which the gang waits, does not exist, so Volcano leaves the gang alone"
    assert run_on_cluster("ps_job", name="waits", namespace=NAMESPACE, state="absent")["changed"]
