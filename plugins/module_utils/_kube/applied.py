# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object was applied by us just as it is wanted, and is still so: then nobody needs to ask the server. Pure.

The server remembers the fields of our last apply in metadata.managedFields, and takes away from them what others write.
When they are exactly those of the manifest, and each holds its value, an apply would change nothing. Every doubt (other
spellings of a number, defaults inside a list's key) is answered with no: a dry run then says how it is.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from .resource import Manifest

Fields = Mapping[str, Any]

# What identifies an object is no field of anybody's.
_IDENTITY = ("apiVersion", "kind")
_METADATA = ("name", "namespace")


def is_as_applied(wanted: Manifest, live: Manifest, manager: str) -> bool:
    """Tell whether applying a manifest under this manager's name would surely change nothing."""
    fields = _fields_of(live, wanted["apiVersion"], manager)
    if fields is None:
        return False
    body = {key: value for key, value in wanted.items() if key not in _IDENTITY}
    metadata = {key: value for key, value in (body.pop("metadata", None) or {}).items() if key not in _METADATA}
    return _same(fields, {**body, **({"metadata": metadata} if metadata else {})}, live)


def no_longer_wanted(wanted: Manifest, live: Manifest, manager: str, path: str) -> Iterator[Tuple[str, Any]]:
    """Yield (path, live value) of what our last apply wrote below a dotted path and the manifest has not any more.

    Items of lists are left to who compares the lists, unless both have them.
    """
    fields: Any = _fields_of(live, wanted["apiVersion"], manager)
    one: Any = wanted
    other: Any = live
    for key in path.split("."):
        fields, one, other = (fields or {}).get(f"f:{key}"), (one or {}).get(key), (other or {}).get(key)
    yield from _dropped(fields or {}, one, other, path)


def _dropped(fields: Fields, wanted: Any, live: Any, path: str) -> Iterator[Tuple[str, Any]]:
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        for key in (field[2:] for field in fields if field.startswith("f:")):
            if key in wanted:
                yield from _dropped(fields[f"f:{key}"], wanted[key], live.get(key), f"{path}.{key}")
            elif key in live:
                yield f"{path}.{key}", live[key]
    elif isinstance(wanted, list) and isinstance(live, list):
        for field in (field for field in fields if field.startswith("k:")):
            names = json.loads(field[2:])
            mine, theirs = _place(names, wanted), _place(names, live)
            if mine is not None and theirs is not None:
                yield from _dropped(fields[field], wanted[mine], live[theirs], f"{path}[{theirs}]")


def _fields_of(live: Manifest, api_version: str, manager: str) -> Optional[Fields]:
    """Return the fields of our applies; None when there are none, or some of another version of the kind."""
    entries: List[Dict[str, Any]] = live["metadata"].get("managedFields") or []
    mine = [entry for entry in entries if entry.get("manager") == manager and not entry.get("subresource")]
    if len(mine) != 1 or mine[0].get("operation") != "Apply" or mine[0].get("apiVersion") != api_version:
        return None
    return mine[0].get("fieldsV1") or {}


def _same(fields: Fields, wanted: Any, live: Any) -> bool:
    """Tell whether a value has exactly these fields, and each of them lives as it is wanted."""
    keys = [key for key in fields if key != "."]
    if not keys:
        return _identical(wanted, live)
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        if {f"f:{key}" for key in wanted} != set(keys):
            return False
        return all(key in live and _same(fields[f"f:{key}"], value, live[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(live, list):
        return _same_items(keys, fields, wanted, live)
    return False


def _same_items(keys: List[str], fields: Fields, wanted: List[Any], live: List[Any]) -> bool:
    """Tell the same of a list whose items have keys; others may have items of their own in it."""
    if len(keys) != len(wanted):
        return False
    found = []
    for key in keys:
        if not key.startswith("k:"):
            return False
        names = json.loads(key[2:])
        mine, theirs = _place(names, wanted), _place(names, live)
        if mine is None or theirs is None or not _same(fields[key], wanted[mine], live[theirs]):
            return False
        found.append((mine, theirs))
    # In another order it would be another list.
    ordered = [theirs for _mine, theirs in sorted(found)]
    return ordered == sorted(ordered)


def _place(names: Mapping[str, Any], items: List[Any]) -> Optional[int]:
    """Return where the only item with these keys stands."""
    places = [
        place
        for place, item in enumerate(items)
        if isinstance(item, Mapping) and all(key in item and _identical(item[key], names[key]) for key in names)
    ]
    return places[0] if len(places) == 1 else None


def _identical(one: Any, other: Any) -> bool:
    """Tell whether two values are the same as JSON: 1 and true are not, as they are in Python."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
