# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""volcano_job against a real API server with Volcano's own CRDs; the tests play its admission and its controllers."""

from __future__ import annotations

import copy
from typing import Any, Iterator

import pytest

from tests.integration.conftest import Run, run_module
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import container_status, later, namespace_object

Manifest = dict[str, Any]
JOB: Manifest = {
    "name": "mnist",
    "image": "mnist:1",
    "command": ["python", "/mnist.py"],
    "tf_config": {},
    "policies": [{"event": "PodEvicted", "action": "RestartJob"}, {"event": "PodFailed", "action": "RestartJob"}],
    "ports": [{"name": "cluster", "containerPort": 2222}],
}
COMPLETES = [{"event": "TaskCompleted", "action": "CompleteJob"}]


def options(namespace: str, workers: int = 2, **more: Any) -> Manifest:
    """Return the guides' job: a parameter server and workers, whose end is the job's."""
    tasks = [{"name": "ps"}, {"name": "worker", "replicas": workers, "policies": COMPLETES}]
    return {"namespace": namespace, **JOB, "tasks": tasks, **more}


@pytest.fixture
def path(volcano_api: ApiServer, namespace: str) -> str:
    """Return where the job of the test lies."""
    return f"/apis/batch.volcano.sh/v1alpha1/namespaces/{namespace}/jobs/mnist"


def admit(api: ApiServer, path: str) -> Manifest:
    """Write into a job what Volcano's admission fills in, and what a site's own may; return the job."""
    live = api.client.call("GET", path)
    tasks = copy.deepcopy(live["spec"]["tasks"])
    for task in tasks:
        task.setdefault("maxRetry", 3)
        task.setdefault("minAvailable", task["replicas"])
        task["template"]["spec"].setdefault("dnsPolicy", "ClusterFirst")
        task["template"]["spec"].setdefault("tolerations", [{"key": "site", "operator": "Exists"}])
    api.patch(path, {"spec": {"tasks": tasks}})
    return api.client.call("GET", path)


def pod_of(job: Manifest, task: str, index: int) -> Manifest:
    """Return a pod as Volcano makes it."""
    metadata = job["metadata"]
    labels = {
        "volcano.sh/job-name": metadata["name"],
        "volcano.sh/task-spec": task,
        "volcano.sh/task-index": str(index),
    }
    owner = {"apiVersion": job["apiVersion"], "kind": "Job", "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{metadata['name']}-{task}-{index}",
            "namespace": metadata["namespace"],
            "labels": labels,
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": {"nodeName": f"node-{index}", "containers": [{"name": "main", "image": "mnist:1"}]},
    }


def start(api: ApiServer, path: str) -> None:
    """Play Volcano's controllers and a kubelet: make the pods, let them run."""
    job = api.client.call("GET", path)
    namespace = job["metadata"]["namespace"]
    for task in job["spec"]["tasks"]:
        for index in range(task["replicas"]):
            pod = pod_of(job, task["name"], index)
            api.create(pod, f"/api/v1/namespaces/{namespace}/pods")
            end(api, namespace, pod["metadata"]["name"], running={"startedAt": "2026-11-28T00:00:00Z"})
    phase(api, path, "Running")


def end(api: ApiServer, namespace: str, pod: str, **state: Any) -> None:
    status = container_status(**state)
    status["containerStatuses"][0]["name"] = "main"
    api.patch_status(f"/api/v1/namespaces/{namespace}/pods/{pod}", status)


def phase(api: ApiServer, path: str, name: str, **status: Any) -> None:
    """Write a phase as Volcano's controller does."""
    state = {"phase": name, "lastTransitionTime": "2026-11-28T00:01:00Z", **status.pop("state", {})}
    conditions = [{"status": "Running", "lastTransitionTime": "2026-11-28T00:00:18Z"}]
    api.patch_status(path, {"state": state, "conditions": conditions, **status})


