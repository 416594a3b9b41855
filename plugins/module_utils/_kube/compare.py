# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two states of one object: are they equal, and what differs. Pure."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

from .quantity import canonical
from .resource import Manifest

# Written by the server on its own account: no wish of a user is in them.
_SERVER_META = (
    "managedFields",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "uid",
    "selfLink",
)
SHOWN_LINES = 60
# Client-side apply of the past kept the whole object in here, a Secret's values too.
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def meaningful(manifest: Manifest) -> Manifest:
    """Return what a user can want of an object: no status, no server's bookkeeping, one spelling of each quantity."""
    result = {key: _one_spelling(value) for key, value in manifest.items() if key not in ("status", "metadata")}
    meta = manifest.get("metadata") or {}
    result["metadata"] = {key: value for key, value in meta.items() if key not in _SERVER_META}
    return result


def _one_spelling(value: Any, parent: str = "") -> Any:
    if isinstance(value, dict):
        if parent in ("limits", "requests"):
            return {key: canonical(item) for key, item in value.items()}
        return {key: _one_spelling(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_one_spelling(item) for item in value]
    return value


def equal(one: Manifest, other: Manifest) -> bool:
    """Tell whether two states of an object mean the same."""
    return meaningful(one) == meaningful(other)


def changes(before: Any, after: Any, path: str = "") -> Iterator[Tuple[str, Any, Any]]:
    """Yield (dotted path, value before, value after) of each difference; None stands for absent."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from changes(before.get(key), after.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after)):
            yield from changes(one, other, f"{path}[{index}]")
    elif before != after:
        yield path, before, after


def diff(title: str, before: Optional[Manifest], after: Optional[Manifest]) -> Dict[str, Any]:
    """Return one entry of Ansible's diff: the whole states, the values of Secrets hidden.

    An object that comes or goes whole is cut after SHOWN_LINES: nobody reads the 50,000 lines of a set of CRDs.
    """
    one, other = meaningful(before) if before else {}, meaningful(after) if after else {}
    if "Secret" in (one.get("kind"), other.get("kind")):
        one, other = _hidden(one, other, "before"), _hidden(other, one, "after")
    shown: Sequence[Any] = (one, other) if one and other else (_cut(one), _cut(other))
    return {"before_header": title, "after_header": title, "before": shown[0], "after": shown[1]}


def _cut(state: Manifest) -> Any:
    """Return a long state as text that ends early, no state as no text, any other as it is."""
    if not state:
        return ""
    lines = json.dumps(state, indent=2).splitlines()
    if len(lines) <= SHOWN_LINES:
        return state
    return "\n".join([*lines[:SHOWN_LINES], f"... and {len(lines) - SHOWN_LINES} more lines", ""])


def _hidden(secret: Manifest, counterpart: Manifest, side: str) -> Manifest:
    """Return a Secret without its values; a value that its counterpart does not share is marked with its side."""
    result = dict(secret)
    for part in ("data", "stringData"):
        if part in result:
            shared = counterpart.get(part) or {}
            values = result[part] or {}
            result[part] = {
                key: "hidden" if shared.get(key) == value else f"hidden, {side}" for key, value in values.items()
            }
    annotations = (result.get("metadata") or {}).get("annotations") or {}
    if _LAST_APPLIED in annotations:
        result["metadata"] = {**result["metadata"], "annotations": {**annotations, _LAST_APPLIED: "hidden"}}
    return result
