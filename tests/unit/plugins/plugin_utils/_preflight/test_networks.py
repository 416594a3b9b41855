# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of pod and service networks against each other and the site."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import networks as checks_networks
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_GROUPS, GOOD_NODE, lines


class TestNetworks:
    """Pod and service network."""

    NODE = {**GOOD_NODE, "address_secondary": "2001:db8::1"}
    FACTS: dict[str, Any] = {"hosts": {"cp-1": NODE, "ghost": {}}, "groups": GOOD_GROUPS}

    @pytest.mark.parametrize(
        ("pod", "service", "field", "word"),
        [
            ("10.244.0.0/16", "10.96.0.0/12", None, ""),
            ("10.244.0.1/16", "10.96.0.0/12", "mlstack_pod_cidr", "host bits"),
            ("x", "10.96.0.0/12", "mlstack_pod_cidr", "10.244.0.0/16"),
            ("10.100.0.0/16", "10.96.0.0/12", "mlstack_pod_cidr", "overlap"),
            ("10.0.0.0/8", "10.96.0.0/12", "mlstack_pod_cidr", "overlap"),
            ("10.244.0.0/24", "10.96.0.0/12", "mlstack_pod_cidr", "2 nodes"),
            ("10.244.0.0/26", "10.96.0.0/12", "mlstack_pod_cidr", "2 nodes"),
            ("10.244.0.0/23", "10.96.0.0/12", None, ""),
            ("10.0.0.0/7", "172.16.0.0/16", "mlstack_pod_cidr", "at most /8"),
            ("10.244.0.0/16", "10.96.0.0/29", "mlstack_service_cidr", "at least /28"),
            ("10.244.0.0/16,10.245.0.0/16", "10.96.0.0/12", "mlstack_pod_cidr", "one of IPv4 and one of IPv6"),
            ("10.244.0.0/16,fd00:1::/56", "10.96.0.0/12", "mlstack_service_cidr", "same IP versions"),
            ("10.244.0.0/16, fd00:1::/56", "10.96.0.0/12,fd00:2::/108", None, ""),
            ("fd00:1::/56,10.244.0.0/16", "10.96.0.0/12,fd00:2::/108", "mlstack_service_cidr", "same order"),
            ("10.244.0.0/16,fd00:1::/64", "10.96.0.0/12,fd00:2::/108", "mlstack_pod_cidr", "enough for 1 of the 2"),
            ("10.244.0.0/16,fd00:1::/112", "10.96.0.0/12,fd00:2::/108", "mlstack_pod_cidr", "enough for 0 of the 2"),
            ("10.244.0.0/16,fd00::/47", "10.96.0.0/12,fd01::/108", "mlstack_pod_cidr", "at most /48"),
            ("10.244.0.0/16,fd00:1::/56", "10.96.0.0/12,fd00:2::/107", "mlstack_service_cidr", "/108"),
            ("10.244.0.0/16,fd00:1::/56", "10.96.0.0/12,fd00:1::/108", "mlstack_pod_cidr", "overlap"),
            ("fd00:1::/56", "fd00:2::/108", "mlstack_node_ip", "must be of IPv6"),
            ("172.16.0.0/16", "10.0.0.0/8", "mlstack_service_cidr", "/12"),
            ("192.0.2.0/23", "10.96.0.0/12", "mlstack_pod_cidr", "192.0.2.10"),
            ("10.244.0.0/16", "192.0.2.0/24", "mlstack_service_cidr", "192.0.2.10"),
        ],
    )
    def test_networks(self, pod: str, service: str, field: str | None, word: str) -> None:
        problems = checks_networks.checks(self.FACTS, {"pod_cidr": pod, "service_cidr": service})
        assert [problem.field for problem in problems] == ([field] if field else [])
        assert word in lines(problems)

    @pytest.mark.parametrize(
        ("network", "interface", "gateway", "ours", "refused", "noted"),
        [
            ("10.244.7.0/24", "eth1", "", False, True, False),
            ("10.0.0.0/8", "eth1", "", False, True, False),
            ("10.244.7.0/24", "eth0", "192.0.2.1", False, True, False),
            ("10.0.0.0/8", "eth0", "192.0.2.1", False, False, True),
            ("172.17.0.0/16", "docker0", "", False, False, False),
            ("10.244.1.0/24", "cni0", "", False, False, False),
            ("10.244.2.0/24", "flannel.1", "10.244.2.0", False, False, False),
            ("10.244.2.0/24", "eth0", "192.0.2.11", True, False, False),
        ],
    )
    def test_routes(self, network: str, interface: str, gateway: str, ours: bool, refused: bool, noted: bool) -> None:
        route = {"network": network, "interface": interface, "gateway": gateway}
        node = {**self.NODE, "routes": [route], "kubernetes": {"ours": ours}}
        facts = {"hosts": {"cp-1": node}, "groups": GOOD_GROUPS}
        options = {"pod_cidr": "10.244.0.0/16", "service_cidr": "192.168.0.0/16"}
        problems, notes = checks_networks.checks(facts, options), checks_networks.notes(facts, options)
        assert (len(problems), len(notes)) == (refused, noted)
        assert all(problem.host == "cp-1" and network in problem.rule for problem in problems + notes)

    def test_a_dual_stack_node_needs_both_addresses(self) -> None:
        facts = {"hosts": {"cp-1": {**GOOD_NODE, "address_secondary": None}}, "groups": GOOD_GROUPS}
        options = {"pod_cidr": "10.244.0.0/16,fd00:1::/56", "service_cidr": "10.96.0.0/12,fd00:2::/108"}
        problems = checks_networks.checks(facts, options)
        assert [(problem.host, problem.field) for problem in problems] == [("cp-1", "mlstack_node_ip")]
        assert "none of IPv6" in problems[0].rule

    @given(
        st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 32)),
        st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 32)),
    )
    def test_overlap_is_what_python_says(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        pod, service = (ipaddress.IPv4Network(pair, strict=False) for pair in (one, other))
        facts = {"hosts": {}, "groups": GOOD_GROUPS}
        problems = checks_networks.checks(facts, {"pod_cidr": str(pod), "service_cidr": str(service)})
        assert any("overlap" in problem.rule for problem in problems) == pod.overlaps(service)

    @given(st.text(max_size=40), st.text(max_size=40))
    def test_any_text_is_judged_and_none_breaks_the_check(self, pod: str, service: str) -> None:
        assert checks_networks.checks(self.FACTS, {"pod_cidr": pod, "service_cidr": service})

    def test_an_address_that_is_none_is_no_error_here(self) -> None:
        facts = {"hosts": {"cp-1": {**GOOD_NODE, "address": "banana"}}, "groups": GOOD_GROUPS}
        assert checks_networks.checks(facts, {"pod_cidr": "10.244.0.0/16", "service_cidr": "10.96.0.0/12"}) == []
