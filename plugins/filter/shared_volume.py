# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter of role shared_volume; what it does and takes stands in the .yml beside."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.shared_volume import (
    claim_objects,
    shared_folder_objects,
)


def shared_volume_objects(
    namespaces: Sequence[str],
    claim: str,
    path: str,
    capacity: str,
    backend: str = "hostpath",
    storage_class: str = "",
) -> list[dict[str, Any]]:
    """Return the objects that give namespaces a shared volume."""
    if backend == "claim":
        return claim_objects(namespaces, claim, storage_class, capacity)
    try:
        return shared_folder_objects(namespaces, claim, path, capacity)
    except ValueError as error:
        raise AnsibleFilterError(f"shared_volume_objects: {error}") from error


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"shared_volume_objects": shared_volume_objects}
