# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter of quantities; what it does and takes stands in the .yml file beside."""

from __future__ import annotations

from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.quantity import number


def quantity(value: Any, unit: str = "") -> int | float:
    """Return a quantity, or the sum of a list of them, as a number."""
    try:
        return number(value, unit)
    except ValueError as error:
        raise AnsibleFilterError(f"quantity: {error}") from error


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"quantity": quantity}
