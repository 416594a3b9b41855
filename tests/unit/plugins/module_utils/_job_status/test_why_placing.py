# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.why_objects import JUST_NOW, event, gpus, holder, job, node, pod, why

NO_GPU = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/2 nodes"
CLAIM = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def lease(renewed: str) -> dict[str, Any]:
    return {"spec": {"holderIdentity": "cp-1_1", "leaseDurationSeconds": 15, "renewTime": renewed}}


@pytest.mark.parametrize(
    ("pods", "seen", "sentence", "facts"),
    [
        pytest.param(
            [pod(0, says=NO_GPU, resources=gpus(2)), pod(1, says=NO_GPU, resources=gpus(2))],
            {
                "nodes": [node("gpu-1", 2), node("gpu-2", 2)],
                "held": [holder("a", "gpu-1", gpus(2), "resnet"), holder("b", "gpu-2", gpus(1))],
            },
            "No node has room for Worker-0 and Worker-1: nvidia.com/gpu is short on 2 of 2 nodes; gpu-2 comes"
            " closest and"
            " lacks 1 of 2 nvidia.com/gpu",
            [
                "gpu-1: nvidia.com/gpu 0 free of 2",
                "gpu-2: nvidia.com/gpu 1 free of 2",
                "nvidia.com/gpu is held by team-b: job resnet (2), team-b: pod b (1)",
            ],
            id="taken",
        ),
        pytest.param(
            [pod(says="m", resources={"requests": {"cpu": "6", "memory": "8Gi"}})],
            {
                "nodes": [node("a"), node("b")],
                "held": [
                    holder("x", "a", {"requests": {"cpu": "4", "memory": "12Gi"}}),
                    holder("y", "b", {"requests": {"cpu": "3500m"}}),
                ],
            },
            "No node has room for Worker-0: cpu is short on 2 of 2 nodes, memory on 1; b comes closest and lacks"
            " 1.5 of 6 cpu",
            ["a: cpu 4 free of 8, memory 4Gi free of 16Gi", "b: cpu 4.5 free of 8"],
            id="several resources",
        ),
        pytest.param(
            [pod(says="m", resources=gpus(8))],
            {"nodes": [node("gpu-1", 4), node("gpu-2", 2)], "held": []},
            "No node can ever hold Worker-0: each pod asks for 8 nvidia.com/gpu, and the largest node that it"
            " may use has 4",
            [],
            id="too large",
        ),
        pytest.param(
            [pod(says="m", resources={"limits": {"amd.com/gpu": 1}})],
            {"nodes": [node("gpu-1", 4)], "held": []},
            "No node offers amd.com/gpu, which Worker-0 must have",
            [],
            id="no such resource",
        ),
        pytest.param(
            [pod(says="m", nodeSelector={"disk": "ssd"})],
            {"nodes": [node("a"), node("b", labels={"disk": "hdd"})], "held": []},
            "No node is one that Worker-0 may use: none of 2 nodes has disk=ssd",
            [],
            id="selector",
        ),
        pytest.param(
            [
                pod(
                    says="m",
                    affinity={
                        "nodeAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": {
                                "nodeSelectorTerms": [
                                    {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}
                                ]
                            }
                        }
                    },
                )
            ],
            {"nodes": [node("a", labels={"zone": "c"})], "held": []},
            "No node is one that Worker-0 may use: none of 1 node has zone In (a, b)",
            [],
            id="affinity",
        ),
        pytest.param(
            [pod(says="m", nodeSelector={"kind": "gpu"})],
            {"nodes": [node("a"), node("gpu-1", labels={"kind": "gpu"}, taints=[TAINT])], "held": []},
            "Every node that Worker-0 may use keeps them off by a taint: gpu-1 nvidia.com/gpu=present:NoSchedule",
            ["not asked for: a"],
            id="taint",
        ),
        pytest.param(
            [pod(says="m")],
            {"nodes": [node("a", unschedulable=True), node("b", ready="Unknown")], "held": []},
            "Every node that Worker-0 may use is out of service: a cordoned; b not ready"
            " (NodeStatusUnknown: Kubelet stopped posting node status.)",
            [],
            id="cordoned and not ready",
        ),
        pytest.param(
            [pod(says="m", resources=gpus(1), tolerations=[{"key": "nvidia.com/gpu", "operator": "Exists"}])],
            {
                "nodes": [node("gpu-1", 1, taints=[TAINT]), node("gpu-2", 8, unschedulable=True)],
                "held": [holder("x", "gpu-1", gpus(1))],
            },
            "No node has room for Worker-0: nvidia.com/gpu is short on 1 of 2 nodes; gpu-1 comes closest and"
            " lacks 1 of 1"
            " nvidia.com/gpu",
            ["out of service: gpu-2 cordoned"],
            id="tolerated, taken, and another one cordoned",
        ),
        pytest.param([pod(says="m")], {"nodes": [], "held": []}, "The cluster has no node at all", [], id="no nodes"),
        pytest.param(
            [pod(says="0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.")],
            {"nodes": [node("a")], "held": []},
            "The scheduler finds no node for Worker-0: 0/1 nodes are available: 1 node(s) didn't match pod"
            " anti-affinity rules",
            [],
            id="another rule",
        ),
        pytest.param(
            [pod(says=NO_GPU, resources=gpus(2))],
            {"unread": ["not looked at: nodes (you may not read them)"]},
            "The scheduler finds no node for Worker-0: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu",
            ["not looked at: nodes (you may not read them)"],
            id="nodes may not be read",
        ),
        pytest.param(
            [pod(says='persistentvolumeclaim "data" not found. preemption: not helpful', volumes=CLAIM)],
            {"nodes": [node("a")], "held": [], "claims": {"data": None}},
            "No node takes Worker-0, because there is no claim data in namespace team-a",
            [],
            id="no claim",
        ),
        pytest.param(
            [pod(says="0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", volumes=CLAIM)],
            {
                "nodes": [node("a")],
                "held": [],
                "claims": {"data": {"spec": {"storageClassName": "fast"}, "status": {"phase": "Pending"}}},
                "events": [
                    event(
                        "ProvisioningFailed",
                        'storageclass.storage.k8s.io "fast" not found',
                        "PersistentVolumeClaim",
                        "data",
                    )
                ],
            },
            "No node takes Worker-0, because claim data has no volume: ProvisioningFailed:"
            ' storageclass.storage.k8s.io "fast" not found',
            ["storage class of the claim: fast"],
            id="claim without a volume",
        ),
        pytest.param(
            [pod(schedulingGates=[{"name": "kueue.x-k8s.io/admission"}], says="Scheduling is blocked")],
            {},
            "Nobody may place Worker-0 yet: the scheduling gate kueue.x-k8s.io/admission is closed",
            [],
            id="gate",
        ),
        pytest.param(
            [pod()],
            {"lease": lease("2026-11-28T11:50:00.000000Z")},
            "The cluster's scheduler does not run, so nobody places Worker-0: it last reported 10m ago",
            ["its lease is that of cp-1_1"],
            id="scheduler stopped",
        ),
        pytest.param(
            [pod(schedulerName="volcano")],
            {"lease": lease("2026-11-28T11:59:59.000000Z")},
            "No scheduler has looked at Worker-0 in 60m: none seems to run under the name volcano",
            [],
            id="a scheduler nobody runs",
        ),
        pytest.param(
            [pod()],
            {},
            "No scheduler has looked at Worker-0 in 60m: none seems to run under the name default-scheduler",
            [],
            id="no lease, no scheduler",
        ),
        pytest.param([pod(made=JUST_NOW)], {}, "The scheduler has not looked at Worker-0 yet", [], id="a moment ago"),
    ],
)
def test_why_no_node_takes_it(
    pods: list[dict[str, Any]], seen: dict[str, Any], sentence: str, facts: list[str]
) -> None:
    told = why(job(Worker=len(pods)), pods, **seen)
    assert told.sentence.startswith(sentence)
    assert [fact for fact in facts if not any(fact in line for line in told.facts)] == []
    assert told.facts[-1].startswith("what to do: ")


