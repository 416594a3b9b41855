# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab import machine as lab_machine
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.machine import Route, parse_routes

ROUTES = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
tun0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
"""


def test_routes_are_read_without_the_default_one() -> None:
    assert parse_routes(ROUTES) == (Route("192.0.2.0/24", "eth0"), Route("10.0.0.0/8", "tun0"))


@pytest.mark.parametrize(
    ("capabilities", "may"), [("000001ffffffffff", True), ("00000000a80425fb", False), ("0000000001000000", True)]
)
def test_the_right_to_raise_limits_is_read_from_the_capabilities(capabilities: str, may: bool) -> None:
    assert lab_machine._may_raise_limits(f"Name:\tpython3\nCapEff:\t{capabilities}\n") is may
