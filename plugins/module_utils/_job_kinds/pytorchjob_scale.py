# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sent of a living job that others write into: an autoscaler, or Volcano's admission. Pure."""

from __future__ import annotations

import copy
from typing import Any, Optional

from .._job_model.job import Job, Path
from .._job_model.kind import VOLCANO_JOB
from .._kube.resource import Manifest
from .volcano_live import beside_tasks


def beside(job: Job, live: Optional[Manifest], manager: str) -> Manifest:
    """Return the job's root as it is to be applied beside what is live. manager: the name under which we apply.

    A number that we alone own must be sent, or the server takes it away; and it must be the live one. Once the
    autoscaler has written it, it is the autoscaler's: not sent, so that it cannot be set back between read and write.
    """
    if live is None:
        return job.root
    if job.kind is VOLCANO_JOB:
        return beside_tasks(job.root, live)
    if not job.scaled:
        return job.root
    root = copy.deepcopy(job.root)
    for path in job.scaled:
        place, current = _inside(root, path[:-1]), _inside(live, path)
        if place is None or current is None:
            continue
        if _owns(live, manager, path):
            place[path[-1]] = current
        else:
            place.pop(path[-1], None)
    return root


def _inside(tree: Any, path: Path) -> Any:
    """Return what stands at a path, None when nothing does."""
    for key in path:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def _owns(live: Manifest, manager: str, path: Path) -> bool:
    """Tell whether a manager has applied the field."""
    keys = tuple(f"f:{key}" for key in path)
    return any(
        entry.get("manager") == manager
        and entry.get("operation") == "Apply"
        and _inside(entry.get("fieldsV1"), keys) is not None
        for entry in (live.get("metadata") or {}).get("managedFields") or []
    )
