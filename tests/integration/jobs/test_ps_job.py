# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ps_job with Kubernetes' own controllers and scheduler; KWOK plays how the pods end. No operator has a part in it."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import evicted, exits, only
from tests.integration.support.samples import config_map, namespace_object

JOB: dict[str, Any] = {"name": "j", "image": "i:1", "contract": ["flags", "environment"]}
TWO_WORKERS: dict[str, Any] = {"replicas": {"PS": {}, "Worker": {"replicas": 2}}}
JOBS = "/apis/batch/v1/namespaces/{}/jobs"


@pytest.fixture
def place(cluster: ApiServer, nodes: list[str], request: pytest.FixtureRequest) -> str:
    """Return a namespace of the test's own on the server whose controllers run."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:60].rstrip("-")
    cluster.create(namespace_object(name), "/api/v1/namespaces")
    return name


def jobs(cluster: ApiServer, namespace: str) -> dict[str, dict[str, Any]]:
    """Return the batch Jobs that are not being deleted, by name."""
    items = cluster.client.call("GET", JOBS.format(namespace))["items"]
    return {item["metadata"]["name"]: item for item in items if not item["metadata"].get("deletionTimestamp")}


def left(cluster: ApiServer, namespace: str) -> list[str]:
    """Return the names of all objects of jobs in the namespace."""
    kinds = ("/api/v1/namespaces/{}/pods", "/api/v1/namespaces/{}/services", "/api/v1/namespaces/{}/configmaps", JOBS)
    query = [("labelSelector", "trainyard.mlstack/job-name")]
    found = [cluster.client.call("GET", kind.format(namespace), query)["items"] for kind in kinds]
    return [item["metadata"]["name"] for items in found for item in items]


def test_create_repeat_suspend_resume_and_absent(cluster: ApiServer, run_on_cluster: Run, place: str) -> None:
    run, options = run_on_cluster, {**JOB, **TWO_WORKERS, "namespace": place, "gang": {}}
    with cluster.quiet():
        predicted = run("ps_job", check=True, **options)
    assert (predicted["changed"], len(predicted["diff"])) == (True, 8)
    first = run("ps_job", **options)
    assert first["changed"]
    assert list(jobs(cluster, place)) == ["ps-0-j", "worker-0-j", "worker-1-j"]
    uid = cluster.client.call("GET", f"/api/v1/namespaces/{place}/configmaps/j")["metadata"]["uid"]
    owners = [item["metadata"]["ownerReferences"] for item in jobs(cluster, place).values()]
    assert [[owner["uid"] for owner in each] for each in owners] == [[uid]] * 3
    with cluster.quiet():
        again = run("ps_job", **options)
        assert (again["changed"], again["diff"]) == (False, [])

    assert run("ps_job", state="suspended", **options)["changed"]
    with cluster.quiet():
        suspended = run("ps_job", state="suspended", wait=True, timeout=60, **options)
    assert (suspended["changed"], suspended["end"]) == (False, "suspended")
    assert run("ps_job", **options)["changed"]
    assert {item["spec"]["suspend"] for item in jobs(cluster, place).values()} == {False}

    assert run("ps_job", state="absent", check=True, name="j", namespace=place)["changed"]
    assert run("ps_job", state="absent", name="j", namespace=place)["changed"]
    assert left(cluster, place) == []
    with cluster.quiet():
        gone = run("ps_job", state="absent", name="j", namespace=place)
    assert (gone["changed"], gone["state"]) == (False, "absent")


@pytest.mark.parametrize(
    ("servers", "workers", "more"),
    [pytest.param(1, 2, {"nodes": ["gpu-2"]}, id="1-2"), pytest.param(8, 16, {"gang": {}}, id="8-16")],
)
def test_it_ends_with_its_workers_and_its_servers_are_removed(
    cluster: ApiServer, run_on_cluster: Run, place: str, servers: int, workers: int, more: dict[str, Any]
) -> None:
    options = {**JOB, **more, "namespace": place, "wait": True, "timeout": 120}
    options["replicas"] = {"PS": {"replicas": servers}, "Worker": {"replicas": workers, **exits(0)}}
    done = run_on_cluster("ps_job", **options)
    assert (done["end"], done["ended_by"]) == ("succeeded", f"all {workers} workers ended well")
    assert sorted(jobs(cluster, place)) == sorted(f"worker-{n}-j" for n in range(workers))
    if "nodes" in more:
        assert {replica["node"] for replica in done["replicas"]} == {"gpu-2"}
    with cluster.quiet():
        again = run_on_cluster("ps_job", **options)
    assert (again["changed"], again["end"]) == (False, "succeeded")


def test_worker_zero_may_end_it_and_the_next_run_removes_what_runs_on(
    cluster: ApiServer, run_on_cluster: Run, place: str
) -> None:
    options = {**JOB, "namespace": place, "end": "worker_0"}
    options["replicas"] = {"PS": {}, "Worker": {"replicas": 2, **only(0, exits(0))}}
    run_on_cluster("ps_job", **options)
    until = {**options, "state": "present"}
    state = ""
    for _look in range(120):
        result = run_on_cluster("ps_job", check=True, **until)
        state = result["state"]
        if state == "succeeded":
            break
    assert (state, result["changed"]) == ("succeeded", True)
    assert len(jobs(cluster, place)) == 3
    removed = run_on_cluster("ps_job", **until)
    assert (removed["changed"], list(jobs(cluster, place))) == (True, ["worker-0-j"])
    with cluster.quiet():
        assert not run_on_cluster("ps_job", **until)["changed"]


def test_a_failed_worker_ends_it_with_its_reason(cluster: ApiServer, run_on_cluster: Run, place: str) -> None:
    options = {**JOB, "namespace": place, "wait": True, "timeout": 120}
    options["replicas"] = {"PS": {}, "Worker": {"replicas": 2, **only(1, exits(3))}}
    failed = run_on_cluster("ps_job", **options)
    assert (failed["failed"], failed["end"], failed["reason"]) == (True, "failed", "BackoffLimitExceeded")
    assert f"parameter-server job {place}/j failed" in failed["msg"]
    assert "Worker-1 failed: container main: exit code 3" in failed["msg"]
    assert list(jobs(cluster, place)) == ["worker-1-j"]
    with cluster.quiet():
        again = run_on_cluster("ps_job", **options)
    assert (again["failed"], again["changed"]) == (True, False)
    options["replicas"] = {"PS": {}, "Worker": {"replicas": 2, **exits(0)}}
    renewed = run_on_cluster("ps_job", recreate=True, **options)
    assert (renewed.get("failed"), renewed["changed"], renewed["end"]) == (None, True, "succeeded")


def test_a_worker_that_is_evicted_has_not_failed(cluster: ApiServer, run_on_cluster: Run, place: str) -> None:
    options = {**JOB, "namespace": place, "replicas": {"PS": {}, "Worker": {"replicas": 2, **only(1, evicted())}}}
    run_on_cluster("ps_job", **options)
    path, end, told = f"/api/v1/namespaces/{place}/pods", time.monotonic() + 60, set()

    def workers() -> dict[str, str]:
        """Return the pods of workers that have not failed, each with its number."""
        found = cluster.client.call("GET", path, [("labelSelector", "trainyard.mlstack/replica-type=worker")])["items"]
        labels = {pod["metadata"]["name"]: pod["metadata"]["labels"] for pod in found if not failed(pod)}
        return {name: each["trainyard.mlstack/replica-index"] for name, each in labels.items()}

    def failed(pod: dict[str, Any]) -> bool:
        return bool(pod["status"]["phase"] == "Failed")

    # Its next pod comes ten seconds after the first one has gone.
    while not told or "1" not in workers().values():
        result = run_on_cluster("ps_job", check=True, **options)
        assert result["state"] in ("created", "queued", "running", "restarting"), result
        assert time.monotonic() < end, result
        if result["state"] == "restarting":
            told.add(result["message"])
        time.sleep(0.5)
    what = "Worker-1 is made again, its pod was taken from its node: Evicted: The node was low on resource: memory."
    assert told == {what}
    # The play would go on like this; these pods end well instead.
    for name in workers():
        play = {**exits(0)["pod_annotations"], "test.trainyard.mlstack/index": None}
        cluster.patch(f"{path}/{name}", {"metadata": {"annotations": play}})
    done = run_on_cluster("ps_job", wait=True, timeout=60, **options)
    assert (done["end"], done["ended_by"]) == ("succeeded", "all 2 workers ended well")
    tasks = [(each["type"], each["index"], each["restarts"]) for each in done["replicas"] if each["type"] == "Worker"]
    assert tasks == [("Worker", 0, 0), ("Worker", 1, 1)]


@pytest.mark.long
def test_a_worker_that_is_tried_again_is_one_replica(cluster: ApiServer, run_on_cluster: Run, place: str) -> None:
    options = {**JOB, "namespace": place, "backoff_limit": 1}
    options["replicas"] = {"PS": {}, "Worker": {"replicas": 2, **only(1, exits(3))}}
    run_on_cluster("ps_job", **options)
    end, seen = time.monotonic() + 60, set()
    while (result := run_on_cluster("ps_job", check=True, **options))["state"] != "failed":
        assert time.monotonic() < end, result
        if result["state"] == "restarting":
            seen.add(result["message"].partition(":")[0])
        time.sleep(0.5)
    # Its second pod comes after ten seconds.
    assert "Worker-1 is tried again, 1 of 1" in seen
    tasks = [(each["type"], each["index"], each["restarts"]) for each in result["replicas"]]
    assert tasks == [("PS", 0, 0), ("Worker", 0, 0), ("Worker", 1, 1)]
    assert "Worker-1 failed: container main: exit code 3" in result["message"]


def test_what_a_live_job_does_not_take_is_refused_with_both_values(
    cluster: ApiServer, run_on_cluster: Run, place: str
) -> None:
    options = {**JOB, **TWO_WORKERS, "namespace": place, "nodes": ["gpu-1"]}
    run_on_cluster("ps_job", **options)
    with cluster.quiet():
        free = run_on_cluster("ps_job", **{**options, "nodes": None})
        told = 'ps-0-j: spec.template.spec.nodeSelector = {"kubernetes.io/hostname": "gpu-1"} on the live job, nothing'
        assert told in free["msg"]
        refused = run_on_cluster("ps_job", **{**options, "image": "i:2"})
        for part in (
            "3 problems, nothing was changed",
            'Job worker-1-j: spec.template.spec.containers[0].image = "i:1" on the live job, "i:2" wanted',
            "Set recreate",
        ):
            assert part in refused["msg"]
        grown = run_on_cluster("ps_job", **{**options, "replicas": {"PS": {}, "Worker": {"replicas": 3}}})
        assert "data.worker_hosts" in grown["msg"]
    labelled = run_on_cluster("ps_job", **options, labels={"team": "a"})
    assert labelled["changed"]
    assert {item["metadata"]["labels"]["team"] for item in jobs(cluster, place).values()} == {"a"}
    assert run_on_cluster("ps_job", **{**options, "image": "i:2"}, recreate=True)["changed"]


def test_a_run_that_was_killed_is_completed_by_the_next_one(
    cluster: ApiServer, run_on_cluster: Run, place: str
) -> None:
    options = {**JOB, **TWO_WORKERS, "namespace": place}
    run_on_cluster("ps_job", **options)
    for name in ("worker-1-j", "ps-0-j"):
        body = {"propagationPolicy": "Background"}
        cluster.client.call("DELETE", f"{JOBS.format(place)}/{name}", (), body)
    cluster.client.call("DELETE", f"/api/v1/namespaces/{place}/services/worker-1-j")
    assert run_on_cluster("ps_job", **options)["changed"]
    assert list(jobs(cluster, place)) == ["ps-0-j", "worker-0-j", "worker-1-j"]
    with cluster.quiet():
        assert not run_on_cluster("ps_job", **options)["changed"]
    # One whose root is gone alone goes on being removed.
    cluster.client.call("DELETE", f"/api/v1/namespaces/{place}/configmaps/j", (), {"propagationPolicy": "Orphan"})
    assert not run_on_cluster("ps_job", state="absent", name="j", namespace=place).get("failed")
    assert left(cluster, place) == []


def test_a_config_map_of_somebody_else_is_not_taken(cluster: ApiServer, run_on_cluster: Run, place: str) -> None:
    cluster.create(config_map("j", place, key="value"), f"/api/v1/namespaces/{place}/configmaps")
    with cluster.quiet():
        refused = run_on_cluster("ps_job", **JOB, **TWO_WORKERS, namespace=place)
    assert "a ConfigMap of this name is in the namespace and belongs to no job" in refused["msg"]


def test_check_mode_and_absent_without_a_namespace(run_on_cluster: Run, nodes: list[str]) -> None:
    assert nodes
    options = {**JOB, **TWO_WORKERS, "namespace": "not-there"}
    assert run_on_cluster("ps_job", check=True, **options)["changed"]
    assert run_on_cluster("ps_job", check=True, **options, kubeconfig="/not/there")["changed"]
    gone = run_on_cluster("ps_job", name="j", namespace="not-there", state="absent")
    assert (gone["changed"], gone["state"]) == (False, "absent")
