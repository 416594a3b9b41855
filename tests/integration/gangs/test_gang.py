# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs with the real operator, scheduler and controllers: two KWOK nodes with two GPUs each, jobs of three pods."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JobKind
from tests.integration.conftest import Run, operator_manifest
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object
from tests.support.gang_contest import until

NAMESPACE = "gangs"
GROUPS = f"/apis/scheduling.k8s.io/v1beta1/namespaces/{NAMESPACE}/podgroups"
PRIORITY = "/apis/scheduling.k8s.io/v1/priorityclasses"
THREE = {"namespace": NAMESPACE, "image": "t:1", "gpus": 1, "replicas": {"Worker": {"replicas": 3}}, "gang": {}}


@pytest.fixture(scope="module", autouse=True)
def place(cluster: ApiServer, nodes: list[str]) -> None:
    """Make the namespace and a priority class."""
    cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "gang-high"}}
    cluster.create({**high, "value": 1000}, PRIORITY)


@pytest.fixture
def job(run_on_cluster: Run) -> Iterator[Callable[..., dict[str, Any]]]:
    """Return a function that brings a job of three pods to a state; what it made is removed after the test."""
    made: list[str] = []

    def bring(name: str, **options: Any) -> dict[str, Any]:
        made.append(name)
        return run_on_cluster("tfjob", name=name, **{**THREE, **options})

    yield bring
    for name in made:
        run_on_cluster("tfjob", name=name, namespace=NAMESPACE, state="absent")


def placed(cluster: ApiServer, name: str, kind: JobKind = TFJOB) -> int:
    """Return how many of a job's pods have a node."""
    selector = f"{kind.labels.job}={name}"
    pods = cluster.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/pods", [("labelSelector", selector)])
    return len([pod for pod in pods["items"] if pod["spec"].get("nodeName")])


def unschedulable(cluster: ApiServer, name: str) -> bool:
    """Tell whether the scheduler has looked at a gang and found no room."""
    conditions = cluster.client.call("GET", f"{GROUPS}/tfjob-{name}").get("status", {}).get("conditions") or []
    return any(each["status"] == "False" and each["reason"] == "Unschedulable" for each in conditions)


