# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of iptables-save: which packets a host accepts."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall import allows
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_iptables import table as iptables
from tests.support.packet_filters import API, UFW, rules


@pytest.mark.parametrize(
    ("lines", "inside"),
    [
        (["-A INPUT -p tcp -m tcp --dport 6443 -j ACCEPT"], True),
        (["-A INPUT -p udp -m udp --dport 6443 -j ACCEPT"], False),
        (["-A INPUT -p tcp -m multiport --dports 22,6000:6500 -j ACCEPT"], True),
        (["-A INPUT -s 192.0.2.0/24 -j ACCEPT"], True),
        (["-A INPUT -s 198.51.100.0/24 -j ACCEPT"], False),
        (["-A INPUT -s 192.0.2.12/32 -p tcp -j ACCEPT"], True),
        (["-A INPUT -i eth+ -j ACCEPT"], True),
        (["-A INPUT -i lo -j ACCEPT"], False),
        (["-A INPUT -j own", "-A own -p tcp -m tcp --dport 6443 -j RETURN", "-A own -j ACCEPT"], False),
        (["-A INPUT -g own", "-A INPUT -j ACCEPT"], False),
        (['-A INPUT -m conntrack --ctstate NEW -m comment --comment "all in" -j ACCEPT'], True),
        (["-A INPUT -m state --state ESTABLISHED -j ACCEPT"], False),
        (["-A INPUT -m set --match-set friends src -j ACCEPT"], True),
        (["-A INPUT -p tcp -j REJECT --reject-with icmp-port-unreachable", "-A INPUT -j ACCEPT"], False),
        (["-A INPUT -m set --match-set foes src -j DROP", "-A INPUT -j ACCEPT"], True),
        (["-A INPUT ! -s 192.0.2.0/24 -j DROP", "-A INPUT -j ACCEPT"], True),
        (["-A INPUT -d 224.0.0.0/4 -j ACCEPT"], False),
        (["-A INPUT -j own", "-A own -j own"], False),
        (['-A INPUT -j LOG --log-prefix "in: "'], False),
    ],
)
def test_iptables(lines: list[str], inside: bool) -> None:
    assert allows([iptables(rules(*lines), "ip")], API) == inside


def test_ufw() -> None:
    table = iptables(UFW, "ip")
    assert not allows([table], API)
    assert allows([table], API._replace(port=22))
    assert not any("KUBE" in chain for chain in table["chains"])
