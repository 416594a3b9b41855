# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node facts from the files of a host that is made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info import read_node
from tests.support.made_up_host import ROUTES, answer


def test_reads_a_whole_host(root: Path) -> None:
    wanted = {
        "sysctls": ["net.ipv4.ip_forward", "net/ipv4/ip_local_port_range", "vm.nothing"],
        "modules": ["br-netfilter", "overlay", "failover", "nf_conntrack", "nfsd"],
        "packages": ["socat", "conntrack", "ethtool"],
        "resolve": ["api.example.org", "nobody.example.org"],
    }
    asked: list[str] = []
    node = read_node(Host(str(root), answer, "x86_64"), **wanted, source=lambda to: asked.append(to) or "198.51.100.9")
    assert asked == ["198.51.100.1"], "the default route with the lowest metric decides"
    disks = node.pop("disks")
    assert set(disks) == {"/", "/tmp", "~", *(f"/var/lib{name}" for name in ("", "/containerd", "/kubelet", "/etcd"))}
    assert all(disk["free_mb"] <= disk["size_mb"] for disk in disks.values())
    assert all(disk["inodes_free"] <= disk["inodes"] for disk in disks.values())
    assert disks["/var/lib/etcd"]["device"] == (root / "var/lib").stat().st_dev, "not there yet, so it is the parent's"
    assert node.pop("clock") > 1e9
    assert node.pop("python")
    assert node == {
        "name": "gpu-1",
        "address": "198.51.100.9",
        "address_secondary": None,
        "cluster_networks": ["198.51.100.0/24"],
        "router_interfaces": [],
        "hostname": "gpu-1",
        "fqdn": "gpu-1.example.org",
        "architecture": "x86_64",
        "arch": "amd64",
        "distribution": "debian",
        "distribution_version": "12",
        "pretty_name": "Debian GNU/Linux 12 (bookworm)",
        "kernel": "6.1.0-18-amd64",
        "cpus": 2,
        "memory_mb": 2000,
        "memory_available_mb": 1000,
        "default_address": "198.51.100.9",
        "default_interface": "eth1",
        "default_network": "198.51.100.0/24",
        "default_interface_6": "eth0",
        "addresses": ["192.0.2.11", "198.51.100.9", "2001:db8::1"],
        "routes": [
            {"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""},
            {"network": "198.51.100.0/24", "interface": "eth1", "gateway": ""},
            {"network": "2001:db8:1::/64", "interface": "eth0", "gateway": ""},
            {"network": "2001:db8:2::/48", "interface": "eth0", "gateway": "fe80::1"},
        ],
        "resolved": {"api.example.org": ["192.0.2.9", "2001:db8::9"], "nobody.example.org": []},
        "swaps": [
            {"path": "/dev/sda2", "size_mb": 1024, "used_mb": 20},
            {"path": "/dev/zram0", "size_mb": 2, "used_mb": 0},
        ],
        "swap_makers": ["zramswap.service"],
        "sysctls": {"net.ipv4.ip_forward": "0", "net/ipv4/ip_local_port_range": "32768 60999", "vm.nothing": None},
        "modules": {
            "br-netfilter": "loaded",
            "overlay": "builtin",
            "failover": "builtin",
            "nf_conntrack": "available",
            "nfsd": "absent",
        },
        "filesystems": ["ext4", "overlay", "sysfs"],
        "cgroup_version": 2,
        "systemd": True,
        "container": "",
        "packages": {"socat": {"version": "1.7", "held": False}, "conntrack": {"version": "1.4", "held": True}},
        "time_service": "chrony",
        "kubernetes": {
            "admin_conf": False,
            "kubelet_conf": True,
            "stage": "none",
            "endpoint": "",
            "cni": [],
            "ours": False,
            "version": "1.37.2",
        },
        "cluster": None,
        "containerd": {"running": True, "ours": False, "version": "2.4.2"},
        "runtimes": ["docker"],
        "firewall": {"manager": "", "tables": []},
        "rivals": {
            "distributions": {"k3s": ["k3s.service"]},
            "leftovers": ["/etc/kubernetes/kubelet.conf"],
            "cni": [],
            "interfaces": [],
        },
        "served_bundle": None,
        "resolver": {
            "nameservers": ["127.0.0.53"],
            "file": "/run/systemd/resolve/resolv.conf",
            "pods_nameservers": ["192.0.2.1", "2001:db8::53"],
        },
        "resolv_conf": "/run/systemd/resolve/resolv.conf",
    }


def test_the_user_names_node_and_address(root: Path) -> None:
    node = read_node(Host(str(root), answer), name="GPU-Node01.Example.ORG", address="192.0.2.11", source=lambda to: "")
    assert (node["name"], node["address"]) == ("gpu-node01.example.org", "192.0.2.11")
    assert node["hostname"] == "gpu-1"


def test_a_host_that_tells_nothing_gives_nulls(tmp_path: Path) -> None:
    node = read_node(Host(str(tmp_path), lambda argv: None, "riscv64"), packages=["socat"], modules=["overlay"])
    known = {"architecture", "clock", "python", "sysctls", "modules", "systemd", "disks", "kubernetes"}
    known |= {"containerd", "resolved", "resolver", "resolv_conf", "rivals", "firewall"}
    assert {key for key, value in node.items() if value is not None} == known
    assert node["modules"] == {"overlay": "absent"}
    assert node["systemd"] is False


def test_without_a_default_route_there_is_no_address(root: Path) -> None:
    (root / "proc/net/route").write_text(ROUTES.splitlines()[0] + "\n")
    node = read_node(Host(str(root), answer), source=lambda to: pytest.fail("nothing to ask"))
    assert (node["address"], node["default_interface"], node["default_network"]) == (None, None, None)
