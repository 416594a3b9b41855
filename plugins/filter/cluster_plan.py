# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the plans that role cluster_checks judges; what they do and take stands in the .yml files beside."""

from __future__ import annotations

from typing import Any, Callable, Iterable

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.plan import condensed


def condensed_objects(objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the objects, definitions without their schemas."""
    return condensed(objects)


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"condensed_objects": condensed_objects}
