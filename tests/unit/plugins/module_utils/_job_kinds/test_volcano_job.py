# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a Volcano Job."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_live import FIELDS
from tests.support.volcano_jobs import TWO, job, refusals, spec, tasks


def test_the_least_job() -> None:
    made = job(tasks=[{"name": "worker"}])
    assert len(made.root["metadata"]["annotations"].pop(FIELDS)) % 6 == 0
    container = {"name": "main", "image": "i:1"}
    template = {
        "metadata": {"annotations": {"sidecar.istio.io/inject": "false"}},
        "spec": {"containers": [container], "restartPolicy": "Never"},
    }
    assert made.root == {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "n", "annotations": {}},
        "spec": {
            "schedulerName": "volcano",
            "queue": "default",
            "minAvailable": 1,
            "maxRetry": 3,
            "tasks": [{"name": "worker", "replicas": 1, "template": template}],
        },
    }
    assert (made.parts, made.notes) == ((), [])


def test_every_option_ends_in_its_field() -> None:
    after = {"name": ["ps"], "iteration": "any"}
    own = [{"event": "TaskCompleted", "action": "CompleteJob", "timeout": "10m"}]
    wanted = tasks(min_available=1, max_retry=2, policies=own, depends_on=after, restart_policy="OnFailure", gpus=1)
    found = spec(
        tasks=wanted,
        queue="team-a",
        min_available=1,
        min_success=2,
        max_retry=5,
        ttl_seconds_after_finished=0,
        priority_class="high",
        plugins={"env": [], "ssh": ["--no-root"], "svc": None},
        policies=[
            {"events": ["PodEvicted", "PodFailed"], "action": "RestartJob"},
            {"exit_code": 3, "action": "AbortJob"},
        ],
    )
    worker = found.pop("tasks")[1]
    assert found == {
        "schedulerName": "volcano",
        "queue": "team-a",
        "minAvailable": 1,
        "minSuccess": 2,
        "maxRetry": 5,
        "ttlSecondsAfterFinished": 0,
        "priorityClassName": "high",
        "plugins": {"env": [], "ssh": ["--no-root"]},
        "policies": [
            {"action": "RestartJob", "events": ["PodEvicted", "PodFailed"]},
            {"action": "AbortJob", "exitCode": 3},
        ],
    }
    template = worker.pop("template")
    assert worker == {
        "name": "worker",
        "replicas": 2,
        "minAvailable": 1,
        "maxRetry": 2,
        "dependsOn": {"name": ["ps"], "iteration": "any"},
        "policies": [{"action": "CompleteJob", "event": "TaskCompleted", "timeout": "10m"}],
    }
    assert template["spec"]["restartPolicy"] == "OnFailure"
    assert template["spec"]["priorityClassName"] == "high"
    assert template["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "1"}


@pytest.mark.parametrize(
    ("given", "least"),
    [
        ({}, 3),
        # FC-26: two replicas and none; the pods that there are start together.
        ({"tasks": [{"name": "a", "replicas": 2}, {"name": "b", "replicas": 0}]}, 2),
        ({"min_available": 2}, 2),
        ({"tasks": tasks(min_available=1)}, 2),
        # What waits for the parameter server is not made before that runs.
        ({"tasks": tasks(depends_on={"name": ["ps"]})}, 1),
    ],
)
def test_how_many_pods_start_together(given: dict[str, Any], least: int) -> None:
    assert spec(**given)["minAvailable"] == least


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"pod_labels": {"volcano.sh/job-name": "x"}}, "pod_labels = a map: key volcano.sh/job-name is set by who"),
        ({"tf_config": {}, "tasks": TWO[:1]}, "tasks.ps.command = : tf_config runs the program by a shell"),
        ({"tf_config": {"port": 0}, "command": ["a"]}, "tf_config.port = 0: must be a port"),
        (
            {"tf_config": {}, "command": ["a"], "tasks": [{"name": "boss"}]},
            "tasks.boss.name = boss: TensorFlow knows tasks of the types chief, master, worker, ps, evaluator",
        ),
        ({"name": "j" * 55}, f"name = {'j' * 55}: its replica {'j' * 55}-worker-1 is the host name of a pod"),
        # FC-22
        (
            {"shm_size": "8Gi", "resources": {"limits": {"memory": "4Gi"}}},
            "shm_size = 8Gi: is above the memory limit 4Gi",
        ),
        (
            {"resources": {"limits": {"hugepages-2Mi": "512Mi"}}},
            "hugepages-2Mi",
        ),
    ],
)
def test_refused_by_us(given: dict[str, Any], problem: str) -> None:
    found = refusals(**given)
    assert len(found) == 1, found
    assert problem in found[0]
    assert found[0].count(". ") >= 1, "no way out"


def test_all_problems_at_once_and_a_common_one_once() -> None:
    found = refusals(queue="root", restart_policy="Always", min_available=9, name="1j")
    assert [line.partition(" = ")[0] for line in sorted(found)] == [
        "min_available",
        "name",
        "queue",
        "restart_policy",
    ]


def test_host_networks_keep_the_names_of_the_cluster() -> None:
    template = {"spec": {"hostNetwork": True}}
    assert spec(template=template)["tasks"][0]["template"]["spec"]["dnsPolicy"] == "ClusterFirstWithHostNet"
    template["spec"]["dnsPolicy"] = "Default"  # type: ignore[assignment]
    assert spec(template=template)["tasks"][0]["template"]["spec"]["dnsPolicy"] == "Default"


def test_shared_memory_is_one_volume_of_the_container_that_trains() -> None:
    """FC-22."""
    template = spec(shm_size="8Gi", resources={"limits": {"memory": "16Gi"}})["tasks"][1]["template"]
    (volume,) = template["spec"]["volumes"]
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": "8Gi"}
    (mount,) = template["spec"]["containers"][0]["volumeMounts"]
    assert (mount["name"], mount["mountPath"]) == (volume["name"], "/dev/shm")


def test_the_priority_that_all_tasks_have_is_the_jobs() -> None:
    assert spec(tasks=[{**task, "priority_class": "high"} for task in TWO])["priorityClassName"] == "high"
    assert "priorityClassName" not in spec(tasks=tasks(priority_class="high"))
