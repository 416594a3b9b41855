# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of nft: which packets a host accepts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall import allows
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_nft import native_tables
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_nft import table as nft
from tests.support.packet_filters import ACCEPT, API, dport, match, nft_table

STATE: dict[str, Any] = {"ct": {"key": "state"}}


@pytest.mark.parametrize(
    ("expressions", "inside"),
    [
        ([[dport(6443), ACCEPT]], True),
        ([[dport({"set": [22, {"range": [6000, 6500]}]}), {"counter": {}}, ACCEPT]], True),
        ([[dport(6443, "udp"), ACCEPT]], False),
        ([[dport("@open"), ACCEPT]], True),
        ([[match(STATE, {"set": ["established", "related"]}, "in"), ACCEPT]], False),
        ([[match(STATE, ["new", "untracked"], "in"), dport(6443), ACCEPT]], True),
        ([[match({"ct": {"key": "status"}}, "dnat", "in"), ACCEPT]], False),
        ([[match({"meta": {"key": "iifname"}}, "lo"), ACCEPT]], False),
        ([[match({"meta": {"key": "iifname"}}, "eth*"), ACCEPT]], True),
        ([[match({"meta": {"key": "iifname"}}, {"set": ["eth0", "eth1"]}), ACCEPT]], True),
        ([[match({"meta": {"key": "l4proto"}}, {"set": ["icmp", "ipv6-icmp"]}), ACCEPT]], False),
        ([[match({"meta": {"key": "l4proto"}}, "udp"), ACCEPT]], False),
        ([[match({"payload": {"protocol": "icmpv6", "field": "type"}}, "nd-router-advert"), ACCEPT]], False),
        ([[match({"payload": {"protocol": "ip6", "field": "daddr"}}, "fe80::1"), ACCEPT]], False),
        (
            [
                [
                    match(
                        {"payload": {"protocol": "ip", "field": "saddr"}}, {"prefix": {"addr": "192.0.2.0", "len": 24}}
                    ),
                    ACCEPT,
                ]
            ],
            True,
        ),
        ([[match({"payload": {"protocol": "ip", "field": "saddr"}}, "198.51.100.1"), ACCEPT]], False),
        ([[{"jump": {"target": "own"}}]], True),
        ([[{"reject": {"type": "icmpx"}}], [ACCEPT]], False),
        ([[{"xt": None}, {"drop": None}], [ACCEPT]], True),
    ],
)
def test_nft(expressions: list[list[Any]], inside: bool) -> None:
    assert allows([nft(nft_table(*expressions))], API) == inside


def test_which_tables_are_neither_iptables_nor_kubernetes() -> None:
    listed = [
        ("ip", "filter"),
        ("ip6", "nat"),
        ("inet", "filter"),
        ("inet", "firewalld"),
        ("ip", "kube-proxy"),
        ("arp", "x"),
    ]
    text = json.dumps({"nftables": [{"metainfo": {}}, *({"table": {"family": f, "name": n}} for f, n in listed)]})
    assert native_tables(text) == [("inet", "filter"), ("inet", "firewalld")]