def test_two_gangs_that_do_not_fit_together(cluster: ApiServer, job: Callable[..., dict[str, Any]]) -> None:
    first = job("first")
    assert (first["changed"], first["manifests"][1]["kind"]) == (True, "PodGroup")
    until(lambda: placed(cluster, "first") == 3, "the first gang runs")
    root = cluster.client.call("GET", f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/tfjobs/first")
    group = cluster.client.call("GET", f"{GROUPS}/tfjob-first")
    assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 3}}
    assert group["spec"]["disruptionMode"] == {"all": {}}
    owner = group["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["uid"]) == ("TFJob", root["metadata"]["uid"])
    pod = cluster.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/pods/first-worker-2")
    assert pod["spec"]["schedulingGroup"] == {"podGroupName": "tfjob-first"}

    mark = cluster.audit_mark()
    again = job("first")
    assert (again["changed"], cluster.writes(mark)) == (False, [])

    job("second")
    until(lambda: unschedulable(cluster, "second"), "the scheduler says that the second gang finds no room")
    # One GPU is free all the time.
    assert placed(cluster, "second") == 0
    assert job("first", state="absent")["changed"]
    with pytest.raises(Exception, match="not found"):
        cluster.client.call("GET", f"{GROUPS}/tfjob-first")
    until(lambda: placed(cluster, "second") == 3, "the second gang runs, whole")


def groups_everywhere(cluster: ApiServer) -> set[tuple[str, str]]:
    """Return the API group and the name of all PodGroups, of whatever scheduler, that the server knows."""
    found = set()
    groups = cluster.client.call("GET", "/apis")["groups"]
    for name, version in ((group["name"], each["groupVersion"]) for group in groups for each in group["versions"]):
        kinds = {each["name"]: each["kind"] for each in cluster.client.call("GET", f"/apis/{version}")["resources"]}
        if kinds.get("podgroups") == "PodGroup":
            items = cluster.client.call("GET", f"/apis/{version}/podgroups")["items"]
            found |= {(name, item["metadata"]["name"]) for item in items}
    return found


def test_one_job_has_one_group_in_the_group_that_the_scheduler_reads(
    cluster: ApiServer, job: Callable[..., dict[str, Any]]
) -> None:
    """The operator's own gang flag stays off: a second PodGroup, of another group, would be nobody's."""
    before = groups_everywhere(cluster)
    job("only")
    until(lambda: placed(cluster, "only") == 3, "the gang runs")
    assert groups_everywhere(cluster) - before == {("scheduling.k8s.io", "tfjob-only")}


def test_a_minimum_below_all_pods(cluster: ApiServer, job: Callable[..., dict[str, Any]]) -> None:
    five = {"Worker": {"replicas": 5}}
    assert job("some", replicas=five, gang={"min_available": 4})["changed"]
    until(lambda: placed(cluster, "some") == 4, "all GPUs are taken by one gang")
    # The minimum can be changed on a live job, by the PodGroup alone.
    changed = job("some", replicas=five, gang={"min_available": 2})
    assert (changed["changed"], [entry["after"] is None for entry in changed["diff"]]) == (True, [False])
    assert cluster.client.call("GET", f"{GROUPS}/tfjob-some")["spec"]["schedulingPolicy"]["gang"]["minCount"] == 2
    refused = job("some", replicas=five, gang=None)
    assert refused["failed"]
    assert "schedulingGroup" in refused["msg"]


def test_what_is_left_of_a_gang(cluster: ApiServer, run_on_cluster: Run, job: Callable[..., dict[str, Any]]) -> None:
    """The scheduler forgets pods that have ended, so one that is restarted after that is one too few for a gang."""
    options = {"restart_policy": "ExitCode", "success_policy": "AllWorkers"}
    job("left", **options)
    until(lambda: placed(cluster, "left") == 3, "the gang runs")

    def end(index: int, code: int) -> None:
        path = f"/api/v1/namespaces/{NAMESPACE}/pods/left-worker-{index}"
        cluster.patch(path, {"metadata": {"annotations": exits(code, "0s")["pod_annotations"]}})

    def states() -> dict[str, str]:
        found = run_on_cluster("job_info", namespace=NAMESPACE, name="left")["jobs"][0]["replicas"]
        return {f"{replica['type']}-{replica['index']}": replica["state"] for replica in found}

    end(0, 0)
    until(lambda: states().get("Worker-0") == "succeeded", "one worker has ended well")
    end(1, 137)
    until(lambda: states().get("Worker-1") == "pending", "another one is restarted")
    why = run_on_cluster("job_info", namespace=NAMESPACE, name="left", why=True)["jobs"][0]["why"]
    assert why["sentence"].startswith("Worker-1 will not be placed: the scheduler wants 3 pods of the gang"), why
    time.sleep(3)
    assert placed(cluster, "left") == 2
    # What `why` says is to be done.
    assert job("left", **options, gang={"min_available": 2})["changed"]
    until(lambda: placed(cluster, "left") == 3, "the restarted worker runs")


def test_a_gang_of_higher_priority_takes_the_room(cluster: ApiServer, job: Callable[..., dict[str, Any]]) -> None:
    job("low")
    until(lambda: placed(cluster, "low") == 3, "the first gang runs")
    job("high", priority_class="gang-high")
    assert cluster.client.call("GET", f"{GROUPS}/tfjob-high")["spec"]["priority"] == 1000
    until(lambda: placed(cluster, "high") == 3, "the gang of higher priority runs")
    # It is evicted whole: what was left of it would hold a GPU and not train.
    until(lambda: placed(cluster, "low") == 0, "the gang of lower priority holds nothing")


def test_a_job_without_operator(cluster: ApiServer, run_on_cluster: Run) -> None:
    options = {**THREE, "command": ["train"], "replicas": {"PS": {}, "Worker": {"replicas": 2}}}
    made = run_on_cluster("ps_job", name="bare", **options)
    assert made["changed"], made
    owner = cluster.client.call("GET", f"{GROUPS}/ps-job-bare")["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"]) == ("ConfigMap", "bare")
    until(lambda: placed(cluster, "bare", PS_JOB) == 3, "all pods run")
    assert run_on_cluster("ps_job", name="bare", namespace=NAMESPACE, state="absent")["changed"]
    assert cluster.client.call("GET", GROUPS)["items"] == []


def test_bounds_and_foreign_schedulers_are_refused_before_any_request(api: ApiServer, run: Run) -> None:
    mark = api.audit_mark()
    more = {
        "gang": {"min_available": 4, "queue": "a", "timeout": 5},
        "template": {"spec": {"schedulerName": "volcano"}},
    }
    refused = run("tfjob", name="refused", **{**THREE, **more})
    assert refused["failed"]
    assert "4 problems, nothing was changed" in refused["msg"]
    assert "gang.min_available = 4: must be between 1 and 3" in refused["msg"]
    assert api.audit_mark() == mark


def test_a_cluster_without_gangs(without_gangs: ApiServer, run: Run) -> None:
    mark = without_gangs.audit_mark()
    options = {**THREE, "namespace": "default", "kubeconfig": str(without_gangs.kubeconfig), "command": ["train"]}
    refused = run("ps_job", name="a", **options)
    assert refused["failed"]
    for part in ("gang.backend = native", "does not serve PodGroup in scheduling.k8s.io/v1beta1", "GenericWorkload"):
        assert part in refused["msg"]
    assert without_gangs.writes(mark) == []
    assert without_gangs.audit_mark() > mark


def test_an_operator_that_drops_the_mark(without_gangs: ApiServer, run: Run) -> None:
    """Its CRDs up to release 1.9.3 do not know schedulingGroup; in check mode that is all that stands in the way."""
    crd = next(item for item in operator_manifest() if item["metadata"]["name"] == "tfjobs.kubeflow.org")
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    template = schema["tfReplicaSpecs"]["additionalProperties"]["properties"]["template"]
    del template["properties"]["spec"]["properties"]["schedulingGroup"]
    options = {"kubeconfig": str(without_gangs.kubeconfig)}
    assert run("objects", objects=[crd], **options)["changed"]
    refused = run("tfjob", name="a", check=True, **options, **{**THREE, "namespace": "default"})
    assert refused["failed"]
    for part in ("schedulingGroup: field not declared in schema", "up to 1.9.3", "or leave gang out"):
        assert part in refused["msg"]
