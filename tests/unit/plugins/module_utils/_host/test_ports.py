# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of nodes as text, and those that a host needs."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.ports import ALL, Port, needed
from tests.support.packet_filters import OPTIONS


def test_ports_read_as_firewalls_write_them() -> None:
    assert str(Port("6443", "tcp", "node", "all", "")) == "6443/tcp"
    assert {str(port) for port in needed({**OPTIONS, "control_planes": 3, "node_ports": True})} == {str(p) for p in ALL}
