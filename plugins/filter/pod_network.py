# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of role pod_network."""

from __future__ import annotations

from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests import flannel


def flannel_objects(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return flannel's manifests."""
    return flannel.objects(options)


def flannel_leftovers(routes: list[dict[str, str]], kind: str, pod_cidr: str) -> list[str]:
    """Return the commands that remove what another kind of network has left on a host."""
    return flannel.leftovers(routes, kind, pod_cidr)


def node_references(names: list[str]) -> list[dict[str, Any]]:
    """Return what module objects needs to find the nodes of these names."""
    return [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in names]


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "flannel_leftovers": flannel_leftovers,
            "flannel_objects": flannel_objects,
            "node_references": node_references,
        }