def test_create_repeat_after_admission_scale_and_absent(api: ApiServer, run: Run, namespace: str, path: str) -> None:
    with api.quiet():
        predicted = run("volcano_job", check=True, **options(namespace))
    assert (predicted["changed"], predicted["state"]) == (True, "absent")
    first = run("volcano_job", **options(namespace))
    assert (first["changed"], first["state"]) == (True, "created"), first
    assert [entry["before_header"] for entry in first["diff"]] == [e["before_header"] for e in predicted["diff"]]
    with api.quiet():
        assert not run("volcano_job", **options(namespace))["changed"]

    before = admit(api, path)
    with api.quiet():
        again = run("volcano_job", **options(namespace))
    assert (again["changed"], again["diff"]) == (False, [])

    with api.quiet():
        assert run("volcano_job", check=True, **options(namespace, workers=4))["changed"]
    more = run("volcano_job", **options(namespace, workers=4))
    assert more["changed"], more
    live = api.client.call("GET", path)
    expected = copy.deepcopy(before["spec"])
    expected["tasks"][1]["replicas"], expected["minAvailable"] = 4, 5
    assert live["spec"] == expected
    with api.quiet():
        assert not run("volcano_job", **options(namespace, workers=4))["changed"]
    # Fewer: what was filled in for more of them may not stay above.
    assert run("volcano_job", **options(namespace, workers=1))["changed"]
    worker = api.client.call("GET", path)["spec"]["tasks"][1]
    assert (worker["replicas"], worker["minAvailable"], worker["maxRetry"]) == (1, 1, 3)
    labelled = run("volcano_job", **options(namespace, workers=1, labels={"team": "a"}))
    assert labelled["changed"]
    assert api.client.call("GET", path)["spec"]["tasks"][1] == worker

    assert run("volcano_job", state="absent", check=True, **options(namespace))["changed"]
    assert run("volcano_job", state="absent", **options(namespace))["changed"]
    with api.quiet():
        gone = run("volcano_job", state="absent", **options(namespace))
    assert (gone["changed"], gone["state"]) == (False, "absent")


QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"


@pytest.fixture
def queues(volcano_api: ApiServer) -> Iterator[None]:
    """Make a queue that is open and one that is not, for one test."""
    states = {"team-open": "Open", "team-shut": "Closed"}
    for name, state in states.items():
        queue = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}}
        volcano_api.create({**queue, "spec": {"weight": 1}}, QUEUES)
        volcano_api.patch_status(f"{QUEUES}/{name}", {"state": state})
    yield
    for name in states:
        volcano_api.client.call("DELETE", f"{QUEUES}/{name}", ())


def test_any_other_change_is_refused_before_a_request(
    api: ApiServer, run: Run, namespace: str, path: str, queues: None
) -> None:
    run("volcano_job", **options(namespace))
    uid = admit(api, path)["metadata"]["uid"]
    other = options(namespace, workers=3, image="mnist:2", queue="team-open", max_retry=5)
    mark = api.audit_mark()
    for check in (True, False):
        refused = run("volcano_job", check=check, **other)
        for part in (
            "4 problems, nothing was changed",
            'spec.queue = "default" on the live job, "team-open" wanted',
            "spec.maxRetry = 3 on the live job, 5 wanted",
            'worker.template.spec.containers[0].image = "mnist:1" on the live job, "mnist:2" wanted',
            "Set recreate",
        ):
            assert part in refused["msg"], refused["msg"]
    # Not even a dry run: Volcano's webhook would refuse it in its own words.
    assert api.writes(mark, dry_runs=True) == []
    assert run("volcano_job", check=True, recreate=True, **other)["changed"]
    assert run("volcano_job", recreate=True, **other)["changed"]
    made = api.client.call("GET", path)
    assert (made["metadata"]["uid"] != uid, made["spec"]["queue"]) == (True, "team-open")
    assert not run("volcano_job", recreate=True, **other)["changed"]


