# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One read of a host: who it is, what it has, what runs on it. Python 3.8, standard library only."""

from __future__ import annotations

import os
import platform
import pwd
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .._common.host import Host, os_release
from . import info_addresses as own_addresses
from . import info_firewall as firewall
from . import info_network as network
from . import info_resolver as resolver
from . import info_rivals as rivals
from . import info_software as software
from . import kernel
from .info_cluster import cluster
from .served_bundle import proxy_settings, served_bundle

# The names that Debian, image registries and Kubernetes use, by the kernel's.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Where an installation writes; any of these may be a file system of its own. `~` is the home of the user who connects.
DISKS = ("/", "/tmp", "~", "/var/lib", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/etcd")


def attempt(reader: Callable[..., Any], *args: Any) -> Any:
    """Return what the reader finds, or None when the host does not tell: one odd field must not hide all others."""
    try:
        return reader(*args)
    except (OSError, ValueError, KeyError, IndexError):
        return None


def host_name(host: Host) -> str:
    """Return the host's own name in lower case: what kubelet would call the node."""
    return host.text("/proc/sys/kernel/hostname").lower()


def fqdn(host: Host) -> str:
    """Return the full name as /etc/hosts knows it, else the host name.

    DNS is not asked: a dead resolver costs seconds.
    """
    name = host_name(host)
    for line in (host.text_or_none("/etc/hosts") or "").lower().splitlines():
        names = line.split("#", 1)[0].split()[1:]
        full = [other for other in names if other.startswith(name + ".")]
        if name in names and full:
            return full[0]
    return name


def memory_mb(host: Host, kind: str = "MemTotal") -> int:
    """Return the memory in MiB; kind `MemAvailable` is what programs could still have."""
    lines = dict(line.split(":", 1) for line in host.text("/proc/meminfo").splitlines() if ":" in line)
    return int(lines[kind].split()[0]) // 1024


def cpus(host: Host) -> int:
    """Return the number of processors that are on line."""
    return sum(1 for line in host.text("/proc/stat").splitlines() if line.startswith("cpu") and line[3:4].isdigit())


def swaps(host: Host) -> List[Dict[str, Any]]:
    """Return the swap areas, compressed memory (zram) among them, with size and what is used of it in MiB."""
    rows = [line.split() for line in host.text("/proc/swaps").splitlines()[1:]]
    return [{"path": row[0], "size_mb": int(row[2]) // 1024, "used_mb": int(row[3]) // 1024} for row in rows]


def home(environment: Mapping[str, str]) -> str:
    """Return the home of the user who connects, also where sudo has made root of them; raises KeyError."""
    return pwd.getpwnam(environment["SUDO_USER"]).pw_dir if "SUDO_USER" in environment else environment["HOME"]


def disk(host: Host, folder: str) -> Dict[str, int]:
    """Return size, free space (MiB), inodes, free inodes and device of the file system that holds the folder.

    A folder that is not there yet will lie on the file system of the nearest one above it.
    """
    path = host.path(home(os.environ) if folder == "~" else folder)
    while not os.path.exists(path):
        path = os.path.dirname(path)
    stat = os.statvfs(path)
    unit = stat.f_frsize
    return {
        "size_mb": stat.f_blocks * unit // 2**20,
        "free_mb": stat.f_bavail * unit // 2**20,
        "inodes": stat.f_files,
        "inodes_free": stat.f_favail,
        "device": os.stat(path).st_dev,
    }


def cgroup_version(host: Host) -> int:
    """Return 2 for the unified hierarchy, 1 for the old and the hybrid one; raises ValueError without any."""
    if host.exists("/sys/fs/cgroup/cgroup.controllers"):
        return 2
    if host.names("/sys/fs/cgroup"):
        return 1
    raise ValueError("/sys/fs/cgroup is empty")


def container(host: Host) -> str:
    """Return the container manager in which the host runs, empty on a machine; raises ValueError when nothing tells."""
    manager = host.text_or_none("/run/systemd/container") or host.run(["systemd-detect-virt", "--container"])
    if manager is None:
        raise ValueError("neither /run/systemd/container nor systemd-detect-virt tells")
    return "" if manager.strip() == "none" else manager.strip()


def read_node(
    host: Host,
    sysctls: Sequence[str] = (),
    modules: Sequence[str] = (),
    packages: Sequence[str] = (),
    name: Optional[str] = None,
    address: Optional[str] = None,
    resolve: Sequence[str] = (),
    networks: Sequence[str] = (),
    bundle_server: Optional[Mapping[str, Any]] = None,
    source: network.SourceAddress = network.source_address,
) -> Dict[str, Any]:
    """Return everything as one dict; what cannot be read is None.

    name, address: the user's choice of the node's name and address (two with a comma between for two IP versions); else
    the host's own name and the address of its default route.
    networks: the pods' networks, whose IP versions the node's addresses must have.
    resolve: names of which the host shall tell the addresses.
    bundle_server: the web server that the host shall try, as module node_info has it.
    """
    system = attempt(os_release, host) or {}
    route = attempt(network.default_route, host, source) or {}
    running = attempt(software.services, host) or {}
    names = resolver.resolver(host)
    own_name = attempt(host_name, host)
    nowhere = {"address": address or None, "address_secondary": None, "cluster_networks": None}
    place = attempt(own_addresses.cluster_addresses, host, address or "", networks, route.get("address")) or nowhere
    near = [route.get("network"), *(place["cluster_networks"] or [])]
    return {
        "name": name.lower() if name else own_name,
        **place,
        "router_interfaces": attempt(own_addresses.router_interfaces, host),
        "hostname": own_name,
        "fqdn": attempt(fqdn, host),
        "architecture": host.machine,
        "arch": ARCHITECTURES.get(host.machine),
        "distribution": system.get("ID"),
        "distribution_version": system.get("VERSION_ID"),
        "pretty_name": system.get("PRETTY_NAME"),
        "kernel": host.text_or_none("/proc/sys/kernel/osrelease"),
        "python": platform.python_version(),
        "cpus": attempt(cpus, host),
        "memory_mb": attempt(memory_mb, host),
        "memory_available_mb": attempt(memory_mb, host, "MemAvailable"),
        "default_address": route.get("address"),
        "default_interface": route.get("interface"),
        "default_network": route.get("network"),
        "default_interface_6": attempt(own_addresses.default_interface_6, host),
        "addresses": attempt(network.addresses, host),
        "routes": attempt(network.networks, host),
        "resolved": {wanted: network.resolve(host, wanted) for wanted in resolve},
        "swaps": attempt(swaps, host),
        "swap_makers": running.get("swap_makers"),
        "sysctls": {key: kernel.sysctl_value(host, key) for key in sysctls},
        "modules": {module: kernel.module_state(host, module) for module in modules},
        "filesystems": attempt(kernel.filesystems, host),
        "cgroup_version": attempt(cgroup_version, host),
        "systemd": host.exists("/run/systemd/system"),
        "container": attempt(container, host),
        "packages": attempt(software.packages, host, packages),
        "clock": time.time(),
        "time_service": running.get("time_service"),
        "disks": {folder: attempt(disk, host, folder) for folder in DISKS},
        "kubernetes": attempt(software.kubernetes, host),
        "cluster": attempt(cluster, host),
        "containerd": {
            "running": running.get("containerd_running"),
            "ours": rivals.containerd_is_ours(host),
            "version": software.version_of(host, ["containerd", "--version"]),
        },
        "runtimes": running.get("runtimes"),
        "firewall": attempt(firewall.firewall, host),
        "rivals": attempt(rivals.rivals, host, running.get("active") or []),
        "served_bundle": _served_bundle(bundle_server, near) if bundle_server and bundle_server["url"] else None,
        "resolver": names,
        "resolv_conf": names["file"],
    }


def _served_bundle(server: Mapping[str, Any], near: Sequence[Any]) -> Dict[str, str]:
    settings = proxy_settings(server["http_proxy"], server["https_proxy"], server["no_proxy"], near)
    return served_bundle(server["url"], server["certificates"], settings)
