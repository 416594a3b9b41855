# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of a node, from what node_info read and the inventory says."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.addresses import address_of, node_addresses


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", ip_address("192.0.2.1")),
        ("2001:db8::1", ip_address("2001:db8::1")),
        ("192.0.2.256", None),
        ("gpu-1", None),
        ("", None),
        (None, None),
    ],
)
def test_only_an_address_is_one(text: Any, address: Any) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize(
    ("node", "addresses"),
    [
        ({}, []),
        ({"address": "192.0.2.1"}, ["192.0.2.1"]),
        ({"address": "192.0.2.1", "address_secondary": "2001:db8::1"}, ["192.0.2.1", "2001:db8::1"]),
        ({"address": None, "address_secondary": "2001:db8::1"}, ["2001:db8::1"]),
    ],
)
def test_the_first_address_of_a_node_comes_first(node: dict[str, Any], addresses: list[str]) -> None:
    assert node_addresses(node) == [ip_address(each) for each in addresses]