def test_replicas_with_different_troubles_are_told_apart() -> None:
    pods = [pod(0, "ps", says="m", nodeSelector={"disk": "ssd"}), pod(0, says="m", resources=gpus(1))]
    told = why(job(PS=1, Worker=1), pods, nodes=[node("a", 1)], held=[holder("x", "a", gpus(1))])
    assert told.sentence.startswith("No node is one that PS-0 may use")
    assert any(fact.startswith("No node has room for Worker-0: nvidia.com/gpu") for fact in told.facts)


def test_a_pod_for_which_room_is_made() -> None:
    made = {**pod(says="m", resources=gpus(1))}
    made["status"]["nominatedNodeName"] = "a"
    told = why(job(Worker=1), [made], nodes=[node("a", 1)], held=[holder("x", "a", gpus(1))])
    assert "the scheduler makes room on a: pods of lower priority leave it" in told.facts


def test_a_pod_larger_than_what_the_nodes_own_pods_leave() -> None:
    """A wait for the end of a DaemonSet's pod would have none."""
    seen = {"nodes": [node("a", 4)], "held": [holder("x", "a", gpus(1), owner="DaemonSet")]}
    told = why(job(Worker=1), [pod(says="m", resources=gpus(4))], **seen)
    assert told.sentence.startswith("No node can ever hold Worker-0: each pod asks for 4 nvidia.com/gpu")
    assert told.sentence.endswith("has 3")


def test_only_what_is_held_on_nodes_that_the_pod_may_use_is_told() -> None:
    """And of the scheduler's message only what differs from case to case."""
    told = why(
        job(Worker=1),
        [pod(says=NO_GPU, resources=gpus(1), nodeSelector={"pool": "a"})],
        nodes=[node("a", 1, labels={"pool": "a"}), node("b", 8)],
        held=[holder("x", "a", gpus(1)), holder("y", "b", gpus(8))],
    )
    assert told.facts == [
        "a: nvidia.com/gpu 0 free of 1",
        "nvidia.com/gpu is held by team-b: pod x (1)",
        "not asked for: b",
        "the scheduler says: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu",
        "what to do: Wait until the pods that hold it end, ask for less, or add a node",
    ]
