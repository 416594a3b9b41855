# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules and sysctls of the running kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import kernel
from tests.support.made_up_host import answer


def test_a_built_in_module_leaves_a_trace_in_proc(root: Path) -> None:
    (root / "proc/modules").write_text("")
    host = Host(str(root), answer)
    assert kernel.module_state(host, "br_netfilter") == "absent"
    trace = root / "proc/sys/net/bridge/bridge-nf-call-iptables"
    trace.parent.mkdir()
    trace.write_text("1")
    assert kernel.module_state(host, "br_netfilter") == "builtin"


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("net.ipv4.ip_forward", "net/ipv4/ip_forward"),
        ("net/ipv4/ip_forward", "net/ipv4/ip_forward"),
        ("net.ipv4.conf.eth0/1.rp_filter", "net/ipv4/conf/eth0.1/rp_filter"),
        ("net/ipv4/conf/eth0.1/rp_filter", "net/ipv4/conf/eth0.1/rp_filter"),
    ],
)
def test_sysctl_keys(key: str, path: str) -> None:
    assert kernel.sysctl_path(key) == "/proc/sys/" + path
