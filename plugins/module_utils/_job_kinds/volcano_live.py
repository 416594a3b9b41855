# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sent of a Volcano Job that lives, and which changes it does not take. Pure.

Volcano's admission fills in what a new job leaves out, in the items of its list of tasks too. That list is one value to
the server: who applies it again without them takes them away, which Volcano refuses as a change. So what is sent holds
what lives, under what is wanted. What the user has dropped since is known by marks of the fields that were applied.
"""

from __future__ import annotations

import copy
import hashlib
from typing import Any, Iterator, List, Mapping, Sequence, Set, Tuple

from .._common.problem import Problem
from .._kube.compare import meaningful
from .._kube.resource import Manifest
from .fixed import WAY_OUT, differences, refused

FIELDS = "trainyard.mlstack/applied-fields"
_NUMBERS = ("replicas", "minAvailable")
# How much of a digest stands for a field: a job has hundreds of them, not millions.
_LETTERS = 6
# What Volcano's admission writes into a job, and into a task, that says nothing of its retries.
DEFAULT_RETRIES = 3


def with_mark(root: Manifest) -> Manifest:
    """Return a job with a mark of the fields that its spec has: of each the beginning of its path's digest."""
    marks = sorted({_mark(path) for path in _paths(_by_name(root["spec"]), "spec")})
    metadata = root["metadata"]
    annotations = {**(metadata.get("annotations") or {}), FIELDS: "".join(marks)}
    return {**root, "metadata": {**metadata, "annotations": annotations}}


def _mark(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:_LETTERS]


def _marks(root: Manifest) -> Set[str]:
    """Return the marks of a job; none where another hand made it."""
    text = str((root["metadata"].get("annotations") or {}).get(FIELDS) or "")
    return {text[place : place + _LETTERS] for place in range(0, len(text), _LETTERS)}


def _paths(value: Any, path: str) -> Iterator[str]:
    """Yield the dotted path of each field in a value, and of each list with its length."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{path}.{key}"
            yield from _paths(item, f"{path}.{key}")
    elif isinstance(value, list):
        yield _length(path, value)
        for index, item in enumerate(value):
            yield from _paths(item, f"{path}[{index}]")


def _length(path: str, value: Sequence[Any]) -> str:
    return f"{path}#{len(value)}"


def _added(wanted: Any, live: Any, path: str, marks: Set[str]) -> int:
    """Return how many items a live list has at its end that were not applied: somebody's admission put them there."""
    lists = isinstance(wanted, list) and isinstance(live, list)
    more = len(live) - len(wanted) if lists else 0
    return more if more > 0 and _mark(_length(path, wanted)) in marks else 0


def _by_name(spec: Manifest) -> Manifest:
    """Return a spec with its tasks by name, and each plugin's arguments as one text: one without any is there, too."""
    tasks = {str(task.get("name")): task for task in spec.get("tasks") or []}
    plugins = {name: " ".join(arguments) or "on" for name, arguments in (spec.get("plugins") or {}).items()}
    return {**spec, "tasks": tasks, "plugins": plugins}


def beside_tasks(wanted: Manifest, live: Manifest) -> Manifest:
    """Return the job as it is to be applied beside what is live: nothing is lost that the server filled in."""
    root = copy.deepcopy(wanted)
    old = (live.get("spec") or {}).get("tasks") or []
    new = root["spec"]["tasks"]
    if [task.get("name") for task in old] == [task.get("name") for task in new]:
        marks = _marks(live)
        root["spec"]["tasks"] = [_task(one, other, marks) for one, other in zip(new, old)]
    return root


def _task(wanted: Manifest, live: Manifest, marks: Set[str]) -> Manifest:
    task: Manifest = _over(wanted, live, f"spec.tasks.{wanted['name']}", marks)
    # All of them, by default. What was filled in for more replicas than there are to be would be refused.
    if "minAvailable" not in wanted and "minAvailable" in task:
        dropped = _mark(f"spec.tasks.{wanted['name']}.minAvailable") in marks
        task["minAvailable"] = task["replicas"] if dropped else min(task["minAvailable"], task["replicas"])
    return task


