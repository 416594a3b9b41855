# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sent of a Volcano Job that lives, and which changes it does not take. Pure.

Volcano's admission fills in what a new job leaves out, in the items of its list of tasks too. That list is one value to
the server: who applies it again without them takes them away, which Volcano refuses as a change. So what is sent holds
what lives, under what is wanted. That something was dropped since is known by a digest of what was applied.
"""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._compare import meaningful
from ansible_collections.trainyard.mlstack.plugins.module_utils._job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_fixed import WAY_OUT, differences, refused
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest

DIGEST = "trainyard.mlstack/applied-spec"
_NUMBERS = ("replicas", "minAvailable")
# What Volcano's admission writes into a task that says nothing of it: a number, or as many as it has replicas.
_FILLED_IN = {"maxRetry": 3, "minAvailable": None}


def with_mark(root: Manifest) -> Manifest:
    """Return a job with the digest of its spec, but for the numbers that may change."""
    spec = {key: value for key, value in root["spec"].items() if key not in _NUMBERS}
    spec["tasks"] = [{key: value for key, value in task.items() if key not in _NUMBERS} for task in spec["tasks"]]
    digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]
    metadata = root["metadata"]
    return {**root, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), DIGEST: digest}}}


def beside_tasks(wanted: Manifest, live: Manifest) -> Manifest:
    """Return the job as it is to be applied beside what is live: nothing is lost that the server filled in."""
    root = copy.deepcopy(wanted)
    old = (live.get("spec") or {}).get("tasks") or []
    new = root["spec"]["tasks"]
    if [task.get("name") for task in old] == [task.get("name") for task in new]:
        root["spec"]["tasks"] = [_task(one, other) for one, other in zip(new, old)]
    return root


def _task(wanted: Manifest, live: Manifest) -> Manifest:
    task: Manifest = _over(wanted, live)
    # Filled in for more replicas than there are to be: then it would be refused.
    if "minAvailable" not in wanted and task.get("minAvailable", 0) > task["replicas"]:
        task["minAvailable"] = task["replicas"]
    return task


def _over(wanted: Any, live: Any) -> Any:
    """Return a value laid over the live one: what it does not name stays."""
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        return {**live, **{key: _over(value, live.get(key)) for key, value in wanted.items()}}
    if isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        return [_over(one, other) for one, other in zip(wanted, live)]
    return wanted


def root_is_judged(job: Job) -> bool:
    """Tell whether `root_changes` says all that is to be said of a job's own object."""
    return job.kind is VOLCANO_JOB


def root_changes(job: Job, live: Optional[Manifest], ended: str) -> List[Problem]:
    """Return the changes that a live Volcano Job does not take: all but how many pods it has, and how many must start.

    live: None when there is none. ended: the end that the job has come to, empty while it has not.
    """
    if live is None or not root_is_judged(job):
        return []
    changed = list(_changes(job.root, live))
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
    tasks = [dict(zip(each, spec.get("tasks") or [])) for each, spec in zip(names, (old, new))]
    if names[0] != names[1]:
        yield "spec.tasks", names[0], names[1]
        tasks = [{}, {}]
    old, new = ({**spec, "tasks": each, "plugins": _named(spec)} for spec, each in ((old, tasks[0]), (new, tasks[1])))
    yield from differences(old, new, "spec")
    # Without a digest another hand made the job: what it wrote cannot be told from what the server filled in.
    if _digest(live) not in (None, _digest(wanted)):
        yield from _dropped(new, old, "spec")


def _digest(root: Manifest) -> Optional[str]:
    found = (root["metadata"].get("annotations") or {}).get(DIGEST)
    return None if found is None else str(found)


def _dropped(wanted: Any, live: Any, path: str) -> Iterator[Tuple[str, Any, Any]]:
    """Yield what lives and is not wanted any more, but for what the server fills in."""
    if isinstance(wanted, Mapping) and isinstance(live, Mapping):
        for key, value in live.items():
            if key in wanted:
                yield from _dropped(wanted[key], value, f"{path}.{key}")
            elif not _may_be_filled_in(path, key, value):
                yield f"{path}.{key}", value, None
    elif isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        for index, (one, other) in enumerate(zip(wanted, live)):
            yield from _dropped(one, other, f"{path}[{index}]")


def _may_be_filled_in(path: str, key: str, value: Any) -> bool:
    """Tell whether a field of a task may be from Volcano's admission."""
    of_task = path.startswith("spec.tasks.") and path.count(".") == 2
    return of_task and key in _FILLED_IN and _FILLED_IN[key] in (value, None)


def _named(spec: Manifest) -> Dict[str, str]:
    """Return the plugins with their arguments as one text: one without any is more than none."""
    return {name: " ".join(arguments) or "on" for name, arguments in (spec.get("plugins") or {}).items()}
