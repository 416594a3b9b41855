# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people write by old guides or in the wrong place, and what the module answers, run as Ansible runs it.

No cluster is there, so each of these is said before any request.
"""

from __future__ import annotations

from typing import Any

import pytest

JOB: dict[str, Any] = {"name": "j", "image": "i:1", "replicas": {"Worker": {}}}
WHOLE = {"apiVersion": "kubeflow.org/v1", "metadata": {"name": "j", "namespace": "n"}}
CONTAINER = {"name": "tensorflow", "image": "t:1"}
TYPES = "with a key for each type"

OLD_GUIDES = [
    ("tfjob", {"resources": {"limits": {"alpha.kubernetes.io/nvidia-gpu": 1}}}, ["Write nvidia.com/gpu (option gpus)"]),
    (
        "tfjob",
        {"node_selector": {"alpha.kubernetes.io/nvidia-gpu-name": "a100"}},
        ["nodeSelector[alpha.kubernetes.io/nvidia-gpu-name]", "Use nvidia.com/gpu.product"],
    ),
    (
        "tfjob",
        {"tfImage": "t", "tfPort": 2222, "RuntimeId": "x", "terminationPolicy": {}, "replicaSpecs": []},
        ["5 problems", "Write it image", "a port named tfjob-port", "A Chief ends the job", TYPES],
    ),
    (
        "pytorchjob",
        {"backend": "gloo", "masterPort": "23456", "replicaSpecs": [{"replicaType": "Master"}]},
        ["3 problems", "in init_process_group", "a port named pytorchjob-port", TYPES],
    ),
    ("tfjob", {"args": ["--index=$(VK_TASK_INDEX)"]}, ["VK_TASK_INDEX", "Read the index from TF_CONFIG"]),
    (
        "pytorchjob",
        {"replicas": {"Worker": {"env": {"VK_TASK_INDEX": "0"}}}},
        ["container pytorch.env = VK_TASK_INDEX", "from RANK"],
    ),
    ("tfjob", {"pod_annotations": {"scheduling.k8s.io/group-name": "g"}}, ["no scheduler of today", "option gang"]),
    ("tfjob", {"annotations": {"scheduling.k8s.io/kube-batch": "g"}}, ["no scheduler of today", "option gang"]),
    (
        "tfjob",
        {"pod_annotations": {"scheduler.alpha.kubernetes.io/tolerations": "[]"}},
        ["no scheduler of today reads it", "option tolerations"],
    ),
    (
        "tfjob",
        {"template": {"spec": {"schedulerName": "kube-batch"}}},
        ["runs on clusters up to Kubernetes 1.24", "kube_batch"],
    ),
]

MISPLACED = [
    # FC-14, as options and as it stands in manifests.
    (
        "tfjob",
        {"ttlSecondsAfterFinished": 10, "runPolicy": {"cleanPodPolicy": "All"}, "spec": {"backoffLimit": 1}},
        [
            "3 problems",
            "Write it ttl_seconds_after_finished",
            "runPolicy.cleanPodPolicy = All",
            "Write it backoff_limit",
        ],
    ),
    (
        "pytorchjob",
        {"replicas": {"Worker": {"clean_pod_policy": "All"}}, "min_available": 3, "queue": "a"},
        ["3 problems", "replicas.Worker.clean_pod_policy = All", "beside name", "into gang", "Write it gang.queue"],
    ),
    # FC-19
    (
        "tfjob",
        {"template": {"spec": {"restartPolicy": "ExitCode"}}},
        ["template.spec.restartPolicy = ExitCode", "restart policy of the replica type"],
    ),
    ("tfjob", {"replicas": 3}, ["1 problem,", "replicas = 3", "Name the type, for example {Worker: {replicas: 3}}"]),
    ("tfjob", {"replicas": {"Worker": 3}}, ["replicas.Worker = 3: must be a map", "such as replicas"]),
    ("tfjob", {"gang": True}, ["gang = True: must be a map", "backend"]),
    ("tfjob", {"shared_volumes": ["data"]}, ["shared_volumes"]),
    ("tfjob", {"replicas": {"Wroker": {}}}, ["Write it Worker"]),
    ("tfjob", {"replicas": {"parameter_server": {}}}, ["Write it PS"]),
    ("tfjob", {"worker": {"replicas": 2}}, ["Write it replicas.Worker"]),
    ("tfjob", {"livenessProbe": {}}, ["{spec: {containers: [{name: tensorflow, livenessProbe: ...}]}}"]),
    ("pytorchjob", {"hostNetwork": True}, ["{spec: {hostNetwork: ...}}"]),
    # FC-24
    (
        "tfjob",
        {"template": {"spec": {"containers": [{"name": "main", "image": "t:1"}]}}},
        ["containers = main: one must be named tensorflow"],
    ),
]


def native(kind: str, spec: dict[str, Any], version: str = "v1") -> dict[str, Any]:
    """Return the arguments of module objects for one native job."""
    return {"objects": [{**WHOLE, "apiVersion": f"kubeflow.org/{version}", "kind": kind, "spec": spec}]}


WORKER = {"Worker": {"template": {"spec": {"containers": [CONTAINER]}}}}
OLD_VERSIONS = [
    *(
        ("objects", native("TFJob", {"tfReplicaSpecs": WORKER}, version), ["Write apiVersion: kubeflow.org/v1"])
        for version in ("v1alpha2", "v1beta1", "v1beta2")
    ),
    (
        "objects",
        native(
            "PyTorchJob",
            {"backend": "gloo", "masterPort": "23456", "replicaSpecs": [{"replicas": 1, "replicaType": "MASTER"}]},
            "v1alpha1",
        ),
        ["spec.backend", "spec.masterPort", "spec.replicaSpecs", "spec.pytorchReplicaSpecs.Master"],
    ),
    (
        "objects",
        native("TFJob", {"ttlSecondsAfterFinished": 10, "cleanPodPolicy": "All", "tfReplicaSpecs": WORKER}),
        ["spec.runPolicy.ttlSecondsAfterFinished", "spec.runPolicy.cleanPodPolicy"],
    ),
]


@pytest.mark.parametrize(("module", "given", "parts"), [*OLD_GUIDES, *MISPLACED, *OLD_VERSIONS])
def test_the_right_place_is_told(run_module: Any, module: str, given: dict[str, Any], parts: list[str]) -> None:
    arguments = given if module == "objects" else {**JOB, **given}
    result = run_module(module, kubeconfig="/not/there", **arguments)
    assert result["failed"]
    for part in [*parts, "nothing was changed"]:
        assert part in result["msg"], result["msg"]
    # A request would have asked for it.
    assert "kubeconfig" not in result["msg"]


def test_the_right_place_in_a_list_of_jobs(run_module: Any) -> None:
    jobs = [{"name": "a", "Worker": {}}, {"name": "b", "cleanPodPolicy": "All"}, {"name": "c", "gang": 3}]
    result = run_module("tfjob", kubeconfig="/not/there", image="i:1", replicas={"Worker": {}}, jobs=jobs)
    for part in (
        "3 problems, nothing was changed",
        "jobs[0].Worker = a map",
        "Write it replicas.Worker",
        "jobs[1].cleanPodPolicy = All",
        "jobs[2].gang = 3: must be a map",
    ):
        assert part in result["msg"], result["msg"]
