# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_native import check_job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.old_forms import check_old_pod

OLD_GPU = "alpha.kubernetes.io/nvidia-gpu"
GROUP = "scheduling.k8s.io/group-name"


def container(**fields: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "tensorflow", "image": "i:1", **fields}]}}


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (
            container(resources={"limits": {OLD_GPU: 1}}),
            "ended with Kubernetes 1.11; no node offers it. Write nvidia.com/gpu",
        ),
        (container(resources={"requests": {OLD_GPU: 1}}), f"resources.requests[{OLD_GPU}] = 1"),
        (
            {"spec": {"initContainers": container(resources={"limits": {OLD_GPU: 1}})["spec"]["containers"]}},
            "nvidia.com/gpu",
        ),
        ({"spec": {"nodeSelector": {f"{OLD_GPU}-name": "Tesla-K80"}}}, "Use nvidia.com/gpu.product"),
        ({"spec": {"tolerations": [{"key": OLD_GPU, "operator": "Exists"}]}}, "spec.tolerations[0].key"),
        (container(env=[{"name": "VK_TASK_INDEX", "value": "0"}]), "env = VK_TASK_INDEX"),
        (container(env=[{"name": "INDEX", "value": "$(VK_TASK_INDEX)"}]), "Read the index from TF_CONFIG"),
        (container(args=["--task_index=${VK_TASK_INDEX}"]), "args = VK_TASK_INDEX"),
        (container(command=["sh", "-c", "run $VK_TASK_INDEX"]), "command = VK_TASK_INDEX"),
        ({"metadata": {"annotations": {GROUP: "g"}}}, "Give option gang"),
        ({"metadata": {"annotations": {"scheduling.k8s.io/kube-batch.group-name": "g"}}}, "Give option gang"),
        ({"metadata": {"annotations": {"scheduler.alpha.kubernetes.io/tolerations": "[]"}}}, "Write spec.tolerations"),
        ({"metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io/name": "g"}}}, "metadata.labels[pod-group"),
        ({"spec": {"schedulerName": "kube-batch"}}, "up to Kubernetes 1.24, and elsewhere pods would wait for ever"),
        (
            {"spec": {"schedulerName": "kube-arbitrator"}},
            "spec.schedulerName = kube-arbitrator: is a retired scheduler: pods would wait for ever. Leave it out",
        ),
        # What is of today.
        ({"metadata": {"annotations": {GROUP: "g"}}, "spec": {"schedulerName": "volcano"}}, ""),
        ({"metadata": {"annotations": {GROUP: "g"}}, "spec": {"schedulerName": "kube-batch"}}, ""),
        (container(resources={"limits": {"nvidia.com/gpu": 1}}, env=[{"name": "VC_TASK_INDEX", "value": "0"}]), ""),
        ({"spec": {"schedulerName": "default-scheduler"}}, ""),
        # Of whatever form it is.
        (None, ""),
        ({"spec": [], "metadata": 1}, ""),
        ({"spec": {"containers": [1, {"env": "x", "args": "VK_TASK_INDEX", "resources": {"limits": []}}]}}, ""),
    ],
)
def test_old_forms_of_pods(template: Any, words: str) -> None:
    found = "\n".join(problem.line() for problem in check_old_pod(template, "template"))
    assert words in found
    assert bool(found) == bool(words)


def test_rendered_jobs_are_looked_through_too() -> None:
    options = {
        "name": "j",
        "namespace": "n",
        "image": "i:1",
        "replicas": {"Worker": {}},
        "gpus": 1,
        "gpu_resource": OLD_GPU,
        "env": {"VK_TASK_INDEX": 0},
        "pod_annotations": {GROUP: "g"},
        "template": {"spec": {"schedulerName": "kube-arbitrator"}},
    }
    found = "\n".join(problem.line() for problem in TFJOB.render(options)[1])
    for words in (OLD_GPU, "VK_TASK_INDEX", "kube-arbitrator", GROUP):
        assert words in found


V1ALPHA1 = {
    "apiVersion": "kubeflow.org/v1alpha1",
    "kind": "PyTorchJob",
    "metadata": {"name": "dist-mnist"},
    "spec": {
        "backend": "gloo",
        "masterPort": "23456",
        "replicaSpecs": [
            {
                "replicas": 1,
                "replicaType": "MASTER",
                "template": {
                    "spec": {"containers": [{"image": "p:1", "name": "pytorch"}], "restartPolicy": "OnFailure"}
                },
            },
            {
                "replicas": 3,
                "replicaType": "WORKER",
                "template": {
                    "spec": {
                        "containers": [{"image": "p:1", "name": "pytorch", "resources": {"limits": {OLD_GPU: 1}}}],
                    }
                },
            },
        ],
    },
}


