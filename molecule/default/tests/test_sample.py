"""Role samples: the distributed jobs have trained on real data, on more than one node."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubernetes import client
from testinfra.host import Host

NAMESPACE = "mlstack-samples"
NAMES = ("tfjob-parameter-server", "tfjob-all-reduce")


def job(api: client.ApiClient, name: str) -> dict[str, Any]:
    objects = client.CustomObjectsApi(api)
    return dict(objects.get_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, "tfjobs", name))


def folder(worker: Host, name: str) -> str:
    """Return where the job wrote, on the volume that all nodes share."""
    paths = worker.check_output(f"find /srv/mlstack -path '*/{name}/result.json'").split()
    assert len(paths) == 1, paths
    return str(paths[0].removesuffix("/result.json"))


def result_of(worker: Host, name: str) -> dict[str, Any]:
    """Return what the job says of itself."""
    return dict(json.loads(worker.file(f"{folder(worker, name)}/result.json").content_string))


@pytest.fixture
def parameter_server(worker: Host) -> dict[str, Any]:
    return result_of(worker, "tfjob-parameter-server")


@pytest.fixture
def all_reduce(worker: Host) -> dict[str, Any]:
    return result_of(worker, "tfjob-all-reduce")


@pytest.mark.parametrize("name", NAMES)
def test_the_job_succeeded(api: client.ApiClient, name: str) -> None:
    conditions = job(api, name)["status"]["conditions"]
    assert {item["type"]: item["status"] for item in conditions}["Succeeded"] == "True"


@pytest.mark.parametrize("name", NAMES)
def test_it_has_learned(worker: Host, name: str) -> None:
    assert result_of(worker, name)["test_accuracy"] >= 0.90


@pytest.mark.parametrize(("name", "pods"), [("tfjob-parameter-server", 4), ("tfjob-all-reduce", 3)])
def test_the_pods_ran_on_more_than_one_node(worker: Host, name: str, pods: int) -> None:
    found = result_of(worker, name)["pods"]
    assert len(found) == pods
    assert len({pod["node"] for pod in found}) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_checkpoints_logs_and_model_are_on_the_shared_volume(worker: Host, name: str) -> None:
    for wanted in ("saved_model.pb", "checkpoint", "events.out.tfevents.*"):
        assert worker.run(f"find {folder(worker, name)} -name '{wanted}' | grep -q .").succeeded


def test_the_variables_were_on_the_parameter_server(parameter_server: dict[str, Any]) -> None:
    assert parameter_server["variables"]
    devices = parameter_server["variables"].values()
    assert all("/job:ps/" in device for device in devices), parameter_server["variables"]


def test_both_workers_did_their_part(parameter_server: dict[str, Any]) -> None:
    assert len(parameter_server["worker_steps"]) == 2
    assert min(parameter_server["worker_steps"]) > 0
    assert sum(parameter_server["worker_steps"]) == parameter_server["steps"]


def test_the_ring_halved_each_batch(all_reduce: dict[str, Any]) -> None:
    first, second = all_reduce["worker_rows"]
    assert first == second > 0


def test_the_last_checkpoint_was_evaluated_before_the_job_ended(all_reduce: dict[str, Any]) -> None:
    assert all_reduce["evaluated_steps"][-1] == all_reduce["steps"]
