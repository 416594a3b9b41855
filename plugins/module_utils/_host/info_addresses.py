# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By which of its addresses a host is a node of the cluster. Python 3.8, standard library only."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from .._common.host import Host
from . import info_network as network

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

# Flags of /proc/net/if_inet6: an address that another one will replace soon (privacy), that is no longer to be used, or
# of which it is not known yet whether a neighbour has it too.
_PASSING = 0x01 | 0x08 | 0x20 | 0x40
# Flag of /proc/net/ipv6_route: the route refuses what it matches.
_REJECT = 0x200
# Flag of /proc/net/ipv6_route: a router told the kernel so.
_FROM_ROUTER = 0x40000


class Link(NamedTuple):
    """An address, the interface that bears it and the network of that link.

    lasting: whether a cluster may rely on the address for good.
    """

    address: str
    interface: str
    network: Network
    lasting: bool


def versions(networks: Sequence[str]) -> List[int]:
    """Return the IP versions of these networks, each once, in their order; what is no network is passed over."""
    found: List[int] = []
    for text in networks:
        try:
            version = ipaddress.ip_network(text.strip(), strict=False).version
        except ValueError:
            continue
        if version not in found:
            found.append(version)
    return found


def links(host: Host) -> List[Link]:
    """Return the addresses of the host that other hosts can reach, IPv4 before IPv6."""
    found = []
    own = network.addresses(host)
    for route in network.routes(host):
        if route["gateway"] or not route["network"].prefixlen:
            continue
        for address in own:
            parsed = ipaddress.ip_address(address)
            if parsed.version == 4 and parsed in route["network"]:
                found.append(Link(address, route["interface"], route["network"], True))
    for line in (host.text_or_none("/proc/net/if_inet6") or "").splitlines():
        number, _index, prefix, _scope, flags, interface = line.split()
        address = str(ipaddress.IPv6Address(int(number, 16)))
        if address in own:
            link = ipaddress.IPv6Network((address, int(prefix, 16)), strict=False)
            link = link if link.prefixlen < 128 else _around(host, address, interface) or link
            found.append(Link(address, interface, link, not int(flags, 16) & _PASSING))
    return found


def _around(host: Host, address: str, interface: str) -> Optional[ipaddress.IPv6Network]:
    """Return the network of the link around an address that bears none: DHCPv6 gives addresses, routers the network."""
    found = [
        route["network"]
        for route in network.routes_6(host)
        if route["interface"] == interface and not route["gateway"] and 0 < route["network"].prefixlen < 128
    ]
    around = [one for one in found if ipaddress.IPv6Address(address) in one]
    return max(around, key=lambda one: int(one.prefixlen)) if around else None


def default_interface_6(host: Host) -> Optional[str]:
    """Return the interface of the IPv6 default route with the lowest metric; None without one."""
    found = []
    for line in (host.text_or_none("/proc/net/ipv6_route") or "").splitlines():
        fields = line.split()
        if int(fields[1], 16) == 0 and int(fields[0], 16) == 0 and not int(fields[8], 16) & _REJECT:
            found.append((int(fields[5], 16), fields[9]))
    return min(found)[1] if found else None


def cluster_addresses(host: Host, given: str, networks: Sequence[str], default: Optional[str]) -> Dict[str, Any]:
    """Return `address`, `address_secondary` and `cluster_networks`, those of the links that bear the two.

    given: what the user chose, one address or two with a comma between; may be empty. networks: the pods' networks; the
    node needs an address of the IP version of each. default: the address of the IPv4 default route.
    Without a choice the first address is that of the default route. The second one is sought on the first one's link
    before any other, since node to node traffic of both versions goes by one interface.
    """
    known = links(host)
    wanted = versions(networks) or [4]
    chosen = [_plain(part) for part in given.split(",") if part.strip()] if given else []
    if not chosen:
        first = default if wanted[0] == 4 else _of_version(known, 6, default_interface_6(host))
        chosen = [first] if first else []
    if len(chosen) == 1 and len(wanted) == 2:
        other = [version for version in wanted if version != _version(chosen[0])]
        interface = next((link.interface for link in known if link.address == chosen[0]), None)
        second = _of_version(known, other[0], interface) if other else None
        # Kubernetes wants the node's addresses in the order of the pods' networks.
        chosen = sorted([*chosen, second], key=lambda text: wanted.index(_version(text) or 4)) if second else chosen
    return {
        "address": chosen[0] if chosen else None,
        "address_secondary": chosen[1] if len(chosen) > 1 else None,
        "cluster_networks": sorted({str(link.network) for link in known if link.address in chosen}),
    }


def router_interfaces(host: Host) -> List[str]:
    """Return the interfaces on which the kernel itself takes IPv6 routes from routers (accept_ra), and has some.

    It stops doing so as soon as the host forwards packets, and the default route is gone half an hour later.
    """
    lines = [line.split() for line in host.text("/proc/net/ipv6_route").splitlines()]
    told = {fields[9] for fields in lines if int(fields[8], 16) & _FROM_ROUTER}
    return sorted(name for name in told if host.text_or_none(f"/proc/sys/net/ipv6/conf/{name}/accept_ra") in ("1", "2"))


def _plain(text: str) -> str:
    """Return the address as Kubernetes writes it; what is none stays as it is, and preflight names it."""
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        return text.strip()


def _version(text: str) -> Optional[int]:
    try:
        return ipaddress.ip_address(text).version
    except ValueError:
        return None


def _of_version(known: Sequence[Link], version: int, interface: Optional[str]) -> Optional[str]:
    """Return a lasting address of this version, of the given interface if there is one."""
    fitting = [link for link in known if link.network.version == version and link.lasting]
    near = [link for link in fitting if link.interface == interface]
    return next((link.address for link in near + fitting), None)