def test_a_job_of_v1alpha1_whole() -> None:
    found = {problem.field: problem.way_out for problem in check_job(V1ALPHA1)}
    title = "PyTorchJob dist-mnist"
    assert found == {
        title: "Write apiVersion: kubeflow.org/v1 and kind: PyTorchJob",
        f"{title}: spec.backend": "The program names it, in init_process_group: hand it on in args",
        f"{title}: spec.masterPort": "Give the Master's container a port named pytorchjob-port",
        f"{title}: spec.replicaSpecs": "Write spec.pytorchReplicaSpecs with a key for each type, such as Worker",
        f"{title}: spec.replicaSpecs[0].replicaType": "The type is the key: spec.pytorchReplicaSpecs.Master",
        f"{title}: spec.replicaSpecs[0].template.spec.restartPolicy": (
            "Give it as restart policy of the replica type instead; ExitCode exists only there"
        ),
        f"{title}: spec.replicaSpecs[1].replicaType": "The type is the key: spec.pytorchReplicaSpecs.Worker",
        f"{title}: spec.replicaSpecs[1].template: container pytorch.resources.limits[{OLD_GPU}]": (
            "Write nvidia.com/gpu (option gpus)"
        ),
    }


@pytest.mark.parametrize(
    ("version", "kind", "known"),
    [
        ("tensorflow.org/v1alpha1", "TfJob", True),
        ("kubeflow.org/v1alpha2", "TFJob", True),
        ("kubeflow.org/v1beta1", "TFJob", True),
        ("kubeflow.org/v1beta2", "TFJob", True),
        ("kubeflow.org/v1beta2", "PyTorchJob", True),
        ("kubeflow.org/v1alpha1", "MPIJob", False),
        ("kubeflow.org/v1", "TfJob", False),
        ("batch/v1", "Job", False),
    ],
)
def test_old_versions(version: str, kind: str, known: bool) -> None:
    found = check_job({"apiVersion": version, "kind": kind, "metadata": {"name": "j"}, "spec": {}})
    assert [problem.value for problem in found] == ([f"{version} {kind}"] if known else [])


def test_keys_of_an_old_tfjob() -> None:
    spec = {
        "cleanPodPolicy": "All",
        "terminationPolicy": {"chief": {"replicaName": "MASTER", "replicaIndex": 0}},
        "tfImage": "t:1",
        "replicaSpecs": [{"tfReplicaType": "PS", "tfPort": 2222, "IsDefaultPS": True}],
    }
    found = check_job({"apiVersion": "kubeflow.org/v1alpha1", "kind": "TFJob", "metadata": {"name": "j"}, "spec": spec})
    assert [problem.field.rpartition(".")[2] for problem in found][1:] == [
        "cleanPodPolicy",
        "terminationPolicy",
        "tfImage",
        "replicaSpecs",
        "tfReplicaType",
        "tfPort",
        "IsDefaultPS",
        "containers",
    ]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            {"runPolicy": {"cleanPodPolcy": "All"}},
            "spec.runPolicy.cleanPodPolcy = All: there is no such field. Write it cleanPodPolicy",
        ),
        ({"runPolicy": {"successPolicy": "AllWorkers"}}, "Move it to spec.successPolicy"),
        ({"sucessPolicy": "AllWorkers"}, "Write it successPolicy"),
        (
            {"runPolicy": {"restartPolicy": "Never"}},
            "Move it into a replica type, such as spec.tfReplicaSpecs.Worker.restart",
        ),
        ({"replicas": 3}, "spec.replicas = 3: there is no such field. Move it into a replica type"),
        (
            {"worker": {"replicas": 3}},
            "spec.worker = a map: there is no such field. Move it to spec.tfReplicaSpecs.Worker",
        ),
        ({"runPolicy": {"cleanPodPolicy": "running"}}, "must be one of None, Running, All. Write it Running"),
        ({"tfReplicaSpecs": {"Worker": {"restartPolicy": "exitcode", "template": {}}}}, "Write it ExitCode"),
        (
            {"tfReplicaSpecs": {"Worker": {"nodeSelector": {}, "template": {}}}},
            "Move it into the template of a replica",
        ),
        (
            {"tfReplicaSpecs": {"Worker": {"replicas": 10**63, "template": {}}}},
            "metadata.name = j: its replica j-worker-99",
        ),
        ({"nprocPerNode": "8"}, "spec.nprocPerNode = 8: there is no such field"),
        (
            {"tfReplicaSpecs": {"Worker": {"cleanPodPolicy": "All", "template": {}}}},
            "Move it to spec.runPolicy.cleanPodPolicy",
        ),
        ({"tfReplicaSpecs": {"Worker": {"replica": 2, "template": {}}}}, "Write it replicas"),
        ({"tfReplicaSpecs": {"Launcher": {"template": {}}}}, "There are Chief, Master, PS, Worker, Evaluator"),
    ],
)
def test_unknown_keys_of_native_objects(spec: dict[str, Any], words: str) -> None:
    job = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "j"}, "spec": spec}
    assert words in "\n".join(problem.line() for problem in check_job(job))
