# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ends of jobs as a table. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._common.columns import columns

HEAD = ("JOB", "KIND", "CHANGED", "STATE", "TIME", "WHY")
_CELL = 70


def table(jobs: Sequence[Mapping[str, Any]]) -> str:
    """Return the jobs of a result, one line each, below a line with what each column holds."""
    return columns([HEAD, *(_row(job) for job in jobs)])


def _row(job: Mapping[str, Any]) -> tuple[str, ...]:
    state = str(job.get("end") or job.get("state") or "")
    seconds = job.get("duration_s")
    said = job.get("ended_by") or (job.get("why") or {}).get("sentence") or job.get("message") or job.get("file") or ""
    why = " ".join(str(said).split())
    return (
        f"{job['namespace']}/{job['name']}",
        str(job["kind"]),
        "yes" if job["changed"] else "no",
        state,
        "" if seconds is None else f"{seconds:.0f} s",
        why if len(why) <= _CELL else f"{why[: _CELL - 3]}...",
    )
