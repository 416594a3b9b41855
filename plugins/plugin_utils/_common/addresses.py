# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IP addresses and networks of nodes, as the controller computes with them."""

from __future__ import annotations

import ipaddress
from typing import Any, List, Mapping, Optional, Union

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]


Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


def address_of(text: Any) -> Optional[Address]:
    """Return the address that a text is, or None when it is none."""
    try:
        return ipaddress.ip_address(str(text))
    except ValueError:
        return None


def node_addresses(node: Mapping[str, Any]) -> List[Address]:
    """Return the addresses that a node has in the cluster, the first one first."""
    found = [address_of(node.get(key)) for key in ("address", "address_secondary")]
    return [address for address in found if address is not None]
