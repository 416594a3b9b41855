# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to a job while it is looked at or waited for, with the real operator, scheduler and controllers."""

from __future__ import annotations

import time
from typing import Any, Callable

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import LOST_NODE, exits, lost
from tests.integration.support.samples import later, namespace_object

NAMESPACE = "states"
JOBS = f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/tfjobs"


@pytest.fixture
def job(run_on_cluster: Run, nodes: list[str]) -> Callable[..., dict[str, Any]]:
    """Return a function that runs tfjob with workers only."""
    run_on_cluster("objects", objects=[namespace_object(NAMESPACE)])

    def call(name: str, worker: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        job = {"name": name, "namespace": NAMESPACE, "image": "t:1", "replicas": {"Worker": worker or {}}}
        return run_on_cluster("tfjob", **{"timeout": 60, **job, **options})

    return call


def until(state: str, look: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Look at a job until it is in a state; return what was seen then."""
    end = time.monotonic() + 30
    while (result := look())["state"] != state:
        assert time.monotonic() < end, result
        time.sleep(0.3)
    return result


def test_suspended_and_resumed(cluster: ApiServer, job: Callable[..., dict[str, Any]]) -> None:
    until("running", lambda: job("paused"))
    assert job("paused", suspend=True)["changed"]
    suspended = job("paused", suspend=True, wait=True)
    assert (suspended["changed"], suspended["end"], suspended["replicas"]) == (False, "suspended", [])
    assert job("paused", suspend=False)["changed"]
    until("running", lambda: job("paused"))
    conditions = cluster.client.call("GET", f"{JOBS}/paused")["status"]["conditions"]
    # The old condition stays in the list, as false.
    assert {"Suspended": "False", "Running": "True"}.items() <= {c["type"]: c["status"] for c in conditions}.items()


def test_a_restart_on_the_way_to_success(cluster: ApiServer, job: Callable[..., dict[str, Any]]) -> None:
    def mend() -> None:
        """Let the next pod end well: by its third start the node that killed it is in order again."""
        play = {"metadata": {"annotations": exits(0)["pod_annotations"]}}
        replicas = cluster.client.call("GET", f"{JOBS}/killed")["spec"]["tfReplicaSpecs"]
        replicas["Worker"]["template"]["metadata"]["annotations"].update(play["metadata"]["annotations"])
        cluster.patch(f"{JOBS}/killed", {"spec": {"tfReplicaSpecs": replicas}})

    with later(3.0, mend):
        result = job("killed", exits(137, "500ms"), restart_policy="ExitCode", wait=True)
    assert (result.get("failed"), result["end"]) == (None, "succeeded")


def test_gone_by_its_time_to_live(job: Callable[..., dict[str, Any]]) -> None:
    result = job("brief", exits(0, "2s"), ttl_seconds_after_finished=0, wait=True)
    assert result["end"] in ("succeeded", "vanished")
    assert bool(result.get("failed")) == (result["end"] == "vanished")


def test_made_anew_under_the_same_name(cluster: ApiServer, job: Callable[..., dict[str, Any]]) -> None:
    def replace() -> None:
        manifest = cluster.client.call("GET", f"{JOBS}/again")
        cluster.client.call("DELETE", f"{JOBS}/again")
        end = time.monotonic() + 20
        while there(cluster, f"{JOBS}/again"):
            assert time.monotonic() < end
            time.sleep(0.1)
        fresh = {key: manifest[key] for key in ("apiVersion", "kind", "spec")}
        cluster.create({**fresh, "metadata": {"name": "again", "namespace": NAMESPACE}}, JOBS)

    with later(2.0, replace):
        result = job("again", wait=True)
    assert (result["failed"], result["end"]) == (True, "vanished")
    assert "another job took its name" in result["msg"] or "it was deleted" in result["msg"]


def test_a_lost_node(cluster: ApiServer, job: Callable[..., dict[str, Any]]) -> None:
    cluster.add_node("lost-1", taints=[{"key": "test", "value": "lost", "effect": "NoSchedule"}])
    tolerations: list[dict[str, Any]] = [{"key": "test", "operator": "Exists"}]
    tolerations += [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 0}]
    tolerations[1]["effect"] = "NoExecute"
    options = {"tolerations": tolerations, "node_selector": {"kubernetes.io/hostname": "lost-1"}}
    until("running", lambda: job("on-lost", lost(), **options))
    cluster.patch("/api/v1/nodes/lost-1", {"metadata": {"annotations": {LOST_NODE: ""}}})
    unknown = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "no news"}
    cluster.patch_status("/api/v1/nodes/lost-1", {"conditions": [unknown]})
    (replica,) = until("failed", lambda: job("on-lost", lost(), **options))["replicas"]
    # Nobody ends the pod, so it says that it runs; the operator counts it as failed.
    assert replica["state"] == "running"
    assert replica["reason"].startswith("it is being deleted (DeletionByTaintManager: ")
    # Otherwise the job's deletion would wait for a kubelet that is not there.
    pod = f"/api/v1/namespaces/{NAMESPACE}/pods/{replica['pod']}"
    cluster.client.call("DELETE", pod, (("gracePeriodSeconds", "0"),))


def there(cluster: ApiServer, path: str) -> bool:
    """Tell whether an object exists."""
    try:
        cluster.client.call("GET", path)
    except ApiError as error:
        if not error.not_found:
            raise
        return False
    return True
