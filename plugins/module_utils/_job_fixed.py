# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that a live job does not take. Pure."""

from __future__ import annotations

import json
from typing import Any, List, Optional

from ansible_collections.trainyard.mlstack.plugins.module_utils._compare import changes, meaningful
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest

_ELASTIC, _METRICS = "elasticPolicy", "metrics"


def fixed_changes(kind: JobKind, before: Optional[Manifest], after: Optional[Manifest]) -> List[Problem]:
    """Return the changes that a live job does not take: its pods are told once, at their start, who else there is."""
    old, new = (meaningful(state or {}).get("spec") or {} for state in (before, after))
    way_out = "Set recreate to delete the job and create it anew, or give the new job another name"
    problems: List[Problem] = []
    for part in (kind.replica_specs, *kind.fixed):
        for path, one, other in changes(old.get(part), new.get(part), f"spec.{part}"):
            if not _taken(kind, path, old, new):
                value = f"{_short(one)} on the live job, {_short(other)} wanted"
                problems.append(Problem(path, value, "cannot be changed on a live job", way_out))
    return problems


def _taken(kind: JobKind, path: str, old: Manifest, new: Manifest) -> bool:
    """Tell whether a change is one for which elastic jobs are made: more or fewer workers, and by which metrics."""
    policy = new.get(_ELASTIC)
    if not (old.get(_ELASTIC) and policy):
        return False
    if path == f"spec.{kind.replica_specs}.Worker.replicas":
        return True
    # Without metrics the operator lets its autoscaler live on, with those of before.
    return path.startswith(f"spec.{_ELASTIC}.{_METRICS}") and bool(policy.get(_METRICS))


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
