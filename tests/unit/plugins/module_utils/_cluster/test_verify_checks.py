# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of the findings: checks, ways out, table, report."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster import verify_checks
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.verify_checks import (
    NEEDS,
    WAYS_OUT,
    Check,
    findings,
    gang_check,
    network_check,
    report,
    rows,
    webhook_check,
    with_ways_out,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.names import GROUP_NAME

DENIED = 'admission webhook "validator.tfjob" denied the request: spec.tfReplicaSpecs: two leaders'


def client(name: str, message: str | None) -> dict[str, Any]:
    state = {"terminated": {"exitCode": 0, **({"message": message} if message is not None else {})}}
    return {"metadata": {"name": name}, "status": {"containerStatuses": [{"state": state}]}}


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ('[["dns", "a: name", ""]]', [["dns", "a: name", ""]]),
        (None, []),
        ("", []),
        ('[["dns", "a: na', []),
        ("null", []),
        ("7", []),
        ('["short"]', []),
        ("[7]", []),
    ],
)
def test_what_a_client_said(message: str | None, found: list[list[str]]) -> None:
    assert findings([client("client-0", message)]) == found
    assert findings([{"metadata": {"name": "client-0"}, "status": {}}]) == []


def test_a_network_check_fails_with_every_error() -> None:
    found = [["dns", "a: x", ""], ["dns", "b: x", "no such name"], ["service", "a to b", "timed out"]]
    assert network_check("dns", found, [], "") == Check("dns", False, "b: x: no such name")
    assert network_check("service", found, [], "") == Check("service", False, "a to b: timed out")
    assert network_check("dns", found[:1], [], "") == Check("dns", True, "a: x")
    assert network_check("pod_network", found, [], "one node only") == Check("pod_network", True, "one node only")
    assert network_check("dns", found[:1], ["c: said nothing"], "") == Check("dns", False, "c: said nothing")


def test_many_errors_are_shortened() -> None:
    found = [["dns", f"node-{number}", "no such name"] for number in range(20)]
    assert "and 16 more" in network_check("dns", found, [], "").detail


@pytest.mark.parametrize(
    ("answer", "ok", "word"),
    [
        (DENIED, True, "refuses"),
        ("", False, "no webhook looks at jobs"),
        ("failed calling webhook: no endpoints available", False, "no endpoints available"),
        ('tfjobs.kubeflow.org is forbidden: User "jane" cannot patch', False, "forbidden"),
    ],
)
def test_the_webhook_must_deny(answer: str, ok: bool, word: str) -> None:
    check = webhook_check(lambda: answer)
    assert check.ok is ok
    assert word in check.detail


VOLCANO = BACKENDS["volcano"]


def group(name: str, backend: str = "volcano") -> dict[str, Any]:
    return {"apiVersion": BACKENDS[backend].api_version, "kind": "PodGroup", "metadata": {"name": name}}


def pod(index: int, of: str = "tfjob-j", node: str = "gpu-1") -> dict[str, Any]:
    metadata = {"name": f"j-worker-{index}", "annotations": {GROUP_NAME: of}}
    return {"metadata": metadata, "spec": {"nodeName": node, "schedulerName": "volcano"}}


PODS = [pod(0), pod(1)]


@pytest.mark.parametrize(
    ("groups", "pods", "ok", "word"),
    [
        ([group("tfjob-j")], PODS, True, "2 of 2 pods have a node, as scheduling.volcano.sh/v1beta1 PodGroup tfjob-j"),
        ([group("tfjob-j")], [pod(0), pod(1, node="")], False, "1 of 2 pods have a node"),
        ([group("tfjob-j")], [], False, "0 of 2 pods have a node"),
        ([], PODS, False, "must have one PodGroup in scheduling.volcano.sh/v1beta1, which Volcano reads; has none"),
        ([group("tfjob-j", "kube_batch")], PODS, False, "has scheduling.incubator.k8s.io/v1alpha1 PodGroup tfjob-j"),
        # By an operator with a gang flag.
        (
            [group("tfjob-j"), group("j")],
            PODS,
            False,
            "has scheduling.volcano.sh/v1beta1 PodGroup tfjob-j; scheduling.",
        ),
        ([group("tfjob-j"), group("j", "scheduler_plugins")], PODS, False, "; scheduling.x-k8s.io/v1alpha1 PodGroup j"),
        ([group("tfjob-j")], [pod(0), pod(1, "j")], False, "pods that do not name PodGroup tfjob-j: j-worker-1"),
    ],
)
def test_a_gang_has_one_group_and_all_its_pods_have_a_node(
    groups: list[dict[str, Any]], pods: list[dict[str, Any]], ok: bool, word: str
) -> None:
    check = gang_check(VOLCANO, groups, pods, 2)
    assert check.ok is ok
    assert word in check.detail


@pytest.mark.parametrize("name", sorted(WAYS_OUT))
def test_each_check_has_a_way_out(name: str) -> None:
    (check,) = with_ways_out([Check(name, False, "broken")], "kubectl --kubeconfig k", "ns")
    assert "{" not in check.way_out
    assert len(check.way_out) > 20
    assert with_ways_out([Check(name, True, "fine")], "kubectl", "ns")[0].way_out == ""


def test_a_check_that_needs_a_broken_one_says_so() -> None:
    checks = [Check("dns", False, "no such name"), Check("job", False, "failed"), Check("pods", True, "2")]
    dns, job, _pods = with_ways_out(checks, "kubectl", "ns")
    assert not dns.way_out.startswith("Put")
    assert job.way_out.startswith("Put dns right first")


def test_needs_name_checks() -> None:
    assert {*NEEDS, *(name for names in NEEDS.values() for name in names)} <= set(WAYS_OUT)


def test_table_and_report() -> None:
    checks = with_ways_out([Check("nodes", True, "3 ready", "", 0.04), Check("dns", False, "broken")], "kubectl", "ns")
    assert rows(checks)[1:] == [["nodes", "yes", "0.0 s", "3 ready"], ["dns", "NO", "0.0 s", "broken"]]
    text = report(checks)
    assert text.splitlines()[0] == "1 of 2 checks failed:"
    assert "1. dns: broken. Look: kubectl -n kube-system" in text
    assert checks[0].result() == {"name": "nodes", "ok": True, "detail": "3 ready", "way_out": "", "seconds": 0.0}


def test_few_keeps_what_fits() -> None:
    assert verify_checks.few(["a", "b"]) == "a; b"
