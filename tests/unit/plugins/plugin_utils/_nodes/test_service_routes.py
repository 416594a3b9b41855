# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host without a default route reaches services all the same."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.service_routes import service_routes
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.networks import checks

SERVICES, SERVICES_6 = "10.96.0.0/12", "fd00:10:96::/112"
V4 = {"version": 4, "network": SERVICES, "interface": "eth1"}
V6 = {"version": 6, "network": SERVICES_6, "interface": "eth1"}


def link(network: str, interface: str, gateway: str = "") -> dict[str, str]:
    return {"network": network, "interface": interface, "gateway": gateway}


def node(*more: dict[str, str], **change: Any) -> dict[str, Any]:
    """A node without default routes, of two cards; the cluster is on the second one."""
    known = [link("192.0.2.0/24", "eth0"), link("198.51.100.0/24", "eth1"), link("fd00::/64", "eth1")]
    base = {"address": "198.51.100.7", "address_secondary": "fd00::7", "routes": [*known, *more]}
    return {**base, "default_interface": None, "default_interface_6": None, **change}


@pytest.mark.parametrize(
    ("found", "routes"),
    [
        (node(), [V4, V6]),
        (node(default_interface="eth0"), [V6]),
        (node(default_interface="eth0", default_interface_6="eth0"), []),
        # Those of an earlier run.
        (node(link(SERVICES, "eth1"), link(SERVICES_6, "eth1")), [V4, V6]),
        # A wider network by a router, as in sites whose own networks are all in 10.0.0.0/8.
        (node(link("10.0.0.0/8", "eth0", "192.0.2.1")), [V6]),
        (node(link("10.244.1.0/24", "flannel.1", "10.244.1.0")), [V4, V6]),
        # What no card bears, or nobody knows, is a matter of preflight.
        (node(address=None, address_secondary=None), []),
        (node(routes=None), []),
    ],
)
def test_what_is_lacking(found: dict[str, Any], routes: list[dict[str, Any]]) -> None:
    assert service_routes(found, f"{SERVICES}, {SERVICES_6}") == routes


def test_a_cluster_of_one_version_gets_one_route() -> None:
    assert service_routes(node(), SERVICES) == [V4]


@pytest.mark.parametrize(
    ("route", "count"),
    [(link(SERVICES, "eth1"), 0), (link(SERVICES, "eth1", "198.51.100.1"), 1), (link("10.96.0.0/16", "eth1"), 1)],
)
def test_preflight_does_not_take_it_for_a_network_of_the_site(route: dict[str, str], count: int) -> None:
    """A run that was killed before there was a node is started again."""
    facts = {"hosts": {"gpu-1": node(route)}, "groups": {}}
    options = {"pod_cidr": "10.244.0.0/16", "service_cidr": SERVICES}
    assert len(checks(facts, options)) == count
