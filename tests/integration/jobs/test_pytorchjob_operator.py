# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""pytorchjob with the real operator, its webhook and scheduler; KWOK plays how pods end."""

from __future__ import annotations

import time
from typing import Any, Callable

import pytest

from tests.integration.conftest import Run
from tests.integration.jobs.test_pytorchjob import scale
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits, only
from tests.integration.support.samples import namespace_object
from tests.integration.support.training_operator import INIT_IMAGE

NAMESPACE = "pytorch"
STRICT = "pytorch-strict"
STRICTLY = {"pod-security.kubernetes.io/enforce": "restricted"}
# The operator's own 100m and 20Mi would do, too: what counts is that both kinds of limit are there.
QUOTA = {"limits.cpu": "4", "limits.memory": "4Gi", "requests.cpu": "4", "requests.memory": "4Gi"}


@pytest.fixture(scope="module", autouse=True)
def namespaces(cluster: ApiServer, nodes: list[str]) -> None:
    """Make a namespace of no demands, and one that asks for all that a namespace can ask for."""
    strict = namespace_object(STRICT)
    strict["metadata"]["labels"] = STRICTLY
    for each in (namespace_object(NAMESPACE), strict):
        cluster.create(each, "/api/v1/namespaces")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "all"}, "spec": {"hard": QUOTA}}
    cluster.create(quota, f"/api/v1/namespaces/{STRICT}/resourcequotas")


def pods(cluster: ApiServer, job: str, namespace: str = NAMESPACE) -> dict[str, Any]:
    """Return the job's pods by name."""
    labels = (("labelSelector", f"training.kubeflow.org/job-name={job}"),)
    items = cluster.client.call("GET", f"/api/v1/namespaces/{namespace}/pods", labels)["items"]
    return {pod["metadata"]["name"]: pod for pod in items}


def until(what: Callable[[], bool], message: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, message
        time.sleep(0.2)


def test_workers_start_where_pods_must_be_restricted_and_have_limits(cluster: ApiServer, run_on_cluster: Run) -> None:
    result = run_on_cluster(
        "pytorchjob",
        name="strict",
        namespace=STRICT,
        image="train:1",
        resources={"limits": {"cpu": "500m", "memory": "256Mi"}},
        security_context={"runAsNonRoot": True, "runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"}},
        container_security_context={"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        replicas={"Master": exits(0, "3s"), "Worker": {"replicas": 2}},
        clean_pod_policy="None",
        wait=True,
        timeout=60,
    )
    assert result.get("end") == "succeeded", result
    made = pods(cluster, "strict", STRICT)
    assert sorted(made) == ["strict-master-0", "strict-worker-0", "strict-worker-1"]
    assert "initContainers" not in made["strict-master-0"]["spec"]
    (container,) = made["strict-worker-0"]["spec"]["initContainers"]
    assert container["image"] == INIT_IMAGE
    assert "nslookup strict-master-0 " in container["args"][0]


def test_the_ends_of_a_job(run_on_cluster: Run) -> None:
    job = {"namespace": NAMESPACE, "image": "train:1", "wait": True, "timeout": 60}
    replicas = {"Master": exits(0), "Worker": {"replicas": 2}}
    ended = run_on_cluster("pytorchjob", name="good", replicas=replicas, **job)
    assert (ended["end"], ended["reason"]) == ("succeeded", "PyTorchJobSucceeded")
    assert ended["replicas"][0]["state"] == "succeeded"
    replicas = {"Master": {}, "Worker": {"replicas": 2, **only(1, exits(3))}}
    failed = run_on_cluster("pytorchjob", name="bad", replicas=replicas, **job)
    assert (failed["end"], failed["failed"]) == ("failed", True)
    assert "Worker-1, pod bad-worker-1" in failed["msg"]
    assert "container pytorch: exit code 3 (Error)" in failed["msg"]


def test_suspended_and_resumed(cluster: ApiServer, run_on_cluster: Run) -> None:
    job = {"name": "pauses", "namespace": NAMESPACE, "image": "train:1", "replicas": {"Master": {}, "Worker": {}}}
    run_on_cluster("pytorchjob", **job)
    until(lambda: len(pods(cluster, "pauses")) == 2, "no pods were made")
    stopped = run_on_cluster("pytorchjob", **job, state="suspended", wait=True, timeout=60)
    assert (stopped["end"], stopped["changed"]) == ("suspended", True)
    until(lambda: not pods(cluster, "pauses"), "the pods stayed")
    assert run_on_cluster("pytorchjob", **job)["changed"]
    until(lambda: len(pods(cluster, "pauses")) == 2, "the pods did not come back")
    until(lambda: run_on_cluster("pytorchjob", **job)["state"] == "running", "the job does not run")
    assert run_on_cluster("pytorchjob", **job, state="absent")["changed"]


def test_an_elastic_job_grows(cluster: ApiServer, run_on_cluster: Run) -> None:
    target = {"type": "Utilization", "averageUtilization": 80}
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    job = {
        "name": "grows",
        "namespace": NAMESPACE,
        "image": "train:1",
        "restart_policy": "OnFailure",
        "resources": {"requests": {"cpu": "100m"}},
        "replicas": {"Worker": {"replicas": 2}},
        "elastic": {"min_replicas": 1, "max_replicas": 4, "metrics": metrics, "rdzv_conf": {"timeout": 30}},
    }
    assert run_on_cluster("pytorchjob", **job)["changed"]
    until(lambda: len(pods(cluster, "grows")) == 2, "no pods were made")
    scaler = cluster.client.call("GET", f"/apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers/grows")
    assert (scaler["spec"]["minReplicas"], scaler["spec"]["maxReplicas"]) == (1, 4)
    assert scaler["spec"]["metrics"] == metrics
    scale(cluster, f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/pytorchjobs/grows", 3)
    until(lambda: "grows-worker-2" in pods(cluster, "grows"), "the operator made no third worker")
    with cluster.quiet():
        assert not run_on_cluster("pytorchjob", **job)["changed"]
    assert len(pods(cluster, "grows")) == 3
    (container,) = pods(cluster, "grows")["grows-worker-2"]["spec"]["containers"]
    told = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert (told["PET_NNODES"], told["PET_RDZV_CONF"]) == ("1:4", "timeout=30")
    assert run_on_cluster("pytorchjob", **job, state="absent")["changed"]
