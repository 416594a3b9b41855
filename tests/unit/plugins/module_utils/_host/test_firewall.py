# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packet filters as ufw, firewalld and people write them: who gets in, and what is said about who does not."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall import allows
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_iptables import table as iptables
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_nft import table as nft
from tests.support.packet_filters import ACCEPT, API, dport, nft_table, rules


def test_a_policy_of_accept_and_no_table_at_all() -> None:
    assert allows([iptables(rules(policy="ACCEPT"), "ip")], API)
    assert not allows([iptables(rules("-A INPUT -p tcp --dport 6443 -j DROP", policy="ACCEPT"), "ip")], API)
    assert allows([], API)


def test_rules_of_one_ip_version_say_nothing_of_the_other() -> None:
    six = API._replace(source="2001:db8::12")
    assert allows([iptables(rules(), "ip")], six)
    assert not allows([iptables(rules(), "ip6")], six)


def test_dropped_in_one_table_is_dropped_for_good() -> None:
    assert not allows([nft(nft_table([ACCEPT])), nft(nft_table([dport(6443), {"drop": None}], policy="accept"))], API)
