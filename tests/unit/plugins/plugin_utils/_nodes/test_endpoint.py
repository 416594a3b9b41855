# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.filter.host_port import host_port
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.endpoint import host_of, join


@pytest.mark.parametrize(
    ("host", "endpoint"),
    [("192.0.2.1", "192.0.2.1:6443"), ("fd00::1", "[fd00::1]:6443"), ("api.example.org", "api.example.org:6443")],
)
def test_an_ipv6_address_comes_in_brackets(host: str, endpoint: str) -> None:
    assert host_port(host, 6443) == endpoint
    assert host_of(endpoint) == host


@pytest.mark.parametrize("host", ["api.example.org", "192.0.2.1", "fd00::1"])
def test_a_host_without_a_port_stays(host: str) -> None:
    assert host_of(host) == host


@given(st.ip_addresses(), st.integers(1, 65535))
def test_what_was_joined_comes_apart(address: object, port: int) -> None:
    assert host_of(join(str(address), port)) == str(address)
