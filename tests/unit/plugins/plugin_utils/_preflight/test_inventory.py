# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the inventory: hosts, groups, old names, control planes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import inventory as checks_inventory
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_GROUPS, lines

ONE_PLANE = {"api_endpoint": "", "api_load_balancer": "none"}


class TestInventory:
    """Hosts and groups."""

    def test_hosts_are_there(self) -> None:
        assert checks_inventory.inventory_checks({"groups": GOOD_GROUPS, "sources": []}, {}) == []

    def test_no_host_names_the_sources(self) -> None:
        facts = {"groups": {"all": [], "ungrouped": []}, "sources": ["/tmp/empty.ini"]}
        text = lines(checks_inventory.inventory_checks(facts, {}))
        assert "/tmp/empty.ini" in text
        assert "ansible-inventory -i" in text

    def test_good_groups(self) -> None:
        assert checks_inventory.group_checks({"groups": GOOD_GROUPS}, ONE_PLANE) == []

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"kube_node": []}, ["group kube_node", "[kube_node]"]),
            ({"kube_control_plane": []}, ["group kube_control_plane", "[kube_control_plane]"]),
            (
                {"kube_control_plane": [], "kube-master": ["cp-1"]},
                ["kube-master", "[kube_control_plane:children] and kube-master"],
            ),
            ({"kube_node": [], "kube-node": ["gpu-1"]}, ["[kube_node:children] and kube-node"]),
            (
                {"k8s_cluster": [], "k8s-cluster": ["x"]},
                ["group k8s-cluster", "x would be left out", "[k8s_cluster:children] and k8s-cluster"],
            ),
            (
                {"kube-node": ["gpu-2"]},
                ["group kube-node", "gpu-2 would be left out", "[kube_node:children] and kube-node"],
            ),
            ({"kube-deploy": ["admin"]}, ["group kube-deploy", "admin would be left out", "[kube_node:children]"]),
            ({"etcd": ["db-1", "cp-1"]}, ["group etcd = db-1:", "kube_control_plane"]),
        ],
    )
    def test_bad_groups(self, change: dict[str, list[str]], words: list[str]) -> None:
        groups = checks_inventory.completed({**GOOD_GROUPS, **change})
        problems = checks_inventory.group_checks({"groups": groups}, ONE_PLANE)
        assert len(problems) == 1
        for word in words:
            assert word in lines(problems)

    @pytest.mark.parametrize(
        "change",
        [
            {
                "kube-master": ["cp-1"],
                "kube-node": ["gpu-1"],
                "k8s-cluster": ["cp-1", "gpu-1"],
                "kube-deploy": ["cp-1"],
            },
            {"etcd": ["cp-1"]},
            {"etcd": ["cp-1", "gpu-1"]},
            {"bastion": ["b"], "all": ["b", "cp-1", "gpu-1"]},
        ],
    )
    def test_old_groups_that_the_new_ones_hold_and_other_groups_are_no_problem(self, change: dict[str, Any]) -> None:
        assert checks_inventory.group_checks({"groups": {**GOOD_GROUPS, **change}}, ONE_PLANE) == []

    def test_an_inventory_of_old_names_alone_is_told_all_lines(self) -> None:
        groups = {"all": ["a", "b"], "kube-master": ["a"], "kube-node": ["b"], "k8s-cluster": ["a", "b"]}
        text = lines(checks_inventory.group_checks({"groups": groups}, ONE_PLANE))
        for new, old in (
            ("kube_control_plane", "kube-master"),
            ("kube_node", "kube-node"),
            ("k8s_cluster", "k8s-cluster"),
        ):
            assert f"[{new}:children] and {old}" in text

    def test_etcd_on_a_worker_is_worth_a_warning(self) -> None:
        groups = {**GOOD_GROUPS, "etcd": ["cp-1", "gpu-1"]}
        notes = checks_inventory.group_notes({"groups": groups}, ONE_PLANE)
        assert [note.value for note in notes] == ["gpu-1"]
        assert checks_inventory.group_notes({"groups": GOOD_GROUPS}, ONE_PLANE) == []

    @pytest.mark.parametrize(
        ("planes", "endpoint", "balancer", "words"),
        [
            (1, "", "none", []),
            (3, "api.example.org:6443", "none", []),
            (3, "", "local", []),
            (3, "", "none", ["mlstack_api_load_balancer: local"]),
            (2, "api:6443", "none", ["must be odd: etcd", "2 hosts bear the loss of no more than 1 would"]),
            (4, "", "none", ["must be odd", "mlstack_api_endpoint"]),
            (1, "api:6443", "local", ["Leave out one of the two"]),
        ],
    )
    def test_control_planes(self, planes: int, endpoint: str, balancer: str, words: list[str]) -> None:
        hosts = [f"cp-{number}" for number in range(planes)]
        groups = {**GOOD_GROUPS, "kube_control_plane": hosts, "k8s_cluster": [*hosts, "gpu-1"]}
        options = {"api_endpoint": endpoint, "api_load_balancer": balancer}
        problems = checks_inventory.group_checks({"groups": groups}, options)
        assert bool(problems) == bool(words)
        for word in words:
            assert word in lines(problems)

    def test_a_host_in_both_groups_counts_once(self) -> None:
        groups = {"kube_control_plane": ["a"], "kube_node": ["b", "a"]}
        assert checks_inventory.cluster_hosts(groups) == ["a", "b"]
