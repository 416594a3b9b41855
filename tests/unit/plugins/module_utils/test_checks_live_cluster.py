# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that runs: what would break it is refused, with both values."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._checks_live_cluster import checks

LIVE = {
    "pod_cidr": "10.244.0.0/16",
    "service_cidr": "10.96.0.0/12",
    "cluster_name": "mlstack",
    "dns_domain": "cluster.local",
}
NODE = {"kubernetes": {"ours": True, "kubelet_conf": True, "version": "1.37.2"}, "cluster": LIVE}
OPTIONS = {**LIVE, "kubernetes_version": "1.37.2"}


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
