# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""pytorchjob against a real API server with the operator's CRD; nobody plays the operator."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.support.autoscaler_metrics import REFUSED, TAKEN

JOB: dict[str, Any] = {
    "name": "mnist",
    "image": "mnist:1",
    "nproc_per_node": 8,
    "replicas": {"Master": {"replicas": 1}, "Worker": {"replicas": 3}},
}


@pytest.fixture
def path(kubeflow: None, namespace: str) -> str:
    """Return where the job of the test lies."""
    return f"/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs/mnist"


def test_create_repeat_change_suspend_and_absent(api: ApiServer, run: Run, namespace: str, path: str) -> None:
    options = {"namespace": namespace, **JOB}
    mark = api.audit_mark()
    predicted = run("pytorchjob", check=True, **options)
    assert (predicted["changed"], predicted["state"], api.writes(mark)) == (True, "absent", [])
    assert [entry["before"] for entry in predicted["diff"]] == [""]
    first = run("pytorchjob", **options)
    assert (first["changed"], first["state"]) == (True, "created")
    specs = api.client.call("GET", path)["spec"]["pytorchReplicaSpecs"]
    assert {kind: spec["replicas"] for kind, spec in specs.items()} == {"Master": 1, "Worker": 3}

    mark = api.audit_mark()
    again = run("pytorchjob", **options)
    assert (again["changed"], again["diff"], api.writes(mark)) == (False, [], [])
    changed = run("pytorchjob", **options, ttl_seconds_after_finished=60, labels={"team": 1})
    assert (changed["changed"], len(changed["diff"])) == (True, 1)
    live = api.client.call("GET", path)
    assert (live["spec"]["runPolicy"]["ttlSecondsAfterFinished"], live["metadata"]["labels"]) == (60, {"team": "1"})

    def suspended() -> bool:
        return bool(api.client.call("GET", path)["spec"]["runPolicy"].get("suspend"))

    assert (run("pytorchjob", state="suspended", **options)["changed"], suspended()) == (True, True)
    assert not run("pytorchjob", state="suspended", **options)["changed"]
    assert (run("pytorchjob", **options)["changed"], suspended()) == (True, False)

    assert run("pytorchjob", state="absent", check=True, **options)["changed"]
    assert run("pytorchjob", state="absent", **options)["changed"]
    mark = api.audit_mark()
    gone = run("pytorchjob", state="absent", **options)
    assert (gone["changed"], gone["state"], api.writes(mark)) == (False, "absent", [])


def test_changes_that_a_live_job_does_not_take(api: ApiServer, run: Run, namespace: str, path: str) -> None:
    options = {"namespace": namespace, **JOB}
    run("pytorchjob", **options)
    uid = api.client.call("GET", path)["metadata"]["uid"]
    options |= {"nproc_per_node": 4, "replicas": {"Master": {}, "Worker": {"replicas": 2, "image": "mnist:2"}}}
    mark = api.audit_mark()
    for check in (True, False):
        refused = run("pytorchjob", check=check, **options)
        for part in (
            "3 problems, nothing was changed",
            'spec.nprocPerNode = "8" on the live job, "4" wanted',
            "spec.pytorchReplicaSpecs.Worker.replicas = 3 on the live job, 2 wanted",
            'Worker.template.spec.containers[0].image = "mnist:1" on the live job, "mnist:2" wanted',
            "Set recreate",
        ):
            assert part in refused["msg"]
    assert api.writes(mark) == []
    assert run("pytorchjob", recreate=True, **options)["changed"]
    assert api.client.call("GET", path)["metadata"]["uid"] != uid
    assert not run("pytorchjob", recreate=True, **options)["changed"]


def test_the_number_of_workers_of_an_elastic_job_is_the_autoscalers(
    api: ApiServer, run: Run, namespace: str, path: str
) -> None:
    target = {"type": "Utilization", "averageUtilization": 80}
    elastic = {
        "min_replicas": 1,
        "max_replicas": 4,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
    }
    options = {"namespace": namespace, **JOB, "replicas": {"Worker": {"replicas": 2}}, "elastic": elastic}

    def workers() -> int:
        return int(api.client.call("GET", path)["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"])

    assert (run("pytorchjob", **options)["changed"], workers()) == (True, 2)
    with api.quiet():
        assert not run("pytorchjob", **options)["changed"]
    scale(api, path, 3)
    with api.quiet():
        again = run("pytorchjob", **options)
    assert (again["changed"], again["diff"], workers()) == (False, [], 3)
    # A change of something else does not set it back, and is told without it.
    labelled = run("pytorchjob", **options, labels={"team": "a"})
    assert (labelled["changed"], workers()) == (True, 3)
    scale(api, path, 4)
    assert (run("pytorchjob", **options)["changed"], workers()) == (True, 4)
    assert (run("pytorchjob", **options)["changed"], workers()) == (False, 4)
    # A job that is made anew begins with the number that was given.
    options["image"] = "mnist:2"
    assert (run("pytorchjob", **options, recreate=True)["changed"], workers()) == (True, 2)


def test_an_elastic_job_without_metrics_has_as_many_workers_as_the_user_says(
    api: ApiServer, run: Run, namespace: str, path: str
) -> None:
    options: dict[str, Any] = {"namespace": namespace, **JOB, "elastic": {"min_replicas": 1, "max_replicas": 4}}
    for workers in (2, 4):
        options["replicas"] = {"Worker": {"replicas": workers}}
        assert run("pytorchjob", **options)["changed"]
        assert api.client.call("GET", path)["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == workers
    refused = run("pytorchjob", **{**options, "elastic": {"min_replicas": 2, "max_replicas": 4}})
    assert "spec.elasticPolicy.minReplicas = 1 on the live job, 2 wanted" in refused["msg"]


def scale(api: ApiServer, path: str, workers: int) -> None:
    """Set the number of workers as an autoscaler does."""
    body = {"spec": {"replicas": workers}}
    query = [("fieldManager", "kube-controller-manager")]
    api.client.call("PATCH", f"{path}/scale", query, body, "application/merge-patch+json")


@pytest.mark.usefixtures("path")
def test_check_mode_and_absent_without_crd_or_namespace(run: Run, cluster: ApiServer) -> None:
    options = {**JOB, "namespace": "not-there"}
    for where in ({}, {"kubeconfig": str(cluster.kubeconfig)}, {"kubeconfig": "/not/there"}):
        assert run("pytorchjob", check=True, **options, **where)["changed"], where
    for where in ({}, {"kubeconfig": str(cluster.kubeconfig)}):
        assert not run("pytorchjob", state="absent", **options, **where)["changed"], where
    assert 'namespaces "not-there" not found' in run("pytorchjob", **options)["msg"]


def test_the_server_judges_metrics_as_we_do(api: ApiServer, namespace: str) -> None:
    """Nobody but the operator's log would tell of an autoscaler that the server refuses."""

    def refused(metric: Any) -> bool:
        target = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "mnist"}
        scaler = {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "mnist"},
            "spec": {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 2, "metrics": [metric]},
        }
        path = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
        try:
            api.client.call("POST", path, (("dryRun", "All"), ("fieldValidation", "Strict")), scaler)
        except ApiError as error:
            return error.status in (400, 422)
        return False

    assert [metric for metric in TAKEN if refused(metric)] == []
    # The server takes a type that does not fit its amount, and shows another target than it follows.
    assert [rule for metric, _field, rule in REFUSED if not refused(metric)] == ["must be Utilization beside"]
