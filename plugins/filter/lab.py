# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the lab inventory: from a lab's name to its network and the addresses of its hosts."""

from __future__ import annotations

from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab import subnet as _lab_subnet


def lab_subnet(name: str, version: int = 4) -> str:
    """Return the network of the lab called name, of IP version 4 or 6."""
    try:
        return _lab_subnet.default_subnet(name, version)
    except ValueError as error:
        raise AnsibleFilterError(f"lab_subnet: {error}") from error


def lab_address(subnet: str, number: int | str) -> str:
    """Return the address with this number in subnet; a number out of an INI inventory may be text."""
    try:
        return _lab_subnet.address(subnet, int(number))
    except ValueError as error:
        raise AnsibleFilterError(f"lab_address: {error}") from error


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"lab_subnet": lab_subnet, "lab_address": lab_address}
