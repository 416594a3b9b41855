# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job's state for people: one line while it goes on, all that matters when it ended badly. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.columns import columns
from .._job_kinds.registry import job_title, kind_of
from .._job_model.kind import JobKind
from .._job_model.state import NO_PODS, JobState, Replica
from .._job_status.tally import numbers, tally
from .._kube.resource import Manifest, Ref

# What went wrong comes before what merely stood beside it.
_ORDER = {"failed": 0, "removed": 1, "pending": 2, "running": 3, "succeeded": 4}
# The same for jobs: what moves or went wrong is what is looked for in a long table.
_JOB_ORDER = ("failed", "vanished", "restarting", "running", "queued", "created", "suspended", "succeeded", "absent")
# Rows of a table that is shown again and again.
_ROWS = 20
_CELL = 60

Row = Tuple[JobKind, Ref, JobState]


def progress_line(state: JobState, last_log: str = "") -> str:
    """Return the state in one line: running: Chief 1/1, Worker 1/2 running (reason) | last line of the log."""
    pods = numbers(tally(state, {}))
    line = f"{state.state}: {pods}" if pods else state.state
    # The end's own sentence is for the report; on the way the reason is what the user waits for.
    if state.message and not state.ended:
        line += f" ({state.message})"
    return f"{line} | {last_log}" if last_log else line


def progress_table(rows: Sequence[Row]) -> str:
    """Return several jobs as a line with their numbers and a table; of many jobs those that matter most."""
    found: Dict[str, int] = {}
    for _kind, _ref, state in rows:
        found[state.state] = found.get(state.state, 0) + 1
    counts = ", ".join(f"{found[name]} {name}" for name in sorted(found, key=_place))
    shown = sorted(rows, key=lambda row: (_place(row[2].state), row[1].namespace, row[1].name))[:_ROWS]
    lines = [f"{len(rows)} jobs: {counts}", columns([_cells(*row) for row in shown])]
    if len(rows) > len(shown):
        lines.append(f"... and {len(rows) - len(shown)} more")
    return "\n".join(lines)


def _place(state: str) -> int:
    return _JOB_ORDER.index(state) if state in _JOB_ORDER else len(_JOB_ORDER)


def _cells(kind: JobKind, ref: Ref, state: JobState) -> List[str]:
    said = state.rule or state.message or state.reason
    note = said if len(said) <= _CELL else f"{said[: _CELL - 3]}..."
    return [f"{ref.namespace}/{ref.name}", kind.name, state.state, numbers(tally(state, {})), note]


def by_urgency(replicas: Sequence[Replica]) -> List[Replica]:
    """Return the replicas, what went wrong first."""
    return sorted(replicas, key=lambda item: _ORDER.get(item.state, 9))


def headline(ref: Ref, end: str, state: JobState, spent: float) -> str:
    """Return the first line of a failure."""
    said = ": ".join(part for part in (state.reason, state.message) if part)
    if end == "timed_out":
        line = f"{job_title(ref)} did not end within {spent:.0f} s, it is {state.state}" + (f": {said}" if said else "")
        kind = kind_of(ref)
        asked = f"; does {kind.controller.title} run?" if kind and kind.controller else ""
        return f"{line}{asked}" if state.reason == NO_PODS else line
    took = f" after {state.duration_s:.0f} s" if state.duration_s is not None else ""
    return f"{job_title(ref)} {end}{took}: {said or 'it gave no reason'}"


def replica_results(replicas: Sequence[Replica], logs: Mapping[str, str]) -> List[Dict[str, Any]]:
    """Return the replicas as the module returns them; logs: last lines by pod name."""
    return [
        {
            "type": replica.type,
            "index": replica.index,
            "pod": replica.pod,
            "node": replica.node,
            "state": replica.state,
            "reason": replica.reason,
            "exit_code": replica.exit_code,
            "restarts": replica.restarts,
            **({"log": logs[replica.pod]} if replica.pod in logs else {}),
        }
        for replica in replicas
    ]


def details(replicas: Sequence[Replica], logs: Mapping[str, str]) -> List[str]:
    """Return the lines below the headline: each replica, what became of it, its last log lines."""
    lines: List[str] = []
    for replica in by_urgency(replicas):
        where = f" on {replica.node}" if replica.node else ""
        reason = f" ({replica.reason})" if replica.reason else ""
        lines.append(f"  {replica.label}, pod {replica.pod}{where}: {replica.state}{reason}")
        lines += [f"    | {line}" for line in logs.get(replica.pod, "").splitlines()]
    return lines


def why_no_log(job: Optional[Manifest], state: JobState) -> str:
    """Return why the pods' logs cannot be read any more."""
    policy = (((job or {}).get("spec") or {}).get("runPolicy") or {}).get("cleanPodPolicy")
    if "backoff limit" in state.message:
        return "not available: the operator removed the pods at the backoff limit"
    if job is not None and policy in ("All", "Running"):
        return f"not available: the pods were removed by clean_pod_policy {policy}"
    return "not available: the pods are gone" + (" with the job" if job is None else "")
