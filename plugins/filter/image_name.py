# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of image names; what they do and take stands in the .yml files beside."""

from __future__ import annotations

from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.image_name import in_registry


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"in_registry": in_registry}
