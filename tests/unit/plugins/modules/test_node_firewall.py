# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module on the machine that runs the tests, in check mode; tests/lab/test_firewall.py has real firewalls."""

from __future__ import annotations

from tests.unit.conftest import RunModule


def test_check_mode_tells_the_networks_for_which_it_would_open(run_module: RunModule) -> None:
    result = run_module("node_firewall", check=True, sources=["192.0.2.0/24"])
    assert result["sources"] == ["192.0.2.0/24"]
    assert result["manager"] in ("", "ufw", "firewalld")
    assert run_module("node_firewall", check=True, state="closed")["sources"] == []
