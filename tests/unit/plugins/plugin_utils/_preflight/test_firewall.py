# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a host's packet filter against the ports that nodes need."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_iptables import table as iptables
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_nft import table as nft
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.ports import ALL
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.firewall import checks
from tests.support.packet_filters import ACCEPT, OPTIONS, UFW, nft_table, rules


def problems(tables: list[dict[str, Any]], manager: str = "ufw", **options: Any) -> list[tuple[str, str]]:
    """Return field and value of each problem."""
    facts = {
        "firewall": {"manager": manager, "tables": tables},
        "default_interface": "eth0",
        "address": "192.0.2.11",
        "routes": [{"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""}],
    }
    return [(problem.field, problem.value) for problem in checks(facts, {**OPTIONS, **options})]


@pytest.mark.parametrize(
    ("options", "ports"),
    [
        ({}, "10250/tcp, 6443/tcp, 8472/udp"),
        ({"control_plane": False}, "10250/tcp, 8472/udp"),
        ({"control_planes": 3}, "10250/tcp, 6443/tcp, 2379-2380/tcp, 8472/udp"),
        ({"pod_network": "none", "node_ports": True}, "10250/tcp, 6443/tcp, 30000-32767/tcp"),
        ({"vxlan_port": 4789, "control_plane": False}, "10250/tcp, 4789/udp"),
        ({"peers": [], "control_plane": False}, "10250/tcp"),
    ],
)
def test_what_is_blocked_is_named(options: dict[str, Any], ports: str) -> None:
    assert problems([iptables(UFW, "ip")], **options) == [("firewall ufw", f"blocks {ports}")]


def test_what_the_site_has_opened_is_no_problem() -> None:
    own = [f"-A INPUT -s 192.0.2.12/32 -p {p.protocol} --dport {p.port} -j ACCEPT" for p in ALL if "-" not in p.port]
    assert problems([iptables(rules(*own, "-A INPUT -s 10.244.0.0/16 -j ACCEPT"), "ip")], "iptables") == []
    assert problems([iptables(rules(*own), "ip")], "iptables") == [("firewall iptables", "blocks 10250/tcp, 6443/tcp")]


def test_a_chain_of_nftables_that_forwards_nothing() -> None:
    assert problems([nft(nft_table([ACCEPT]))], "nftables") == [("firewall nftables", "drops what is forwarded")]


@pytest.mark.parametrize(
    ("manager", "options", "fields"),
    [
        ("ufw", {"firewall": "open"}, []),
        ("firewalld", {"firewall": "open"}, []),
        ("iptables", {"firewall": "open"}, ["firewall iptables"]),
        ("ufw", {"firewall": "open", "peers": ["192.0.2.12", "198.51.100.7"]}, ["node_firewall_sources"]),
        (
            "ufw",
            {
                "firewall": "open",
                "peers": ["192.0.2.12", "198.51.100.7"],
                "firewall_sources": ["192.0.2.0/24", "198.51.100.0/24"],
            },
            [],
        ),
        ("ufw", {"firewall": "open", "firewall_sources": ["198.51.100.0/24"]}, ["node_firewall_sources"]),
    ],
)
def test_what_role_node_will_open(manager: str, options: dict[str, Any], fields: list[str]) -> None:
    assert [field for field, _value in problems([iptables(UFW, "ip")], manager, **options)] == fields


def test_without_a_filter_there_is_no_problem() -> None:
    for nothing in (None, {"manager": "", "tables": []}):
        assert checks({"firewall": nothing}, OPTIONS) == []


@given(st.text(max_size=60))
def test_nonsense_for_a_network_of_pods_is_another_checks_matter(text: str) -> None:
    assert problems([iptables(UFW, "ip")], pod_cidr=text)
