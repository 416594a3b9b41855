# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters over the control planes of a cluster."""

from __future__ import annotations

from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes import control_planes


def control_plane_leader(planes: dict[str, dict[str, Any]]) -> str:
    """Return the host that starts the cluster or invites others to it."""
    try:
        return control_planes.leader(planes)
    except control_planes.LeaderError as error:
        raise AnsibleFilterError(str(error)) from None


def control_plane_servers(planes: dict[str, dict[str, Any]]) -> list[dict[str, str]]:
    """Return name and address of the control planes that are known."""
    return control_planes.servers(planes)


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"control_plane_leader": control_plane_leader, "control_plane_servers": control_plane_servers}
