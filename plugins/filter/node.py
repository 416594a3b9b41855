# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of role node."""

from __future__ import annotations

from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes import router_sysctls as _router_sysctls
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes import service_routes as _service_routes


def router_sysctls(node: dict[str, Any]) -> dict[str, str]:
    """Return the kernel settings of a node that forwards IPv6."""
    return _router_sysctls.router_sysctls(node)


def service_routes(node: dict[str, Any], service_cidr: str) -> list[dict[str, Any]]:
    """Return the routes to services that a node without a default route lacks."""
    return _service_routes.service_routes(node, service_cidr)


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"router_sysctls": router_sysctls, "service_routes": service_routes}