def _over(wanted: Any, live: Any, path: str, marks: Set[str]) -> Any:
    """Return a value laid over the live one: what it does not name stays."""
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        return {
            **live,
            **{key: _over(value, live.get(key), f"{path}.{key}", marks) for key, value in wanted.items()},
        }
    added = _added(wanted, live, path, marks)
    if isinstance(wanted, list) and isinstance(live, list) and len(wanted) + added == len(live):
        own = [_over(one, other, f"{path}[{index}]", marks) for index, (one, other) in enumerate(zip(wanted, live))]
        return own + live[len(wanted) :]
    return wanted


def _applied(wanted: Any, live: Any, path: str, marks: Set[str]) -> Any:
    """Return a live value without the items of lists that others have added."""
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        return {key: _applied(wanted.get(key), value, f"{path}.{key}", marks) for key, value in live.items()}
    if isinstance(wanted, list) and isinstance(live, list):
        own = live[: len(live) - _added(wanted, live, path, marks)]
        items = [*wanted, *([None] * len(own))]
        return [_applied(items[index], item, f"{path}[{index}]", marks) for index, item in enumerate(own)]
    return live


def root_changes(wanted: Manifest, live: Manifest, ended: str) -> List[Problem]:
    """Return the changes that a live Volcano Job does not take: all but how many pods it has, and how many must start.

    ended: the end that the job has come to, empty while it has not.
    """
    changed = list(_changes(wanted, live))
    found = [refused(*change) for change in changed if not _taken(change[0])]
    moved = [change for change in changed if _taken(change[0])]
    if ended and moved and not found:
        path, one, other = moved[0]
        rule = f"the job has {ended} and makes no pod any more"
        found.append(Problem(path, f"{one} on the live job, {other} wanted", rule, WAY_OUT))
    return found


def _taken(path: str) -> bool:
    """Tell whether a live job takes the change of this field: spec.minAvailable, or a number of a task."""
    parts = path.split(".")
    return parts[-1] in _NUMBERS and ((len(parts) == 4 and parts[1] == "tasks") or parts[1:] == ["minAvailable"])


def _changes(wanted: Manifest, live: Manifest) -> Iterator[Tuple[str, Any, Any]]:
    """Yield (path, live value, wanted value) of each difference that is the user's."""
    new, old = (meaningful(state).get("spec") or {} for state in (wanted, live))
    names = [[str(task.get("name")) for task in spec.get("tasks") or []] for spec in (old, new)]
    old, new = _by_name(old), _by_name(new)
    if names[0] != names[1]:
        yield "spec.tasks", names[0], names[1]
        old, new = {**old, "tasks": {}}, {**new, "tasks": {}}
    marks = _marks(live)
    old = _applied(new, old, "spec", marks)
    yield from differences(old, new, "spec")
    yield from _dropped(new, old, "spec", marks)


def _dropped(wanted: Any, live: Any, path: str, marks: Set[str]) -> Iterator[Tuple[str, Any, Any]]:
    """Yield what was applied and is not wanted any more; what the server filled in has no mark."""
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        for key, value in live.items():
            if key in wanted:
                yield from _dropped(wanted[key], value, f"{path}.{key}", marks)
            elif _mark(f"{path}.{key}") in marks and not _is_default(path, key, value):
                yield f"{path}.{key}", value, None
    elif isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        for index, (one, other) in enumerate(zip(wanted, live)):
            yield from _dropped(one, other, f"{path}[{index}]", marks)


def _is_default(path: str, key: str, value: Any) -> bool:
    """Tell whether a field of a task holds what it would without anybody's wish, or what may change."""
    of_task = path.startswith("spec.tasks.") and path.count(".") == 2
    return of_task and (key in _NUMBERS or (key, value) == ("maxRetry", DEFAULT_RETRIES))
