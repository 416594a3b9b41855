# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the running kernel offers: modules, file systems, sysctls. Python 3.8, standard library only."""

from __future__ import annotations

import re
from typing import Dict, List, Optional

from .._common.host import Host

# A module that is compiled in and has no parameters leaves no trace in /sys/module, and a container may have no
# /lib/modules: what such a module adds under /proc tells that it is there.
TRACES: Dict[str, str] = {
    "br_netfilter": "/proc/sys/net/bridge/bridge-nf-call-iptables",
    "ip_tables": "/proc/net/ip_tables_names",
    "ip_vs": "/proc/net/ip_vs",
    "nf_conntrack": "/proc/sys/net/netfilter/nf_conntrack_max",
}


def filesystems(host: Host) -> List[str]:
    """Return the file systems that the kernel can mount now; raises OSError without /proc."""
    return sorted(line.split()[-1] for line in host.text("/proc/filesystems").splitlines() if line.strip())


def module_state(host: Host, name: str) -> str:
    """Return `loaded`, `builtin`, `available` (modprobe would find it) or `absent`.

    The kernel takes `-` and `_` in a module's name for the same character.
    """
    plain = name.replace("-", "_")
    loaded = host.text_or_none("/proc/modules") or ""
    if any(line.split(" ", 1)[0] == plain for line in loaded.splitlines()):
        return "loaded"
    if host.exists("/sys/module/" + plain) or (plain in TRACES and host.exists(TRACES[plain])):
        return "builtin"
    if plain in (host.text_or_none("/proc/filesystems") or "").split():
        return "builtin"
    folder = "/lib/modules/%s" % (host.text_or_none("/proc/sys/kernel/osrelease") or "")
    either = re.escape(plain).replace("_", "[-_]")
    file_name = re.compile(rf"(^|/){either}\.ko(\.\w+)?(:|$)", re.MULTILINE)
    if file_name.search(host.text_or_none(folder + "/modules.builtin") or ""):
        return "builtin"
    if file_name.search(host.text_or_none(folder + "/modules.dep") or ""):
        return "available"
    return "absent"


def sysctl_path(key: str) -> str:
    """Return the file below /proc/sys of a sysctl key.

    The first separator decides, as in sysctl(8): `net.ipv4.conf.eth0/1.rp_filter` and `net/ipv4/conf/eth0.1/rp_filter`
    are one key.
    """
    first = re.search(r"[./]", key)
    if first and first.group() == ".":
        key = key.translate(str.maketrans("./", "/."))
    return "/proc/sys/" + key


def sysctl_value(host: Host, key: str) -> Optional[str]:
    """Return the running value, several numbers separated by one space; None when the kernel has no such key."""
    text = host.text_or_none(sysctl_path(key))
    return None if text is None else " ".join(text.split())
