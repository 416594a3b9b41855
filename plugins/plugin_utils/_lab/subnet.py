# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addresses a lab has: one network for each IP version, worked out from its name."""

from __future__ import annotations

import hashlib
import ipaddress

# Kept clear of podman's own network (10.88) and of a default cluster's services (10.96/12) and pods (10.244).
_POOL = ipaddress.ip_network("10.64.0.0/12")
_PREFIX = 24
# Private addresses of IPv6; the rest of the first 64 bits is the lab's.
_POOL_6 = ipaddress.ip_network("fd6c::/16")


def default_subnet(name: str, version: int = 4) -> str:
    """Return the network of the lab called name, as text like 10.70.3.0/24. The same name gives the same network.

    version: 4 or 6. Raises ValueError for another one.
    """
    if version not in (4, 6):
        raise ValueError(f"there is no IP version {version}: it must be 4 or 6")
    pool, prefix = (_POOL, _PREFIX) if version == 4 else (_POOL_6, 64)
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % 2 ** (prefix - pool.prefixlen)
    first = pool.network_address + number * 2 ** (pool.max_prefixlen - prefix)
    return f"{first}/{prefix}"


def address(subnet: str, number: int) -> str:
    """Return the address with this number in subnet.

    subnet: a network as text, like 10.70.3.0/24.
    number: 2 for the second address of it and so on; the first one belongs to the machine itself.
    Raises ValueError when subnet is no network, or number has no place in it.
    """
    network = ipaddress.ip_network(subnet)
    last = network.num_addresses - 2
    if not 2 <= number <= last:
        raise ValueError(f"number {number} has no place in {subnet}: it must be from 2 to {last}")
    return str(network.network_address + number)
