# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that runs: what would break it is refused, with both values."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.live_cluster import checks

LIVE = {
    "pod_cidr": "10.244.0.0/16",
    "service_cidr": "10.96.0.0/12",
    "cluster_name": "mlstack",
    "dns_domain": "cluster.local",
}
KUBERNETES = {
    "ours": True,
    "kubelet_conf": True,
    "admin_conf": True,
    "stage": "done",
    "endpoint": "192.0.2.11:6443",
    "version": "1.37.2",
}
NODE = {"name": "cp-1", "kubernetes": KUBERNETES, "cluster": LIVE}
OPTIONS = {
    **LIVE,
    "kubernetes_version": "1.37.2",
    "control_plane": True,
    "api_endpoint": "",
    "api_load_balancer": "none",
    "api_load_balancer_port": 7443,
}


def test_the_same_is_no_problem() -> None:
    assert checks(NODE, OPTIONS) == []


@pytest.mark.parametrize(
    ("name", "value", "variable"),
    [
        ("pod_cidr", "10.245.0.0/16", "mlstack_pod_cidr"),
        ("pod_cidr", "10.244.0.0/16,fd00:10::/56", "mlstack_pod_cidr"),
        ("service_cidr", "10.97.0.0/16", "mlstack_service_cidr"),
        ("cluster_name", "other", "mlstack_cluster_name"),
        ("dns_domain", "corp.example", "kubernetes_dns_domain"),
    ],
)
def test_what_a_cluster_keeps_for_life_is_refused_with_both_values(name: str, value: str, variable: str) -> None:
    (problem,) = checks(NODE, {**OPTIONS, name: value})
    assert (problem.field, problem.value) == (variable, value)
    assert LIVE[name] in problem.rule
    assert f"Set it to {LIVE[name]}" in problem.way_out


@pytest.mark.parametrize("version", ["1.36.3", "1.38.0"])
def test_another_version_is_refused_on_workers_too(version: str) -> None:
    worker = {**NODE, "cluster": None}
    (problem,) = checks(worker, {**OPTIONS, "kubernetes_version": version})
    assert problem.field == "mlstack_release"
    assert "1.37.2" in problem.rule
    assert version in problem.rule


@pytest.mark.parametrize("text", ["10.244.0.0/16 , fd00:10::/56", "10.244.0.0/16,fd00:0010:0::/56"])
def test_one_network_may_be_spelt_in_several_ways(text: str) -> None:
    live = {**NODE, "cluster": {"pod_cidr": "10.244.0.0/16,fd00:10::/56"}}
    assert checks(live, {**OPTIONS, "pod_cidr": text}) == []


@pytest.mark.parametrize(
    "state", [{"ours": False, "kubelet_conf": True, "version": "1.30.0"}, {"ours": True, "kubelet_conf": False}, None]
)
def test_a_host_that_is_no_node_of_ours_is_not_judged(state: Any) -> None:
    assert checks({"kubernetes": state, "cluster": LIVE}, {**OPTIONS, "pod_cidr": "10.1.0.0/16"}) == []


def test_the_main_version_of_ip_cannot_change_either() -> None:
    live = {**NODE, "cluster": {"pod_cidr": "10.244.0.0/16,fd00:10::/56"}}
    assert len(checks(live, {**OPTIONS, "pod_cidr": "fd00:10::/56,10.244.0.0/16"})) == 1


def test_without_a_release_its_version_is_not_judged() -> None:
    assert checks(NODE, {**OPTIONS, "kubernetes_version": ""}) == []


def plane(**change: Any) -> dict[str, Any]:
    return {**NODE, "kubernetes": {**KUBERNETES, **change}}


@pytest.mark.parametrize(
    ("live", "options"),
    [
        ("192.0.2.11:6443", {}),
        ("[2001:db8::11]:6443", {}),
        ("api.example.org:6443", {"api_endpoint": "api.example.org:6443"}),
        ("127.0.0.1:7443", {"api_load_balancer": "local"}),
        ("127.0.0.1:8443", {"api_load_balancer": "local", "api_load_balancer_port": 8443}),
    ],
)
def test_the_address_of_the_api_is_as_it_was(live: str, options: dict[str, Any]) -> None:
    assert checks(plane(endpoint=live), {**OPTIONS, **options}) == []


@pytest.mark.parametrize(
    ("live", "options", "field", "word"),
    [
        ("192.0.2.11:6443", {"api_endpoint": "api.example.org:6443"}, "mlstack_api_endpoint", "192.0.2.11:6443"),
        ("192.0.2.11:6443", {"api_load_balancer": "local"}, "mlstack_api_load_balancer", "192.0.2.11:6443"),
        ("api.example.org:6443", {}, "mlstack_api_endpoint", "api.example.org:6443"),
        ("api.example.org:6443", {"api_endpoint": "b.example.org:6443"}, "mlstack_api_endpoint", "api.example.org"),
        ("api.example.org:6443", {"api_load_balancer": "local"}, "mlstack_api_load_balancer", "api.example.org:6443"),
        ("127.0.0.1:7443", {}, "mlstack_api_load_balancer", "local"),
        ("127.0.0.1:7443", {"api_endpoint": "api.example.org:6443"}, "mlstack_api_load_balancer", "local"),
        (
            "127.0.0.1:7443",
            {"api_load_balancer": "local", "api_load_balancer_port": 8443},
            "mlstack_api_load_balancer_port",
            "7443",
        ),
    ],
)
def test_another_address_of_the_api_is_refused(live: str, options: dict[str, Any], field: str, word: str) -> None:
    (problem,) = checks(plane(endpoint=live), {**OPTIONS, **options})
    assert problem.field == field
    assert word in problem.rule
    assert word in problem.way_out


def test_a_worker_is_not_made_a_control_plane_nor_the_other_way_round() -> None:
    worker = {**plane(admin_conf=False), "cluster": None}
    (problem,) = checks(worker, OPTIONS)
    assert problem.field == "group kube_control_plane"
    assert "kubectl delete node cp-1" in problem.way_out
    (problem,) = checks(NODE, {**OPTIONS, "control_plane": False})
    assert "Put it back" in problem.way_out
    assert checks(worker, {**OPTIONS, "control_plane": False}) == []


def test_a_join_that_was_broken_off_is_none() -> None:
    assert checks({**plane(admin_conf=False, stage="half"), "cluster": None}, OPTIONS) == []
