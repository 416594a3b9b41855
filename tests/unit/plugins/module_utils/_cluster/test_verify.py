# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be ready, found in the cluster itself; how samples stand; the summary."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.verify import (
    Sample,
    problems,
    sample_states,
    summary,
    wanted,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref


def node(name: str, **labels: str) -> dict[str, Any]:
    info = {"kubeletVersion": "v1.37.2", "containerRuntimeVersion": "containerd://2.4.2", "osImage": "Debian 12"}
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"nodeInfo": info}}


def pod(name: str, owner: dict[str, str] | None = None, **metadata: Any) -> dict[str, Any]:
    owners = {"ownerReferences": [owner]} if owner else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "kube-system", **owners, **metadata},
        "spec": {"containers": [{"image": f"registry.example.org/{name}:v1"}]},
    }


def names(refs: list[Ref]) -> list[tuple[str, str]]:
    return [(ref.kind, ref.name) for ref in refs]


def test_nodes_dns_and_operator_are_wanted_even_when_no_pod_is_there() -> None:
    found = wanted([node("cp-1"), node("node-1")], [])
    assert {check: names(refs) for check, refs in found.items()} == {
        "nodes": [("Node", "cp-1"), ("Node", "node-1")],
        "system": [("Deployment", "coredns")],
        "operator": [("CustomResourceDefinition", "tfjobs.kubeflow.org"), ("Deployment", "training-operator")],
        "webhook": [("ValidatingWebhookConfiguration", "validator.training-operator.kubeflow.org")],
    }


def test_the_operators_own_pod_is_no_part_of_the_system() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "training-operator-5d4f8c"}
    metadata = {"namespace": "kubeflow", "labels": {"pod-template-hash": "5d4f8c"}}
    found = wanted([], [pod("training-operator-5d4f8c-x", owner, **metadata)])
    assert ("Deployment", "training-operator") not in names(found["system"])


def test_what_owns_the_pods_is_wanted_once() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "kube-proxy"}
    found = wanted([], [pod("kube-proxy-1", owner), pod("kube-proxy-2", owner)])["system"]
    assert names(found).count(("DaemonSet", "kube-proxy")) == 1
    assert ("Pod", "kube-proxy-1") not in names(found)


def test_a_pod_of_a_replica_set_stands_for_its_deployment() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "metrics-server-5d4f8c"}
    found = wanted([], [pod("metrics-server-5d4f8c-x", owner, labels={"pod-template-hash": "5d4f8c"})])["system"]
    assert ("Deployment", "metrics-server") in names(found)


def test_static_pods_stand_for_themselves() -> None:
    mirror = pod(
        "etcd-cp-1",
        {"apiVersion": "v1", "kind": "Node", "name": "cp-1"},
        annotations={"kubernetes.io/config.mirror": "x"},
    )
    assert wanted([], [mirror])["system"][-1] == Ref("v1", "Pod", "etcd-cp-1", "kube-system")


def test_pods_that_are_meant_to_end_are_not_wanted() -> None:
    job_pod = pod("helm-install-x", {"apiVersion": "batch/v1", "kind": "Job", "name": "helm-install"})
    assert wanted([], [job_pod, pod("debug")]) == wanted([], [])


@pytest.mark.parametrize(
    ("state", "said"),
    [("created", "Created"), ("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed")],
)
@pytest.mark.parametrize("kind", JOB_KINDS.values(), ids=lambda kind: kind.name)
def test_a_job_of_any_kind_stands_as_its_state_says(kind: JobKind, state: str, said: str) -> None:
    (found,) = sample_states(["a"], {kind.ref("a", "ns"): JobState(state, message="it is")})
    assert (found.state, found.message) == (said, "it is")


def test_a_job_that_is_not_there_is_missing_and_others_do_not_count() -> None:
    assert sample_states(["a"], {TFJOB.ref("b", "ns"): JobState("succeeded")}) == [Sample("a", "missing")]


@pytest.mark.parametrize(("state", "seconds"), [("succeeded", 75), ("running", None)])
def test_the_time_of_a_job_is_from_its_start_to_its_end(state: str, seconds: int | None) -> None:
    assert sample_states(["a"], {TFJOB.ref("a", "ns"): JobState(state, duration_s=75.4)})[0].seconds == seconds


def test_each_problem_names_the_job_and_the_way_out() -> None:
    found = problems(
        [
            Sample("good", "Succeeded"),
            Sample("gone", "missing"),
            Sample("bad", "Failed", message="out of memory"),
            Sample("slow", "Running"),
        ],
        "ns",
    )
    assert found == [
        "gone: there is no such job. Run it: ansible-playbook trainyard.mlstack.samples",
        "bad: failed (out of memory). Look: ansible-playbook trainyard.mlstack.job_status -e job_status_namespace=ns. "
        "Run it again: ansible-playbook trainyard.mlstack.samples",
        "slow: has not ended, its state is Running. "
        "Look: ansible-playbook trainyard.mlstack.job_status -e job_status_namespace=ns",
    ]


def test_the_summary_says_what_is_there_and_how_to_use_it() -> None:
    nodes = [node("node-1"), node("cp-1", **{"node-role.kubernetes.io/control-plane": ""})]
    samples = [Sample("digits", "Succeeded", 43), Sample("other", "missing")]
    assert summary([*nodes, pod("coredns"), pod("coredns")], samples, "~/.kube/mlstack.conf", "ns") == [
        "nodes (2):",
        "  cp-1: control plane, kubelet v1.37.2, containerd://2.4.2, Debian 12",
        "  node-1: worker, kubelet v1.37.2, containerd://2.4.2, Debian 12",
        "system:",
        "  registry.example.org/coredns:v1",
        "sample digits: Succeeded after 43 s",
        "sample other: missing",
        "use it:",
        "  export KUBECONFIG=~/.kube/mlstack.conf",
        "  kubectl get nodes",
        "  kubectl -n ns get tfjobs,pods -o wide",
    ]
