# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed and what runs on a host. Python 3.8, standard library only."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence

from .._common.host import Host
from .._control_plane.kubeadm import Layout, stage_of
from .._control_plane.kubeconfig import server_of
from . import info_rivals as rivals

# Unit name -> what it is called in the result; Debian and Ubuntu name the same daemons differently.
TIME_SERVICES = {
    "systemd-timesyncd.service": "systemd-timesyncd",
    "chrony.service": "chrony",
    "chronyd.service": "chrony",
    "ntpsec.service": "ntpsec",
    "ntp.service": "ntp",
    "openntpd.service": "openntpd",
}
# What makes swap by itself at each boot, outside of fstab and of units of kind swap.
SWAP_MAKERS = ("zramswap.service", "zram-config.service", "dphys-swapfile.service", "swapspace.service")
RUNTIMES = {"docker.service": "docker", "crio.service": "cri-o"}


def active_units(host: Host, units: Sequence[str]) -> List[str]:
    """Return those of the units that are active; raises ValueError when systemd does not answer."""
    answer = (host.run(["systemctl", "is-active"] + list(units)) or "").splitlines()
    if len(answer) != len(units):
        raise ValueError(f"systemctl is-active gave {len(answer)} answers for {len(units)} units")
    return [unit for unit, state in zip(units, answer) if state == "active"]


def version_of(host: Host, argv: Sequence[str]) -> Optional[str]:
    """Return the first version number in what the program prints, without a leading `v`; None when there is none."""
    found = re.search(r"\bv?(\d+\.\d+\.\d+[\w.~+-]*)", host.run(argv) or "")
    return found.group(1) if found else None


def packages(host: Host, names: Sequence[str]) -> Dict[str, Dict[str, Any]]:
    """Return version and hold state of those of the packages that are installed whole.

    Raises ValueError without dpkg.
    """
    if not names:
        return {}
    form = "${Package} ${Version} ${db:Status-Want} ${db:Status-Status}\\n"
    answer = host.run(["dpkg-query", "--show", "--showformat", form] + list(names))
    if answer is None:
        raise ValueError("dpkg-query cannot be run")
    found = {}
    for line in answer.splitlines():
        fields = line.split(" ")
        # A package that is not installed has an empty version, so its line has the same number of fields.
        if len(fields) == 4 and fields[3] == "installed":
            found[fields[0]] = {"version": fields[1], "held": fields[2] == "hold"}
    return found


def services(host: Host) -> Dict[str, Any]:
    """Return what the active units tell, in one question to systemd.

    `time_service` (empty when none is active), `containerd_running`, `runtimes`, `swap_makers`, and `active`, those of
    the rivals' units.
    """
    units = [*TIME_SERVICES, *RUNTIMES, *SWAP_MAKERS, *rivals.UNITS, "containerd.service"]
    active = active_units(host, units)
    clocks = [TIME_SERVICES[unit] for unit in active if unit in TIME_SERVICES]
    return {
        "time_service": clocks[0] if clocks else "",
        "containerd_running": "containerd.service" in active,
        "runtimes": [RUNTIMES[unit] for unit in active if unit in RUNTIMES],
        "swap_makers": [unit for unit in active if unit in SWAP_MAKERS],
        "active": [unit for unit in active if unit in rivals.UNITS],
    }


def _api_server(host: Host) -> str:
    """Return host:port by which the cluster of this host is reached, empty when it belongs to none."""
    # A control plane's kubelet talks to its own API server; the administrator's file has the common address.
    for name in ("admin.conf", "kubelet.conf"):
        server = server_of(host.text_or_none(f"/etc/kubernetes/{name}") or "")
        if server:
            return server
    return ""


def kubernetes(host: Host) -> Dict[str, Any]:
    """Return what an earlier installation of Kubernetes has left on the host."""
    return {
        "admin_conf": host.exists("/etc/kubernetes/admin.conf"),
        "kubelet_conf": host.exists("/etc/kubernetes/kubelet.conf"),
        "cni": host.names("/etc/cni/net.d"),
        "stage": stage_of(Layout(host.path("/etc/kubernetes"), host.path("/var/lib/kubelet"))),
        "endpoint": _api_server(host),
        "ours": host.exists(rivals.OUR_MARK),
        "version": version_of(host, ["kubelet", "--version"]),
    }
