# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of its addresses a host has in the cluster: two cards, two IP versions, what the user says and what not."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_addresses import (
    cluster_addresses,
    default_interface_6,
    links,
    router_interfaces,
    versions,
)

# 192.0.2.11/24 on eth0, which has the default routes; 198.51.100.9/24 on eth1.
ROUTES = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask
eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF
eth1\t006433C6\t00000000\t0001\t0\t0\t0\t00FFFFFF
"""
TRIE = "".join(f"     |-- {address}\n        /32 host LOCAL\n" for address in ("192.0.2.11", "198.51.100.9"))
# eth0 has a passing address before its lasting one; eth1 has one that another host has too, and one that lasts.
ADDRESSES_6 = (
    "20010db8000000000000000000000abc 02 40 00 01 eth0\n"
    "20010db8000000000000000000000011 02 40 00 80 eth0\n"
    "fd000000000000000000000000000008 03 40 00 48 eth1\n"
    "fd000000000000000000000000000009 03 40 00 80 eth1\n"
    "fe80000000000000000000fffe000001 03 40 20 80 eth1\n"
)
NOWHERE = "0" * 32
ROUTES_6 = (
    f"{NOWHERE} 00 {NOWHERE} 00 {NOWHERE} 00000400 00000001 00000000 00000200 lo\n"
    f"{NOWHERE} 00 {NOWHERE} 00 fd000000000000000000000000000001 00000800 00000001 00000000 00000003 eth1\n"
    f"{NOWHERE} 00 {NOWHERE} 00 20010db8000000000000000000000001 00000064 00000001 00000000 00450003 eth0\n"
    f"{NOWHERE} 00 {NOWHERE} 00 20010db8000000000000000000000002 00000800 00000001 00000000 00450003 eth3\n"
    f"fd000000000000000000000000000000 40 {NOWHERE} 00 {NOWHERE} 00000100 00000001 00000000 00000001 eth1\n"
)
V4, V6 = "10.244.0.0/16", "fd00:244::/56"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A host with two cards and addresses of both IP versions on each."""
    root = tmp_path_factory.mktemp("host")
    files = {"route": ROUTES, "fib_trie": TRIE, "if_inet6": ADDRESSES_6, "ipv6_route": ROUTES_6}
    (root / "proc/net").mkdir(parents=True)
    for name, text in files.items():
        (root / "proc/net" / name).write_text(text)
    for name, value in {"eth0": "1", "eth1": "1", "eth2": "1", "eth3": "0"}.items():
        folder = root / "proc/sys/net/ipv6/conf" / name
        folder.mkdir(parents=True)
        (folder / "accept_ra").write_text(value)
    return Host(str(root), lambda argv: None)


@pytest.mark.parametrize(
    ("given_address", "networks", "address", "secondary", "links_of_them"),
    [
        ("", [], "192.0.2.11", None, ["192.0.2.0/24"]),
        ("", [V4], "192.0.2.11", None, ["192.0.2.0/24"]),
        ("", [V6], "2001:db8::11", None, ["2001:db8::/64"]),
        ("", [V4, V6], "192.0.2.11", "2001:db8::11", ["192.0.2.0/24", "2001:db8::/64"]),
        ("", [V6, V4], "2001:db8::11", "192.0.2.11", ["192.0.2.0/24", "2001:db8::/64"]),
        # The second card, by one address or by both.
        ("198.51.100.9", [V4], "198.51.100.9", None, ["198.51.100.0/24"]),
        ("198.51.100.9", [V4, V6], "198.51.100.9", "fd00::9", ["198.51.100.0/24", "fd00::/64"]),
        ("198.51.100.9", [V6, V4], "fd00::9", "198.51.100.9", ["198.51.100.0/24", "fd00::/64"]),
        ("198.51.100.9, FD00:0::9", [V4, V6], "198.51.100.9", "fd00::9", ["198.51.100.0/24", "fd00::/64"]),
        # What the host does not have, and what is no address, is for preflight to name.
        ("203.0.113.7", [V4], "203.0.113.7", None, []),
        ("gpu-1", [V4], "gpu-1", None, []),
        ("", ["nonsense"], "192.0.2.11", None, ["192.0.2.0/24"]),
    ],
)
def test_the_nodes_addresses(
    host: Host,
    given_address: str,
    networks: list[str],
    address: str,
    secondary: str | None,
    links_of_them: list[str],
) -> None:
    assert cluster_addresses(host, given_address, networks, "192.0.2.11") == {
        "address": address,
        "address_secondary": secondary,
        "cluster_networks": links_of_them,
    }


