# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node facts from the files of a host that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host, run_program
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import kernel
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info import read_node

ROUTES = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth1\t00000000\t016433C6\t0003\t0\t0\t50\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth1\t006433C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
"""
NO_ADDRESS = "0" * 32
ROUTES_6 = f"""20010db8000100000000000000000000 40 {NO_ADDRESS} 00 {NO_ADDRESS} 00000100 1 0 00000001 eth0
20010db8000200000000000000000000 30 {NO_ADDRESS} 00 fe800000000000000000000000000001 00000400 1 0 00000003 eth0
fe800000000000000000000000000000 40 {NO_ADDRESS} 00 {NO_ADDRESS} 00000100 1 0 00000001 eth0
20010db8000100000000000000000007 80 {NO_ADDRESS} 00 {NO_ADDRESS} 00000000 2 0 80200001 lo
20010db8000900000000000000000000 40 {NO_ADDRESS} 00 {NO_ADDRESS} 00000400 1 0 00000201 eth0
ff000000000000000000000000000000 08 {NO_ADDRESS} 00 {NO_ADDRESS} 00000100 1 0 00000001 eth0
{NO_ADDRESS} 00 {NO_ADDRESS} 00 fe800000000000000000000000000001 00000400 1 0 00000003 eth0
"""
TRIE = """Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 127.0.0.1
        /32 host LOCAL
     |-- 192.0.2.11
        /32 host LOCAL
     |-- 192.0.2.255
        /32 link BROADCAST
     |-- 198.51.100.9
        /32 link UNICAST
        /32 host LOCAL
"""
FILES = {
    "etc/os-release": 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "etc/hosts": "127.0.0.1 localhost\n192.0.2.11 GPU-1.example.org gpu-1 # the node\n",
    "proc/sys/kernel/hostname": "GPU-1\n",
    "proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
    "proc/sys/net/ipv4/ip_forward": "0\n",
    "proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
    "proc/meminfo": "MemTotal:       2048000 kB\nMemFree: 1 kB\nMemAvailable: 1024000 kB\n",
    "proc/stat": "cpu  1 2\ncpu0 1\ncpu1 1\nintr 5\n",
    "proc/swaps": (
        "Filename Type Size Used Priority\n/dev/sda2 partition 1048576 20480 -2\n/dev/zram0 partition 2048 0 100\n"
    ),
    "proc/filesystems": "nodev\tsysfs\nnodev\toverlay\n\text4\n",
    "proc/modules": "br_netfilter 32768 0 - Live 0x0\n",
    "proc/net/route": ROUTES,
    "proc/net/fib_trie": TRIE,
    "proc/net/if_inet6": (
        "00000000000000000000000000000001 01 80 10 80 lo\n"
        "20010db8000000000000000000000001 02 40 00 80 eth0\n"
        "fe80000000000000000000fffe000001 02 40 20 80 eth0\n"
    ),
    "proc/net/ipv6_route": ROUTES_6,
    "lib/modules/6.1.0-18-amd64/modules.builtin": "kernel/net/core/failover.ko\n",
    "lib/modules/6.1.0-18-amd64/modules.dep": "kernel/net/netfilter/nf_conntrack.ko.xz: kernel/x.ko\n",
    "sys/fs/cgroup/cgroup.controllers": "cpu memory",
    "run/systemd/system/.keep": "",
    "etc/kubernetes/kubelet.conf": "",
    "etc/resolv.conf": "nameserver 127.0.0.53 # resolved\nsearch example.org\n",
    "run/systemd/resolve/resolv.conf": "nameserver 192.0.2.1\nnameserver 2001:db8::53\n",
}
ANSWERS = {
    "systemd-detect-virt": "none\n",
    "containerd": "containerd github.com/containerd/containerd/v2 v2.4.2 abc\n",
    "kubelet": "Kubernetes v1.37.2\n",
    "dpkg-query": "socat 1.7 install installed\nconntrack 1.4 hold installed\nethtool 6.1 deinstall config-files\n",
}
ACTIVE = {"zramswap.service", "k3s.service", "chrony.service", "docker.service", "containerd.service"}


def answer(argv: Sequence[str]) -> str | None:
    """Play the programs of the host."""
    if argv == ["getent", "ahosts", "api.example.org"]:
        return "192.0.2.9 STREAM api.example.org\n192.0.2.9 DGRAM \n2001:db8::9 STREAM \n"
    if argv[0] == "systemctl":
        return "".join("active\n" if unit in ACTIVE else "inactive\n" for unit in argv[2:])
    return ANSWERS.get(argv[0])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with the files of the host."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "var/lib").mkdir(parents=True)
    return tmp_path


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


def test_a_missing_program_is_no_error() -> None:
    assert run_program(["/no/such/program"]) is None
    assert run_program(["sh", "-c", "echo told; exit 3"]) == "told\n"
