# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses, routes and names of a host, as /proc and getent have them."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import info_network as network
from tests.support.made_up_host import ROUTES, answer

HEADER = ROUTES.splitlines()[0]


def host_with(root: Path, **files: str) -> Host:
    """Return a host that has these files of /proc/net alone."""
    folder = root / "proc/net"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return Host(str(root), lambda argv: None)


def test_routes_tell_the_gateway_from_the_link(root: Path) -> None:
    found = [(r["interface"], str(r["network"]), r["gateway"], r["metric"]) for r in network.routes(Host(str(root)))]
    assert found == [
        ("eth0", "0.0.0.0/0", "192.0.2.1", 100),
        ("eth1", "0.0.0.0/0", "198.51.100.1", 50),
        ("eth0", "192.0.2.0/24", "", 0),
        ("eth1", "198.51.100.0/24", "", 0),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(gateway=st.ip_addresses(v=4), destination=st.ip_addresses(v=4), prefix=st.integers(0, 32))
def test_any_route_is_read_as_the_kernel_writes_it(
    tmp_path: Path, gateway: ipaddress.IPv4Address, destination: ipaddress.IPv4Address, prefix: int
) -> None:
    wanted = ipaddress.IPv4Network((destination, prefix), strict=False)
    parts = (wanted.network_address, gateway, wanted.netmask)
    # The kernel writes the number of an address as a little-endian machine holds it.
    to, by, mask = (f"{int.from_bytes(part.packed, 'little'):08X}" for part in parts)
    host = host_with(tmp_path, route=f"{HEADER}\neth0\t{to}\t{by}\t0003\t0\t0\t7\t{mask}\t0\t0\t0\n")
    shown = "" if int(gateway) == 0 else str(gateway)
    assert network.routes(host) == [{"interface": "eth0", "network": wanted, "gateway": shown, "metric": 7}]


def test_the_default_route_names_its_link(root: Path) -> None:
    asked: list[str] = []
    found = network.default_route(Host(str(root)), lambda to: asked.append(to) or "198.51.100.9")
    assert asked == ["198.51.100.1"]
    assert found == {"address": "198.51.100.9", "interface": "eth1", "network": "198.51.100.0/24"}


def test_a_default_route_without_a_gateway_is_asked_for_an_address_of_no_network(tmp_path: Path) -> None:
    host = host_with(tmp_path, route=f"{HEADER}\nppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n")
    asked: list[str] = []
    found = network.default_route(host, lambda to: asked.append(to) or "203.0.113.5")
    assert asked == ["192.0.2.1"]
    assert found == {"address": "203.0.113.5", "interface": "ppp0", "network": None}


def test_routes_to_the_host_itself_and_refusals_are_no_routes(root: Path) -> None:
    found = [(str(r["network"]), r["gateway"]) for r in network.routes_6(Host(str(root)))]
    assert found == [("2001:db8:1::/64", ""), ("2001:db8:2::/48", "fe80::1"), ("::/0", "fe80::1")]


def test_networks_come_once_and_without_the_default_routes(tmp_path: Path) -> None:
    line = "eth0\t000200C0\t00000000\t0001\t0\t0\t{metric}\t00FFFFFF\t0\t0\t0\n"
    host = host_with(tmp_path, route=f"{HEADER}\n{line.format(metric=1)}{line.format(metric=2)}")
    assert network.networks(host) == [{"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""}]


@pytest.mark.parametrize(
    ("name", "addresses"),
    [("api.example.org", ["192.0.2.9", "2001:db8::9"]), ("nobody.example.org", [])],
)
def test_each_address_of_a_name_comes_once(name: str, addresses: list[str]) -> None:
    assert network.resolve(Host("/nowhere", answer), name) == addresses


def test_addresses_of_the_loopback_and_of_one_link_are_left_out(root: Path) -> None:
    assert network.addresses(Host(str(root))) == ["192.0.2.11", "198.51.100.9", "2001:db8::1"]


def test_addresses_come_by_number_not_by_text(tmp_path: Path) -> None:
    own = ("192.0.2.100", "192.0.2.20", "10.0.0.1")
    host = host_with(tmp_path, fib_trie="".join(f"  |-- {one}\n     /32 host LOCAL\n" for one in own))
    assert network.addresses(host) == ["10.0.0.1", "192.0.2.20", "192.0.2.100"]


def test_the_source_address_of_the_loopback_is_the_loopback() -> None:
    assert network.source_address("127.0.0.1") == "127.0.0.1"
