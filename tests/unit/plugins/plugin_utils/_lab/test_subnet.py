# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.subnet import address, default_subnet


@given(st.text(min_size=1, max_size=40))
def test_each_name_has_a_network_clear_of_pods_services_and_podman(name: str) -> None:
    network = ipaddress.ip_network(default_subnet(name))
    assert network.num_addresses == 256
    for used in ("10.96.0.0/12", "10.244.0.0/16", "10.88.0.0/16"):
        assert not network.overlaps(ipaddress.ip_network(used))


def test_a_name_keeps_its_network() -> None:
    # A lab made yesterday must be found today: these may not change between versions.
    assert default_subnet("demo") == "10.72.132.0/24"
    assert default_subnet("molecule") == "10.68.10.0/24"


@given(st.text(min_size=1, max_size=40))
def test_each_name_has_a_private_network_of_ipv6(name: str) -> None:
    network = ipaddress.ip_network(default_subnet(name, 6))
    assert (network.version, network.prefixlen) == (6, 64)
    assert network.is_private


def test_there_is_no_third_ip_version() -> None:
    with pytest.raises(ValueError, match="must be 4 or 6"):
        default_subnet("demo", 5)


def test_many_labs_have_different_networks() -> None:
    assert len({default_subnet(f"lab-{number}") for number in range(20)}) == 20


def test_address_counts_from_the_start() -> None:
    assert address("10.70.3.0/24", 11) == "10.70.3.11"
    assert address("172.29.0.0/16", 300) == "172.29.1.44"
    assert address("fd6c::/64", 11) == "fd6c::b"


@pytest.mark.parametrize("number", [-1, 0, 1, 255, 256])
def test_address_refuses_what_is_not_a_hosts(number: int) -> None:
    with pytest.raises(ValueError, match=r"from 2 to 254"):
        address("10.70.3.0/24", number)


def test_address_refuses_what_is_no_network() -> None:
    with pytest.raises(ValueError, match=r"10\.70\.3\.5/24"):
        address("10.70.3.5/24", 11)
