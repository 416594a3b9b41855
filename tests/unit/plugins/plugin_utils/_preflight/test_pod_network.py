# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.pod_network import checks

CP_1 = {
    "address": "192.0.2.10",
    "address_secondary": "2001:db8::10",
    "cluster_networks": ["192.0.2.0/24", "2001:db8::/64"],
}


def found(kind: str, hosts: dict[str, dict[str, Any]]) -> list[tuple[str, str, str]]:
    problems = checks({"hosts": hosts}, {"choices": {"mlstack_pod_network": kind}})
    assert all(problem.rule and problem.way_out for problem in problems)
    return [(problem.host, problem.field, problem.value) for problem in problems]


def gpu(address: str, secondary: str | None, *networks: str) -> dict[str, dict[str, Any]]:
    return {
        "cp-1": CP_1,
        "gpu-1": {"address": address, "address_secondary": secondary, "cluster_networks": list(networks)},
    }


@pytest.mark.parametrize(
    ("hosts", "values"),
    [
        (gpu("192.0.2.11", "2001:db8::11", "192.0.2.0/24", "2001:db8::/64"), []),
        (gpu("192.0.2.11", None, "192.0.2.0/24"), []),
        # Another subnet, and one address for itself, as clouds give them.
        (gpu("198.51.100.11", None, "198.51.100.0/24"), ["198.51.100.11"]),
        (gpu("192.0.2.11", None), ["192.0.2.11"]),
        # One link by one version only.
        (gpu("192.0.2.11", "2001:db8:1::11", "192.0.2.0/24", "2001:db8:1::/64"), ["2001:db8:1::11"]),
        # What is no address, and a host that was not read, are told by other checks.
        (gpu("gpu-1", None), []),
        ({"cp-1": CP_1, "gpu-1": {}}, []),
        ({}, []),
    ],
)
def test_routes_need_one_link(hosts: dict[str, dict[str, Any]], values: list[str]) -> None:
    assert found("routes", hosts) == [("gpu-1", "mlstack_node_ip", value) for value in values]
    assert found("flannel", hosts) == []


@pytest.mark.parametrize(
    ("interface", "secondary", "kind", "refused"),
    [
        ("eth0", "2001:db8::10", "flannel", False),
        ("eth1", "2001:db8::10", "flannel", True),
        ("eth1", "2001:db8::10", "routes", True),
        ("eth1", "2001:db8::10", "none", False),
        ("eth1", None, "flannel", False),
        # Reached by a gateway only: nobody knows the card.
        ("eth1", "2001:db8:9::10", "flannel", False),
    ],
)
def test_one_card_for_both_ip_versions(interface: str, secondary: str | None, kind: str, refused: bool) -> None:
    routes = [
        {"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""},
        {"network": "2001:db8::/64", "interface": interface, "gateway": ""},
        {"network": "2001:db8:9::/64", "interface": interface, "gateway": "2001:db8::1"},
    ]
    hosts = {"cp-1": {"address": "192.0.2.10", "address_secondary": secondary, "routes": routes}}
    expected = [("cp-1", "mlstack_node_ip", "192.0.2.10,2001:db8::10")] if refused else []
    assert found(kind, hosts) == expected


def test_the_message_names_both_addresses_and_the_way_out() -> None:
    (problem,) = checks(
        {"hosts": gpu("198.51.100.11", None, "198.51.100.0/24")}, {"choices": {"mlstack_pod_network": "routes"}}
    )
    for words in ("gpu-1: mlstack_node_ip = 198.51.100.11", "cp-1 has 192.0.2.10", "mlstack_pod_network: flannel"):
        assert words in problem.line()


@given(st.ip_addresses(), st.integers(1, 30), st.data())
def test_hosts_of_one_network_are_on_one_link(address: Any, prefix: int, data: st.DataObject) -> None:
    network = ipaddress.ip_network((address, prefix), strict=False)
    other = data.draw(st.ip_addresses(network=network))
    pair = {"a": address, "b": other}
    hosts = {name: {"address": str(ip), "cluster_networks": [str(network)]} for name, ip in pair.items()}
    assert found("routes", hosts) == []


@pytest.mark.parametrize(
    ("kind", "names", "refused"),
    [
        ("flannel", [], []),
        ("flannel", ["10-mlstack.conflist", "87-podman-bridge.conflist", "00-notes.txt"], []),
        ("flannel", ["05-cilium.conflist", "10-mlstack.conflist"], ["05-cilium.conflist"]),
        ("routes", ["10-calico.conflist"], ["10-calico.conflist"]),
        ("none", ["05-cilium.conflist"], []),
        ("none", ["10-mlstack.conflist"], ["10-mlstack.conflist"]),
    ],
)
def test_one_network_only(kind: str, names: list[str], refused: list[str]) -> None:
    hosts = {"cp-1": {"kubernetes": {"ours": True, "cni": names}}}
    assert found(kind, hosts) == [("cp-1", "/etc/cni/net.d", name) for name in refused]
    assert found(kind, {"cp-1": {"kubernetes": {"ours": False, "cni": names}}}) == []


def test_a_host_of_which_nothing_is_known() -> None:
    assert found("none", {"cp-1": {}}) == found("none", {"cp-1": {"kubernetes": None}}) == []
