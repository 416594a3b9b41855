# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters for endpoints, host and port in one text."""

from __future__ import annotations

from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes import endpoint as _endpoint


def host_port(host: str, port: int) -> str:
    """Return host:port, with an IPv6 address in brackets."""
    return _endpoint.join(str(host), int(port))


def endpoint_host(endpoint: str) -> str:
    """Return the host of host:port."""
    return _endpoint.host_of(str(endpoint))


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"host_port": host_port, "endpoint_host": endpoint_host}
