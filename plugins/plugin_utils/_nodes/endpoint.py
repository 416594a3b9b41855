# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host and port in one text, for both IP versions. Python 3.8, standard library only."""

from __future__ import annotations

import re

_ENDPOINT = re.compile(r"\[(?P<address>[^]]+)\](:\d+)?|(?P<host>[^:]+)(:\d+)?")


def join(host: str, port: int) -> str:
    """Return host:port; an IPv6 address comes in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def host_of(endpoint: str) -> str:
    """Return the host of host:port, of [address]:port or of what is a host alone."""
    found = _ENDPOINT.fullmatch(endpoint)
    return (found["address"] or found["host"]) if found else endpoint
