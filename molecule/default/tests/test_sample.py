"""Role samples: the distributed job has trained on real data, on more than one node."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubernetes import client
from testinfra.host import Host

NAMESPACE = "mlstack-samples"
NAME = "tfjob-parameter-server"


@pytest.fixture
def job(api: client.ApiClient) -> dict[str, Any]:
    objects = client.CustomObjectsApi(api)
    return dict(objects.get_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, "tfjobs", NAME))


@pytest.fixture
def result(job: dict[str, Any], worker: Host) -> dict[str, Any]:
    """What the chief left on the volume that all nodes share."""
    paths = worker.check_output("find /srv/mlstack -name result.json").split()
    assert len(paths) == 1, paths
    return dict(json.loads(worker.file(paths[0]).content_string))


def test_the_job_succeeded(job: dict[str, Any]) -> None:
    assert {item["type"]: item["status"] for item in job["status"]["conditions"]}["Succeeded"] == "True"


def test_it_has_learned(result: dict[str, Any]) -> None:
    assert result["test_accuracy"] >= 0.90


def test_the_variables_were_on_the_parameter_server(result: dict[str, Any]) -> None:
    assert result["variables"]
    assert all("/job:ps/" in device for device in result["variables"].values()), result["variables"]


def test_both_workers_did_their_part(result: dict[str, Any]) -> None:
    assert len(result["worker_steps"]) == 2
    assert min(result["worker_steps"]) > 0
    assert sum(result["worker_steps"]) == result["steps"]


def test_the_pods_ran_on_more_than_one_node(result: dict[str, Any]) -> None:
    assert len(result["pods"]) == 4
    assert len({pod["node"] for pod in result["pods"]}) >= 2


def test_checkpoints_logs_and_model_are_on_the_shared_volume(result: dict[str, Any], worker: Host) -> None:
    folder = worker.check_output("dirname $(find /srv/mlstack -name result.json)")
    assert worker.run(f"find {folder} -name 'saved_model.pb' | grep -q .").succeeded
    assert worker.run(f"find {folder} -name 'checkpoint' | grep -q .").succeeded
    assert worker.run(f"find {folder} -name 'events.out.tfevents.*' | grep -q .").succeeded