@pytest.mark.parametrize(
    ("name", "status", "state", "message"),
    [
        ("Completed", {"succeeded": 3}, "succeeded", "all 2 pods of its task worker ended well"),
        # FC-02: ends that are no success are not waited through.
        ("Failed", {"retryCount": 3}, "failed", "restarted 3 times"),
        ("Aborted", {"state": {"message": "aborted by hand"}}, "failed", "aborted by hand"),
        ("Terminated", {}, "failed", "it was terminated"),
    ],
)
def test_a_wait_ends_with_any_end(
    api: ApiServer, run: Run, namespace: str, path: str, name: str, status: Manifest, state: str, message: str
) -> None:
    run("volcano_job", **options(namespace))
    start(api, path)
    running = run("volcano_job", **options(namespace))
    assert (running["state"], [each["state"] for each in running["replicas"]]) == ("running", ["running"] * 3)

    def over() -> None:
        code = 0 if state == "succeeded" else 3
        for index in (0, 1):
            end(api, namespace, f"mnist-worker-{index}", terminated={"exitCode": code})
        phase(api, path, name, **status)

    with later(1.5, over):
        waited = run("volcano_job", **options(namespace), wait=True, timeout=60)
    assert (waited["end"], waited["reason"], waited["duration_s"]) == (state, name, 42.0)
    assert message in waited["message"]
    assert bool(waited.get("failed")) == (state == "failed")
    if state == "failed":
        assert f"Volcano Job {namespace}/mnist failed after 42 s: {name}" in waited["msg"]
        assert "worker-0" in waited["why"]["sentence"]
    else:
        assert waited["ended_by"] == waited["message"]


def test_an_eviction_restarts_the_job_and_its_pods_are_other_ones(
    api: ApiServer, run: Run, namespace: str, path: str
) -> None:
    run("volcano_job", **options(namespace))
    start(api, path)

    def evict_and_end() -> None:
        pods = f"/api/v1/namespaces/{namespace}/pods"
        for name in ("mnist-ps-0", "mnist-worker-0", "mnist-worker-1"):
            api.client.call("DELETE", f"{pods}/{name}", (), {"gracePeriodSeconds": 0})
        phase(api, path, "Restarting", retryCount=1)
        seen = run("volcano_job", **options(namespace))
        assert (seen["state"], "for the first time" in seen["message"]) == ("restarting", True)
        start(api, path)
        for index in (0, 1):
            end(api, namespace, f"mnist-worker-{index}", terminated={"exitCode": 0})
        phase(api, path, "Completed", succeeded=2, retryCount=1)

    evict_and_end()
    waited = run("volcano_job", **options(namespace), wait=True, timeout=60)
    assert (waited["end"], waited["changed"]) == ("succeeded", False)


def test_names_that_others_have(api: ApiServer, run: Run, namespace: str, path: str, kubeflow: None) -> None:
    """FC-26."""
    worker = {"image": "t:1", "replicas": {"Worker": {}}}
    run("volcano_job", **options(namespace))
    refused = run("tfjob", name="mnist", namespace=namespace, **worker)
    assert "a Volcano Job of this name is in the namespace" in refused["msg"]
    run("tfjob", name="bert", namespace=namespace, **worker)
    api.create(
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}},
        f"/api/v1/namespaces/{namespace}/services",
    )
    with api.quiet():
        taken = run("volcano_job", **{**options(namespace), "name": "bert"})
        service = run("volcano_job", **{**options(namespace), "name": "web"})
    assert "a TFJob of this name is in the namespace" in taken["msg"]
    assert "its Service web is there already and belongs to nobody's job" in service["msg"]
    # Without the plugin there is no Service, and in another namespace there is no TFJob.
    bare = {"name": "web", "namespace": namespace, "image": "t:1", "tasks": [{"name": "worker"}]}
    assert run("volcano_job", check=True, **bare)["changed"]
    run("objects", objects=[namespace_object(f"{namespace}-2")])
    assert run("volcano_job", check=True, **{**options(f"{namespace}-2"), "name": "bert"})["changed"]


