# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as a table, for people and for programs. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._common.columns import columns
from .._job_kinds.registry import job_title
from .._job_model.cause import ago, seconds_since
from .._job_model.kind import JobKind
from .._job_model.state import JobState
from .._job_status.tally import gone_lines, numbers, tally
from .._job_status.why import Why
from .._kube.resource import Manifest, Ref
from .report import details
from .result import state_result

_TITLES = ("NAMESPACE", "KIND", "NAME", "STATE", "READY", "AGE", "DURATION", "WHY")
_WHY = 120


def job_row(
    kind: JobKind, ref: Ref, state: JobState, job: Optional[Manifest], why: Why, now: datetime
) -> Dict[str, Any]:
    """Return one job as data."""
    made = ((job or {}).get("metadata") or {}).get("creationTimestamp")
    row: Dict[str, Any] = {
        "kind": kind.name,
        "name": ref.name,
        "namespace": ref.namespace,
        **state_result(state, {}),
        "ready": ready(kind, state, job),
        "why": why.result(),
    }
    if made:
        row.update(created=made, age_s=seconds_since(made, now))
    return row


def ready(kind: JobKind, state: JobState, job: Optional[Manifest]) -> Dict[str, Dict[str, int]]:
    """Return how many replicas of each type run or have ended well, and how many there are to be."""
    return tally(state, kind.counts(job) if job else {})


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return jobs as lines of a table."""
    if not rows:
        return "no jobs"
    return columns([list(_TITLES), *(_cells(row) for row in rows)])


def details_text(rows: Sequence[Mapping[str, Any]], states: Mapping[Ref, JobState]) -> str:
    """Return jobs one by one: the state, why with its facts, each replica."""
    lines: List[str] = []
    for row, (ref, state) in zip(rows, states.items()):
        lines.append(f"{job_title(ref)} is {row['state']}" + (f": {row['ended_by']}" if row.get("ended_by") else ""))
        why = row["why"]
        lines += [f"  {text}" for text in ([why["sentence"]] if why["sentence"] else [])]
        lines += [f"    {fact}" for fact in why["facts"]]
        lines += [*details(state.replicas, {}), *gone_lines(row["ready"])]
    return "\n".join(lines)


def _cells(row: Mapping[str, Any]) -> List[str]:
    why = str(row["why"]["sentence"] or row.get("ended_by") or "")
    return [
        row["namespace"],
        row["kind"],
        row["name"],
        row["state"],
        numbers(row["ready"]) or "-",
        ago(row["age_s"]) if "age_s" in row else "-",
        ago(row["duration_s"]) if "duration_s" in row else "-",
        why if len(why) <= _WHY else f"{why[: _WHY - 3]}...",
    ]
