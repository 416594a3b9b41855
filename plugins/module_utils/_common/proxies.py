# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which proxy a request takes, by the settings that role `node` writes. Python 3.8, standard library only."""

from __future__ import annotations

import ipaddress
import json
import urllib.request
from typing import Any, Dict, Mapping, Optional, Union
from urllib.parse import urlsplit

PROXY_FILE = "/etc/mlstack/proxy.env"


def read_proxies(path: str = PROXY_FILE) -> Dict[str, str]:
    """Return the settings of a file as role `node` writes it: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. Empty without it."""
    try:
        with open(path, encoding="utf-8") as handle:
            lines = [line.strip() for line in handle if "=" in line and not line.startswith("#")]
    except FileNotFoundError:
        return {}
    pairs = [line.split("=", 1) for line in lines]
    return {name: str(json.loads(value)) if value.startswith('"') else value for name, value in pairs}


def bypassed(host: str, no_proxy: str, port: Optional[int] = None) -> bool:
    """Say whether a host is reached without a proxy.

    host: a name or an address, without port or brackets. no_proxy: names, domains (with or without a dot in front),
    addresses and networks, separated by commas, or an asterisk: what containerd and kubelet understand in it.
    """
    address = _address(host)
    for entry in (part.strip().lower() for part in no_proxy.split(",")):
        if entry == "*":
            return True
        network = _network(entry)
        if address is not None and network is not None:
            if address in network:
                return True
            continue
        domain = entry.lstrip("*").lstrip(".")
        if domain and any(f".{place}".endswith(f".{domain}") for place in (host.lower(), f"{host.lower()}:{port}")):
            return True
    return False


class Proxies(urllib.request.ProxyHandler):
    """Sends requests through the proxies of the settings, also after a redirect to another host."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._no_proxy = settings.get("NO_PROXY", "")
        by_scheme = {"http": settings.get("HTTP_PROXY", ""), "https": settings.get("HTTPS_PROXY", "")}
        super().__init__({scheme: url for scheme, url in by_scheme.items() if url})

    def proxy_open(self, req: urllib.request.Request, proxy: str, type: str) -> Any:
        """Return None, which leaves the request alone, when its host is to be reached without a proxy."""
        parts = urlsplit(req.full_url)
        if bypassed(parts.hostname or "", self._no_proxy, parts.port):
            return None
        return super().proxy_open(req, proxy, type)


def _address(text: str) -> Optional[Union[ipaddress.IPv4Address, ipaddress.IPv6Address]]:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _network(text: str) -> Optional[Union[ipaddress.IPv4Network, ipaddress.IPv6Network]]:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
