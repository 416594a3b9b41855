# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a full verification: harmless, on the right nodes, in a ring."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster import probe
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import GROUPS, named_in
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_native import check_job

SETTINGS = probe.Settings("mlstack-verify", "python:3", "print()", pull_secrets=["site"])


def node(name: str, ready: str = "True", **spec: Any) -> dict[str, Any]:
    status = {"conditions": [{"type": "Ready", "status": ready}]}
    return {"kind": "Node", "metadata": {"name": name}, "spec": spec, "status": status}


TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("tolerations", "usable"),
    [
        ([], ["free", "soft"]),
        ([{"operator": "Exists"}], ["free", "gpu", "soft"]),
        ([{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}], ["free", "gpu", "soft"]),
        ([{"key": "nvidia.com/gpu", "value": "present"}], ["free", "gpu", "soft"]),
        ([{"key": "nvidia.com/gpu", "value": "other"}], ["free", "soft"]),
        ([{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}], ["free", "soft"]),
    ],
)
def test_nodes_that_take_pods(tolerations: list[dict[str, Any]], usable: list[str]) -> None:
    nodes = [
        node("soft", taints=[{"key": "x", "effect": "PreferNoSchedule"}]),
        node("gpu", taints=[TAINT]),
        node("free"),
        node("down", ready="False"),
        node("cordoned", unschedulable=True),
    ]
    assert probe.usable_nodes(nodes, tolerations) == usable


@given(st.lists(st.text("abcdef", min_size=1), unique=True, max_size=30))
def test_a_ring_lets_every_node_send_and_receive(names: list[str]) -> None:
    pairs = probe.ring(names)
    if len(names) < 2:
        assert pairs == []
        return
    assert {source for source, _target in pairs} == {target for _source, target in pairs} == set(names)
    assert all(source != target for source, target in pairs)
    assert all([target, source] in pairs for source, target in pairs)
    assert len(pairs) <= 2 * len(names)


def test_what_a_client_tries() -> None:
    addresses = {"a": "10.0.0.1", "b": "10.0.0.2", "c": "10.0.0.3"}
    found = probe.targets("b", addresses, "a", "10.96.0.9", "ns")
    assert [entry[1] for entry in found if entry[0] == "pod_network"] == ["b to a", "b to c"]
    assert ["service", "b to a by 10.96.0.9", "dial", ["10.96.0.9", probe.PORT, "a"]] in found
    assert [entry[3] for entry in found if entry[0] == "dns"] == [
        ["kubernetes.default.svc", ""],
        ["probe.ns.svc", "10.96.0.9"],
    ]
    # The server's own node would reach it without any network.
    assert not [entry for entry in probe.targets("a", addresses, "a", "10.96.0.9", "ns") if entry[0] == "service"]
    assert [entry for entry in probe.targets("a", {"a": "10.0.0.1"}, "a", "10.96.0.9", "ns") if entry[0] == "service"]
    assert not [entry for entry in probe.targets("b", addresses, "", "", "ns") if entry[0] == "service"]


def specs() -> list[dict[str, Any]]:
    """Return all pod specs of a verification."""
    pods = [*probe.servers(SETTINGS, ["a", "b"]), probe.client(SETTINGS, 0, "a", [])]
    replicas = probe.job_object(SETTINGS)["spec"]["tfReplicaSpecs"]
    return [pod["spec"] for pod in pods] + [replica["template"]["spec"] for replica in replicas.values()]


@pytest.mark.parametrize("index", range(4))
def test_pods_meet_the_restricted_level(index: int) -> None:
    spec = specs()[index]
    (container,) = spec["containers"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert spec["automountServiceAccountToken"] is False
    assert spec["imagePullSecrets"] == [{"name": "site"}]
    assert "limits" in container["resources"]


def test_one_server_stands_behind_the_service() -> None:
    selector = probe.service(SETTINGS)["spec"]["selector"].items()
    servers = probe.servers(SETTINGS, ["a", "b", "c"])
    assert [selector <= server["metadata"]["labels"].items() for server in servers] == [True, False, False]


def test_a_client_gets_its_targets_as_data() -> None:
    wanted = [["dns", "a: name", "resolve", ["name", ""]]]
    command = probe.client(SETTINGS, 0, "a", wanted)["spec"]["containers"][0]["command"]
    assert command[:4] == ["python3", "-c", "print()", "look"]
    assert json.loads(command[4]) == wanted


def test_the_job_is_sound_and_bounded() -> None:
    job = probe.job_object(SETTINGS)
    assert check_job(job) == []
    assert job["spec"]["runPolicy"]["activeDeadlineSeconds"] == SETTINGS.job_seconds


@pytest.mark.parametrize("backend", GROUPS, ids=lambda backend: backend.api_version)
def test_the_job_is_a_gang_of_its_scheduler(backend: Any) -> None:
    settings = replace(SETTINGS, gang=backend)
    (group,) = probe.job_parts(settings)
    template = probe.job_object(settings)["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    assert (group["apiVersion"], group["kind"], group["metadata"]["namespace"]) == (*backend.identity, "mlstack-verify")
    assert named_in(template, backend) == group["metadata"]["name"]
    assert template["spec"].get("schedulerName", "") == backend.scheduler


def test_without_a_gang_the_job_owns_nothing() -> None:
    assert probe.job_parts(SETTINGS) == []


def test_the_job_that_must_be_denied_has_two_leaders() -> None:
    assert set(probe.denied_job("ns")["spec"]["tfReplicaSpecs"]) == {"Chief", "Master"}


def test_a_secret_is_copied_with_its_type_and_nothing_of_its_owner() -> None:
    metadata = {"name": "site", "namespace": "jobs", "ownerReferences": [{"name": "x"}], "uid": "1"}
    live = {"metadata": metadata, "type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "e30="}}
    copy = probe.secret_copy(SETTINGS, live)
    assert (copy["type"], copy["data"]) == (live["type"], live["data"])
    assert copy["metadata"] == {"name": "site", "namespace": "mlstack-verify", "labels": probe.LABELS}
