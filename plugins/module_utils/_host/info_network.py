# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of a host, read from /proc so that a bare host needs no iproute2. Python 3.8, standard library only."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any, Callable, Dict, List, Optional

from .._common.host import Host

SourceAddress = Callable[[str], str]


def source_address(destination: str) -> str:
    """Return the local address from which the kernel would send to `destination`; nothing is sent. Raises OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((destination, 9))
        address: str = probe.getsockname()[0]
        return address


def _address(little_endian_hex: str) -> str:
    return str(ipaddress.IPv4Address(bytes.fromhex(little_endian_hex)[::-1]))


def routes(host: Host) -> List[Dict[str, Any]]:
    """Return the main table's IPv4 routes: interface, destination network, gateway (empty when on the link), metric."""
    found = []
    for line in host.text("/proc/net/route").splitlines()[1:]:
        fields = line.split()
        network = ipaddress.IPv4Network(f"{_address(fields[1])}/{_address(fields[7])}", strict=False)
        gateway = _address(fields[2])
        found.append({
            "interface": fields[0],
            "network": network,
            "gateway": "" if gateway == "0.0.0.0" else gateway,
            "metric": int(fields[6]),
        })
    return found


def default_route(host: Host, source: SourceAddress = source_address) -> Dict[str, Optional[str]]:
    """Return `address`, `interface` and `network` of the default route; the network is that of the link itself.

    All three are None without an IPv4 default route.
    """
    nothing: Dict[str, Optional[str]] = {"address": None, "interface": None, "network": None}
    table = routes(host)
    defaults = sorted((r for r in table if r["network"].prefixlen == 0), key=lambda route: int(route["metric"]))
    if not defaults:
        return nothing
    interface = defaults[0]["interface"]
    # TEST-NET-1 is routed nowhere else than by the default route.
    address = source(defaults[0]["gateway"] or "192.0.2.1")
    links = [r["network"] for r in table if r["interface"] == interface and not r["gateway"] and r["network"].prefixlen]
    own = [str(link) for link in links if ipaddress.IPv4Address(address) in link]
    return {"address": address, "interface": interface, "network": own[0] if own else None}


def routes_6(host: Host) -> List[Dict[str, Any]]:
    """Return the IPv6 routes that lead somewhere else than to the host itself, as `routes`."""
    found = []
    for line in (host.text_or_none("/proc/net/ipv6_route") or "").splitlines():
        fields = line.split()
        network = ipaddress.IPv6Network((int(fields[0], 16), int(fields[1], 16)))
        gateway = ipaddress.IPv6Address(int(fields[4], 16))
        # Flag 0x200 refuses what it matches.
        if fields[9] == "lo" or int(fields[8], 16) & 0x200 or network.is_link_local or network.is_multicast:
            continue
        found.append({"interface": fields[9], "network": network, "gateway": "" if int(gateway) == 0 else str(gateway)})
    return found


def networks(host: Host) -> List[Dict[str, str]]:
    """Return the networks that the host reaches otherwise than by a default route: network, interface, gateway."""
    table = [route for route in routes(host) + routes_6(host) if route["network"].prefixlen > 0]
    kept = [{key: str(route[key]) for key in ("network", "interface", "gateway")} for route in table]
    return [route for number, route in enumerate(kept) if route not in kept[:number]]


def resolve(host: Host, name: str) -> List[str]:
    """Return the addresses that the host knows for a name, from /etc/hosts or DNS; none when it knows none."""
    answer = host.run(["getent", "ahosts", name]) or ""
    return list(dict.fromkeys(line.split()[0] for line in answer.splitlines() if line.split()))


def addresses(host: Host) -> List[str]:
    """Return the host's addresses, IPv4 before IPv6, without those of the loopback and of a single link."""
    local = set()
    leaf = ""
    # Every address of the host is a leaf of the routing trie that has, among others, a line of kind "host LOCAL".
    for line in host.text("/proc/net/fib_trie").splitlines():
        words = line.split()
        if words[:1] == ["|--"]:
            leaf = words[1]
        elif words == ["/32", "host", "LOCAL"]:
            local.add(leaf)
    for line in (host.text_or_none("/proc/net/if_inet6") or "").splitlines():
        local.add(str(ipaddress.IPv6Address(int(line.split()[0], 16))))
    parsed = [ipaddress.ip_address(text) for text in local]
    wanted = [address for address in parsed if not (address.is_loopback or address.is_link_local)]
    return [str(address) for address in sorted(wanted, key=lambda address: (address.version, int(address)))]
