# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter for endpoints, host and port in one text."""

from __future__ import annotations

from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes import endpoint


def host_port(host: str, port: int) -> str:
    """Return host:port, with an IPv6 address in brackets."""
    return endpoint.join(str(host), int(port))


class FilterModule:
    """The filter by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"host_port": host_port}
