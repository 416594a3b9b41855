# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The address of the API that the user has given: well-formed, and known to every node."""

from __future__ import annotations

import ipaddress
import re
from typing import Any, List, Mapping, Optional, Tuple

from ...module_utils._common.problem import Problem, Rule

FORM = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<host>[^\[\]:/\s]+)):(?P<port>\d{1,5})")

NOT_HOST_AND_PORT = Rule(
    "mlstack_api_endpoint",
    "it must be host:port, without https:// and with a port from 1 to 65535; an IPv6 address stands in brackets",
    "Write it as api.example.org:6443 or [2001:db8::10]:6443",
)
LOOPBACK = Rule(
    "mlstack_api_endpoint",
    "an address of the loopback is another one on each host",
    "Name the load balancer, or leave it out and set mlstack_api_load_balancer: local",
)
NOT_RESOLVED = Rule(
    "mlstack_api_endpoint",
    "the host cannot resolve {name}, and kubelet would not find the API",
    "Add the name to DNS, or to /etc/hosts of every node",
)


def split(endpoint: str) -> Optional[Tuple[str, int]]:
    """Return host and port of an endpoint, or None when it does not have that form."""
    found = FORM.fullmatch(endpoint)
    if not found or not 1 <= int(found.group("port")) <= 65535:
        return None
    return found.group("six") or found.group("host"), int(found.group("port"))


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the endpoint.

    facts: `hosts`, host -> what node_info read there; `resolved` holds the addresses of the names that were asked for.
    options: `api_endpoint`, empty when the user has given none.
    """
    endpoint = str(options["api_endpoint"])
    if not endpoint:
        return []
    parts = split(endpoint)
    if parts is None:
        return [NOT_HOST_AND_PORT.broken(endpoint)]
    if parts[0] == "localhost" or _is_loopback(parts[0]):
        return [LOOPBACK.broken(endpoint)]
    return [
        NOT_RESOLVED.broken(endpoint, host, name=parts[0])
        for host, node in sorted(facts["hosts"].items())
        if (node.get("resolved") or {}).get(parts[0]) == []
    ]


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