def test_beside_others_in_a_list_and_in_what_is_asked(
    api: ApiServer, run: Run, namespace: str, path: str, kubeflow: None
) -> None:
    job = {key: value for key, value in options(namespace).items() if key != "namespace"}
    listed = [
        {"kind": "volcano_job", **job},
        {"kind": "tfjob", "name": "bert", "image": "t:1", "replicas": {"Worker": {}}},
    ]
    made = run("jobs", defaults={"namespace": namespace}, jobs=listed)
    assert [entry["changed"] for entry in made["jobs"]] == [True, True], made
    start(api, path)
    with api.quiet():
        found = run("job_info", namespace=namespace)
    rows = {row["kind"]: row for row in found["jobs"]}
    assert set(rows) == {"tfjob", "volcano_job"}
    row = rows["volcano_job"]
    assert (row["name"], row["state"]) == ("mnist", "running")
    assert row["ready"] == {"ps": {"ready": 1, "total": 1}, "worker": {"ready": 2, "total": 2}}
    table = [line.split() for line in found["table"].splitlines() if "volcano_job" in line]
    assert table[0][:6] == [namespace, "volcano_job", "mnist", "running", "ps", "1/1,"]


def test_a_queue_that_takes_no_jobs(api: ApiServer, run: Run, namespace: str, path: str, queues: None) -> None:
    with api.quiet():
        shut = run("volcano_job", **options(namespace, queue="team-shut"))
        missing = run("volcano_job", **options(namespace, queue="team-x"))
    assert "queue = team-shut: the queue is Closed and takes no new jobs" in shut["msg"]
    assert "queue = team-x: there is no such queue; there are: " in missing["msg"]


def test_why_its_pods_are_not_made(api: ApiServer, run: Run, namespace: str, path: str, queues: None) -> None:
    run("volcano_job", **options(namespace, queue="team-open"))
    (row,) = run("job_info", namespace=namespace)["jobs"]
    assert "there is no Volcano in this cluster" in row["why"]["sentence"]
    job = api.client.call("GET", path)
    phase(api, path, "Pending")
    groups = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{namespace}/podgroups"
    name = f"mnist-{job['metadata']['uid']}"
    group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": name}}
    api.create({**group, "spec": {"minMember": 3, "queue": "team-open"}}, groups)
    condition = {"type": "Unschedulable", "status": "True", "reason": "NotEnoughResources", "message": "queue is full"}
    # Its status is no resource of its own.
    api.patch(f"{groups}/{name}", {"status": {"phase": "Pending", "conditions": [condition]}})
    (row,) = run("job_info", namespace=namespace)["jobs"]
    assert "only when queue team-open has room for 3 of them together (queue is full)" in row["why"]["sentence"]


def test_the_log_is_that_of_a_worker(api: ApiServer, run: Run, namespace: str, path: str) -> None:
    run("volcano_job", **options(namespace))
    start(api, path)
    for replica, pod in (("", "mnist-worker-0"), ("ps-0", "mnist-ps-0")):
        asked = run("job_info", namespace=namespace, name="mnist", logs={"replica": replica} if replica else {})
        # There is no kubelet: what counts is of which pod it was asked.
        assert (asked["logs_of"]["pod"], asked["failed"]) == (pod, True)


def test_without_volcano_it_says_who_is_missing(without_gangs: ApiServer) -> None:
    refused = run_module(without_gangs, "volcano_job", **options("default"))
    assert "kind = volcano_job: the API server knows no kind Job in batch.volcano.sh/v1alpha1" in refused["msg"]
    assert "mlstack_gang_scheduler=volcano" in refused["msg"]
    assert run_module(without_gangs, "volcano_job", check=True, **options("default"))["changed"]
    assert not run_module(without_gangs, "volcano_job", state="absent", **options("default"))["changed"]
