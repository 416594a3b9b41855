# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that a live job does not take. Pure."""

from __future__ import annotations

import json
from typing import Any, Iterator, List, Mapping, Tuple

from .._common.problem import Problem
from .._gangs.backend import Backend
from .._gangs.gang import backend_of
from .._kube.applied import no_longer_wanted
from .._kube.compare import meaningful
from .._kube.quantity import canonical
from .._kube.resource import Manifest

# The server leaves these out, where they are what a missing field means.
_LEFT_OUT: Tuple[Any, ...] = (None, False, 0, "", [], {})
_SIZES = ("sizeLimit", "divisor", "storage")
WAY_OUT = "Set recreate to delete the job and create it anew, or give the new job another name"


def fixed_part_changes(wanted: Manifest, live: Manifest, manager: str) -> List[Problem]:
    """Return the changes that an object of a job does not take: a Job makes its pods from its template only once.

    manager: the name under which we apply; what it wrote and does not want any more is a change, too.
    """
    group = backend_of(wanted)
    if group:
        return _fixed_group_changes(group, wanted, live, manager)
    if (wanted["apiVersion"], wanted["kind"]) != ("batch/v1", "Job"):
        return []
    templates = [meaningful(state)["spec"].get("template") for state in (live, wanted)]
    title = f"Job {wanted['metadata']['name']}: spec.template"
    found = [refused(*change) for change in differences(templates[0], templates[1], title)]
    dropped = no_longer_wanted(wanted, live, manager, "spec.template")
    prefix = f"Job {wanted['metadata']['name']}: "
    return [*found, *(refused(f"{prefix}{path}", value, None) for path, value in dropped)]


def _fixed_group_changes(group: Backend, wanted: Manifest, live: Manifest, manager: str) -> List[Problem]:
    """Return what would move a gang that may be running, or what the server keeps as it was made."""
    title = f"{wanted['kind']} {wanted['metadata']['name']}: spec"
    found: List[Problem] = []
    for key in group.fixed:
        if key in wanted["spec"]:
            states = [state["spec"].get(key) for state in (live, wanted)]
            found += [refused(*change) for change in differences(states[0], states[1], f"{title}.{key}")]
        else:
            dropped = no_longer_wanted(wanted, live, manager, "spec")
            found += [refused(f"{title}.{key}", value, None) for path, value in dropped if path == f"spec.{key}"]
    return found


def differences(live: Any, wanted: Any, path: str) -> Iterator[Tuple[str, Any, Any]]:
    """Yield (path, live value, wanted value) where a live value is not as wanted; what is not named is free."""
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        for key, value in wanted.items():
            yield from differences(live.get(key), value, f"{path}.{key}")
    elif isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        for index, (one, other) in enumerate(zip(live, wanted)):
            yield from differences(one, other, f"{path}[{index}]")
    elif wanted != live and not (live is None and wanted in _LEFT_OUT) and not _same_size(path, live, wanted):
        yield path, live, wanted


def _same_size(path: str, live: Any, wanted: Any) -> bool:
    """Tell whether two spellings are one quantity, where the server writes its own. Resources are spelled alike."""
    return path.rpartition(".")[2] in _SIZES and canonical(live) == canonical(wanted)


def refused(path: str, one: Any, other: Any) -> Problem:
    """Return the problem of a change that a live job does not take."""
    value = f"{_short(one)} on the live job, {_short(other)} wanted"
    rule = "cannot be changed on a live job"
    return Problem(path, value, f"is immutable, it {rule}" if path.endswith(".queue") else rule, WAY_OUT)


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
