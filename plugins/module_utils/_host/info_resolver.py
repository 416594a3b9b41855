# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a host asks for names, and which file pods should get to see. Python 3.8, standard library only."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, List

from .._common.host import Host

OWN_FILE = "/etc/resolv.conf"
# systemd-resolved names itself (127.0.0.53) in the first file, and the servers it asks in this one.
UPSTREAM_FILE = "/run/systemd/resolve/resolv.conf"


def nameservers(text: str) -> List[str]:
    """Return the servers that a resolv.conf(5) names, in their order."""
    rows = (line.split("#")[0].split(";")[0].split() for line in text.splitlines())
    return [row[1] for row in rows if len(row) > 1 and row[0] == "nameserver"]


def is_loopback(server: str) -> bool:
    """Say whether a server is the host itself; a name or nonsense is not."""
    try:
        return ipaddress.ip_address(server.split("%")[0]).is_loopback
    except ValueError:
        return False


def resolver(host: Host) -> Dict[str, Any]:
    """Return `nameservers` of the host, and `file` with `pods_nameservers`: what the kubelet should hand to pods.

    A pod that asks 127.0.0.53 asks itself. Where systemd-resolved tells whom it asks, pods ask those.
    """
    own = nameservers(host.text_or_none(OWN_FILE) or "")
    upstream = nameservers(host.text_or_none(UPSTREAM_FILE) or "")
    better = any(is_loopback(server) for server in own) and upstream and not any(map(is_loopback, upstream))
    return {
        "nameservers": own,
        "file": UPSTREAM_FILE if better else OWN_FILE,
        "pods_nameservers": upstream if better else own,
    }
