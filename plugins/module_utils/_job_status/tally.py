# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many replicas of each type run, ended well, failed or have no pod any more. Pure.

Pods alone do not say it: at a job's end they are removed, by clean_pod_policy or by whoever tidies up. What was noted
of them by then stays in the job's status.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Set

from .._job_model.state import FAILED, SUCCEEDED, JobState, Noted

_UP = {"running", "succeeded"}


def tally(state: JobState, totals: Mapping[str, int]) -> Dict[str, Dict[str, int]]:
    """Return by replica type how many run or ended well (ready), of how many (total).

    totals: how many there are to be, where that is known. An ended job has failed and gone, too, where pods are gone.
    """
    types = list(dict.fromkeys([*totals, *(each.type for each in state.replicas), *state.noted]))
    return {name: _of_type(state, name, totals.get(name, 0)) for name in types}


def _of_type(state: JobState, name: str, wanted: int) -> Dict[str, int]:
    # A replica that is tried again may have several pods.
    seen: Dict[int, Set[str]] = {}
    for each in state.replicas:
        if each.type == name:
            seen.setdefault(each.index, set()).add(each.state)
    noted = state.noted.get(name, Noted())
    up = sum(bool(states & _UP) for states in seen.values())
    there = sum(states != {"removed"} for states in seen.values())
    total = max(wanted, len(seen), noted.total)
    if state.state not in (SUCCEEDED, FAILED) or there == total:
        return {"ready": up, "total": total}
    failed = sum("failed" in states and not states & _UP for states in seen.values())
    return {
        "ready": max(up, noted.succeeded),
        "total": total,
        "failed": max(failed, noted.failed),
        "gone": total - there,
    }


def numbers(tallies: Mapping[str, Mapping[str, int]]) -> str:
    """Return the numbers in one line: Chief 1/1, Worker 0/2 (1 failed, 2 pods gone)."""
    return ", ".join(f"{name} {entry['ready']}/{entry['total']}{_rest(entry)}" for name, entry in tallies.items())


def _rest(entry: Mapping[str, int]) -> str:
    # Where all ended well, it does not matter that their pods are gone.
    if not entry.get("gone") or entry["ready"] >= entry["total"]:
        return ""
    return f" ({', '.join(_parts(entry))})"


def gone_lines(tallies: Mapping[str, Mapping[str, int]]) -> List[str]:
    """Return what became of the replicas whose pods are gone, one line for each type."""
    return [
        f"  {name}: {entry['ready']} of {entry['total']} ended well or with the job, {', '.join(_parts(entry))}"
        for name, entry in tallies.items()
        if entry.get("gone")
    ]


def _parts(entry: Mapping[str, int]) -> List[str]:
    pods = "pod" if entry["gone"] == 1 else "pods"
    return ([f"{entry['failed']} failed"] if entry["failed"] else []) + [f"{entry['gone']} {pods} gone"]
