# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.why_objects import JUST_NOW, event, job, pod, why

QUOTA = (
    'Error creating: pods "bert-worker-1" is forbidden: exceeded quota: gpus, requested:'
    " requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=3, limited: requests.nvidia.com/gpu=4"
)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            QUOTA,
            "The quota gpus of namespace team-a has no room for Worker-0 and Worker-1: requests.nvidia.com/gpu 2 asked,"
            " 3 of 4 used",
        ),
        (
            'pods "p" is forbidden: failed quota: compute: must specify limits.cpu for: tensorflow; limits.memory for:'
            " tensorflow",
            "The quota compute of namespace team-a takes no pod that leaves out limits.cpu, limits.memory, so"
            " Worker-0 and"
            " Worker-1 cannot be made",
        ),
        (
            'pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
            "Namespace team-a has a limit range that refuses Worker-0 and Worker-1: maximum cpu usage per"
            " Container is 2",
        ),
        (
            'pods "p" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
            'Namespace team-a does not take Worker-0 and Worker-1: violates PodSecurity "restricted:latest":'
            " runAsNonRoot",
        ),
        (
            'admission webhook "policy.example.org" denied the request: label team is missing',
            "The webhook policy.example.org refuses Worker-0 and Worker-1: label team is missing",
        ),
        (
            'Internal error occurred: failed calling webhook "inject.example.org": failed to call webhook: Post'
            ' "https://inject.mesh.svc:443/": dial tcp 10.0.0.1:443: connect: connection refused',
            "No pod can be made, Worker-0 and Worker-1 neither: the webhook inject.example.org does not answer"
            " (failed to",
        ),
        (
            'pods "p" is forbidden: error looking up service account team-a/trainer: serviceaccount "trainer"'
            " not found",
            "There is no service account trainer in namespace team-a, so Worker-0 and Worker-1 cannot be made",
        ),
        (
            'pods "p" is forbidden: no PriorityClass with name high was found',
            "There is no PriorityClass high, so Worker-0 and Worker-1 cannot be made",
        ),
        (
            'pods "p" is forbidden: pod rejected: RuntimeClass "nvidia" not found',
            "There is no RuntimeClass nvidia, so Worker-0 and Worker-1 cannot be made",
        ),
        (
            'pods "p" is forbidden: node selector label conflicts with its namespace label selector',
            "The API server refuses Worker-0 and Worker-1: node selector label conflicts",
        ),
    ],
)
def test_why_pods_are_refused(message: str, sentence: str) -> None:
    told = why(job(), [], events=[event("FailedCreatePod", message)])
    assert told.sentence.startswith(sentence), told
    assert told.facts[0].startswith("the controller says: FailedCreatePod: ")


def deployment(available: int, wanted: int = 1) -> dict[str, Any]:
    status = {"availableReplicas": available, "updatedReplicas": available, "replicas": available}
    metadata = {"name": "training-operator", "namespace": "kubeflow"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": wanted},
        "status": status,
    }


@pytest.mark.parametrize(
    ("live", "seen", "sentence"),
    [
        (
            job({"conditions": []}),
            {"operator": []},
            "Nobody makes Worker-0 and Worker-1: there is no training operator in this cluster",
        ),
        (
            job({"conditions": []}),
            {"operator": [deployment(0)]},
            "Nobody makes Worker-0 and Worker-1: the training operator does not run (0 of 1 updated, 0 of 1 available)",
        ),
        (
            job({"conditions": []}),
            {"operator": [deployment(1)]},
            "The training operator has not taken up the job in 60m",
        ),
        (job({"conditions": []}), {}, "The training operator has not taken up the job in 60m"),
        (
            job({"conditions": []}, made=JUST_NOW),
            {"operator": [deployment(1)]},
            "The pods Worker-0 and Worker-1 are about to be made",
        ),
    ],
)
def test_why_nobody_makes_the_pods(live: dict[str, Any], seen: dict[str, Any], sentence: str) -> None:
    assert why(live, [], **seen).sentence.startswith(sentence)


def test_an_operator_that_runs_elsewhere_is_one() -> None:
    """Its mark is on the job, its Deployment is not in this cluster."""
    assert why(job(made=JUST_NOW), [], operator=[]).sentence.startswith("The pods Worker-0 and Worker-1 are about")


def test_a_job_for_another_controller() -> None:
    live = job({"conditions": []})
    live["spec"]["runPolicy"]["managedBy"] = "kueue.x-k8s.io/multikueue"
    assert why(live, [], operator=[]).sentence.startswith(
        "The training operator leaves Worker-0 and Worker-1 to kueue.x-k8s.io/multikueue"
    )


def test_half_a_job_in_a_quota() -> None:
    runs = {"containerStatuses": [{"name": "tensorflow", "state": {"running": {}}}]}
    told = why(
        job(Worker=3), [pod(node="gpu-1", status=runs, phase="Running")], events=[event("FailedCreatePod", QUOTA)]
    )
    assert told.sentence.startswith("The quota gpus of namespace team-a has no room for Worker-1 and Worker-2")
