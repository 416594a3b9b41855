# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.kernel import sysctl_path
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.router_sysctls import router_sysctls

FORWARDING = "/proc/sys/net/ipv6/conf/all/forwarding"


@pytest.mark.parametrize("node", [{}, {"address": None}, {"address": "192.0.2.1", "address_secondary": None}])
def test_a_node_of_ipv4_alone_is_left_alone(node: dict[str, Any]) -> None:
    assert router_sysctls({**node, "router_interfaces": ["eth0"]}) == {}


@pytest.mark.parametrize(
    "node", [{"address": "fd00::1"}, {"address": "192.0.2.1", "address_secondary": "fd00::1"}]
)
def test_a_node_of_ipv6_forwards(node: dict[str, Any]) -> None:
    assert {sysctl_path(key): value for key, value in router_sysctls(node).items()} == {FORWARDING: "1"}


def test_routers_are_heard_before_forwarding_begins() -> None:
    """Role node makes settings in the order of their keys."""
    found = router_sysctls({"address": "fd00::1", "router_interfaces": ["bond0", "eth0.100"]})
    assert [(sysctl_path(key), found[key]) for key in sorted(found)] == [
        ("/proc/sys/net/ipv6/conf/bond0/accept_ra", "2"),
        ("/proc/sys/net/ipv6/conf/eth0.100/accept_ra", "2"),
        (FORWARDING, "1"),
    ]
