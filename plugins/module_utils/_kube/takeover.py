# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that `kubectl apply` made, taken over. Pure.

Server-side apply removes a field only from what its own manager has set before. What kubectl set by client-side apply
would stay for ever: the former release's schema in a CRD, a container that the new one has no more, the annotation
with the whole former manifest. So its fields are made ours first; then the apply removes what is no longer wanted.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from .resource import Manifest

CLIENT_SIDE = "kubectl-client-side-apply"
Entry = Dict[str, Any]


def is_client_side(live: Manifest) -> bool:
    """Tell whether fields of an object are held by kubectl's client-side apply."""
    return any(_is_kubectls(entry) for entry in _entries(live))


def takeover_patch(live: Manifest, manager: str) -> List[Entry]:
    """Return the JSON patch that gives kubectl's fields to a field manager; it fails when the object changed since."""
    kept = [entry for entry in _entries(live) if not _is_kubectls(entry)]
    for entry in filter(_is_kubectls, _entries(live)):
        ours = {**entry, "manager": manager, "operation": "Apply"}
        same = [item for item in kept if _key(item) == _key(ours)]
        fields = [item.get("fieldsV1") or {} for item in [*same, ours]]
        ours["fieldsV1"] = fields[0] if len(fields) == 1 else _union(fields[0], fields[1])
        kept = [*(item for item in kept if item not in same), ours]
    version = live["metadata"]["resourceVersion"]
    return [
        {"op": "replace", "path": "/metadata/managedFields", "value": kept},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
    ]


def _entries(live: Manifest) -> List[Entry]:
    entries: List[Entry] = (live.get("metadata") or {}).get("managedFields") or []
    return entries


def _is_kubectls(entry: Entry) -> bool:
    return entry.get("manager") == CLIENT_SIDE and entry.get("operation") == "Update" and not entry.get("subresource")


def _key(entry: Entry) -> Any:
    """Return what makes two entries one to the server."""
    return tuple(entry.get(name) for name in ("manager", "operation", "apiVersion", "subresource"))


def _union(one: Mapping[str, Any], other: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: _union(one.get(name) or {}, other.get(name) or {}) for name in {**one, **other}}
