# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel settings of a node that forwards IPv6. Pure. Python 3.8, standard library only."""

from __future__ import annotations

from typing import Any, Dict, Mapping

# Settings are made in the order of their keys, and `/` comes after `.`: forwarding must be the last one. The moment it
# is set the kernel drops the default routes that routers gave it, unless it was told before to go on hearing them.
_FORWARDING = "net/ipv6/conf/all/forwarding"


def router_sysctls(node: Mapping[str, Any]) -> Dict[str, str]:
    """Return the settings, none for a node without an IPv6 address in the cluster.

    node: what node_info read; `address`, `address_secondary` and `router_interfaces` are used.
    """
    if not any(":" in (node.get(key) or "") for key in ("address", "address_secondary")):
        return {}
    # In a key with dots a dot of the interface's own name is a slash, as in sysctl(8).
    interfaces = [name.replace(".", "/") for name in node.get("router_interfaces") or []]
    return {**{f"net.ipv6.conf.{name}.accept_ra": "2" for name in interfaces}, _FORWARDING: "1"}