def test_an_address_that_passes_is_known_and_never_chosen(host: Host) -> None:
    passing = {link.address for link in links(host) if not link.lasting}
    assert passing == {"2001:db8::abc", "fd00::8"}


def test_the_default_route_with_the_lowest_metric_decides(host: Host) -> None:
    assert default_interface_6(host) == "eth0"


def test_routers_are_heard_where_they_told_a_route_and_the_kernel_listens(host: Host) -> None:
    assert router_interfaces(host) == ["eth0"]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        # What a router told about the link, by this card and by another one, and what lies behind a gateway.
        (["20010db8000000000000000000000000 40 via 0 eth0"], "2001:db8::/64"),
        (["20010db8000000000000000000000000 40 via 0 eth1"], "2001:db8::11/128"),
        (["20010db8000000000000000000000000 40 via 1 eth0"], "2001:db8::11/128"),
        (["20010db8000000000000000000000000 20 via 0 eth0", "20010db8000000000000000000000000 40 via 0 eth0"], None),
        (["20010db8000000000000000000000011 80 via 0 eth0"], "2001:db8::11/128"),
        (["00000000000000000000000000000000 00 via 0 eth0"], "2001:db8::11/128"),
        ([], "2001:db8::11/128"),
    ],
)
def test_the_link_of_an_address_that_dhcp_gave(tmp_path: Path, told: list[str], expected: str | None) -> None:
    routes = []
    for line in told:
        network, prefix, _via, gateway, card = line.split()
        routes.append(f"{network} {prefix} {NOWHERE} 00 {gateway:0>32} 00000100 00000001 00000000 00000001 {card}\n")
    files = {"route": ROUTES, "fib_trie": TRIE, "ipv6_route": "".join(routes)}
    files["if_inet6"] = "20010db8000000000000000000000011 02 80 00 80 eth0\n"
    (tmp_path / "proc/net").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / "proc/net" / name).write_text(text)
    found = cluster_addresses(Host(str(tmp_path), lambda argv: None), "", [V4, V6], "192.0.2.11")
    assert found["cluster_networks"] == ["192.0.2.0/24", expected or "2001:db8::/64"]


def test_a_host_of_one_ip_version(tmp_path: Path) -> None:
    (tmp_path / "proc/net").mkdir(parents=True)
    for name, text in {"route": ROUTES, "fib_trie": TRIE}.items():
        (tmp_path / "proc/net" / name).write_text(text)
    found = cluster_addresses(Host(str(tmp_path), lambda argv: None), "", [V4, V6], "192.0.2.11")
    assert (found["address"], found["address_secondary"]) == ("192.0.2.11", None)


NETWORKS = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(
    lambda address: str(ipaddress.ip_network((address, 24), strict=False))
)


@given(networks=st.lists(NETWORKS, max_size=3))
def test_versions_are_those_of_the_networks_in_their_order(networks: list[str]) -> None:
    found = versions(networks)
    assert set(found) == {ipaddress.ip_network(text).version for text in networks}
    assert found == list(dict.fromkeys(found))
    if networks:
        assert found[0] == ipaddress.ip_network(networks[0]).version


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=st.lists(st.ip_addresses(), min_size=1, max_size=2), networks=st.lists(NETWORKS, max_size=2))
def test_what_the_user_chose_is_never_left_out(host: Host, chosen: list[object], networks: list[str]) -> None:
    found = cluster_addresses(host, ",".join(str(address) for address in chosen), networks, "192.0.2.11")
    assert {str(address) for address in chosen} <= {found["address"], found["address_secondary"]}
