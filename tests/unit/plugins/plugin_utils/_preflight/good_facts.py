# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host and groups in which no check finds a problem."""

from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem

GOOD_GROUPS = {
    "all": ["cp-1", "gpu-1"],
    "kube_control_plane": ["cp-1"],
    "kube_node": ["gpu-1"],
    "k8s_cluster": ["cp-1", "gpu-1"],
}


def lines(problems: list[Problem]) -> str:
    """Return all problems as one text."""
    return "\n".join(problem.line() for problem in problems)


GOOD_NODE: dict[str, Any] = {
    "name": "cp-1",
    "address": "192.0.2.10",
    "addresses": ["192.0.2.10", "2001:db8::1"],
    "architecture": "x86_64",
    "arch": "amd64",
    "distribution": "debian",
    "distribution_version": "12",
    "kernel": "6.1.0-18-amd64",
    "python": "3.11.2",
    "systemd": True,
    "clock": 1000.0,
    "clock_offset": {"low": -0.2, "high": 0.3},
    "cgroup_version": 2,
    "routes": [{"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""}],
    "modules": {"overlay": "loaded", "br_netfilter": "available"},
    "packages": {},
    "cpus": 2,
    "memory_mb": 1700,
    "disks": {"/": {"size_mb": 50000, "free_mb": 30000, "inodes": 3000000, "inodes_free": 2000000, "device": 1}},
    "kubernetes": {"kubelet_conf": False, "ours": False},
    "containerd": {"running": False, "ours": False, "version": None},
    "runtimes": [],
    "firewall": {"manager": "", "tables": []},
    "rivals": {"distributions": {}, "leftovers": [], "cni": [], "interfaces": []},
    "resolver": {"nameservers": ["192.0.2.1"], "file": "/etc/resolv.conf", "pods_nameservers": ["192.0.2.1"]},
    "swaps": [],
    "swap_makers": [],
    "memory_available_mb": 1000,
    "container": "",
}
