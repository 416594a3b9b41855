# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files and programs of a host that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host

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


def write_files(root: Path) -> None:
    """Write the files of the host below a folder."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "var/lib").mkdir(parents=True)


def host(root: Path, *files: str, **texts: str) -> Host:
    """Return a host with these files; a path that ends with / is an empty folder."""
    for name in files:
        path = root / name.lstrip("/")
        path.mkdir(parents=True) if name.endswith("/") else path.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text("")
    for name, text in texts.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Host(str(root), lambda argv: None)
