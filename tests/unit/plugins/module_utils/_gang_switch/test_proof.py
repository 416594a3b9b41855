# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.jobs import RUNNING, GangJob
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.proof import Proof, prove
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.names import GROUP_NAME

VOLCANO = BACKENDS["volcano"]


def group(name: str, backend: str = "volcano", uid: str = "job-1") -> dict[str, Any]:
    owners = [{"kind": "TFJob", "name": "j", "uid": uid}]
    metadata = {"name": name, "namespace": "n", "ownerReferences": owners}
    return {"apiVersion": BACKENDS[backend].api_version, "kind": "PodGroup", "metadata": metadata}


def pod(index: int, of: str, node: str = "gpu-1") -> dict[str, Any]:
    metadata = {"name": f"j-worker-{index}", "namespace": "n", "annotations": {GROUP_NAME: of}}
    return {"metadata": metadata, "spec": {"nodeName": node, "schedulerName": "volcano"}}


def seen(*pods: dict[str, Any], **groups: list[dict[str, Any]]) -> Proof:
    template = {"metadata": {"annotations": {GROUP_NAME: "tfjob-j"}}, "spec": {"schedulerName": "volcano"}}
    spec = {"tfReplicaSpecs": {"Worker": {"replicas": 2, "template": template}}}
    root = {"metadata": {"name": "j", "namespace": "n", "uid": "job-1"}, "spec": spec}
    return prove(GangJob(TFJOB, TFJOB.ref("j", "n"), root, RUNNING, pods=pods), groups, VOLCANO, 2)


def lines(proof: Proof) -> list[str]:
    return [problem.line() for problem in proof.problems]


def test_one_group_and_all_pods_placed() -> None:
    others = [group("another", uid="job-2")]
    proof = seen(pod(0, "tfjob-j"), pod(1, "tfjob-j"), volcano=[group("tfjob-j"), *others], native=[])
    assert (proof.whole, proof.groups) == (True, ["scheduling.volcano.sh/v1beta1 tfjob-j"])


def test_pods_that_are_missing_or_have_no_node_are_waited_for() -> None:
    for pods in ([], [pod(0, "tfjob-j")], [pod(0, "tfjob-j"), pod(1, "tfjob-j", node="")]):
        proof = seen(*pods, volcano=[group("tfjob-j")])
        assert (proof.whole, proof.problems, proof.placed) == (False, [], min(len(pods), 1))


def test_no_group() -> None:
    assert lines(seen(volcano=[group("tfjob-k", uid="job-2")])) == [
        "TFJob n/j = none: has no PodGroup. Submit it with gang, by a module of this collection"
    ]


def test_a_group_that_the_scheduler_does_not_read() -> None:
    (line,) = lines(seen(kube_batch=[group("tfjob-j", "kube_batch")]))
    assert (
        "its PodGroup is one of scheduling.incubator.k8s.io/v1alpha1, and Volcano reads those in scheduling" in line
    )


def test_a_second_group_of_the_operators_making() -> None:
    (line,) = lines(seen(volcano=[group("tfjob-j"), group("j")]))
    assert "has 2 PodGroups" in line
    assert "Take the gang flag of the operator away" in line
    (line,) = lines(seen(volcano=[group("tfjob-j")], scheduler_plugins=[group("j", "scheduler_plugins")]))
    assert "has 2 PodGroups" in line


def test_a_pod_of_another_group() -> None:
    (line,) = lines(seen(pod(0, "tfjob-j"), pod(1, "j"), volcano=[group("tfjob-j")]))
    assert line.startswith("pod n/j-worker-1 = j: names another PodGroup than its job's, tfjob-j")
