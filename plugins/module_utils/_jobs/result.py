# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as the modules return them. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from .._job_model.state import JobState
from .._kube.resource import Ref
from .options import RequestedJob
from .report import details, headline, replica_results
from .wait import Ending


def identity_result(wanted: RequestedJob) -> Dict[str, Any]:
    """Return what is known of a job without a cluster."""
    result: Dict[str, Any] = {"kind": wanted.type.kind.name, "name": wanted.name, "namespace": wanted.namespace}
    if wanted.job:
        result.update(manifests=[wanted.job.root, *wanted.job.parts], notes=list(wanted.job.notes))
    return result


def state_result(state: JobState, logs: Mapping[str, str]) -> Dict[str, Any]:
    """Return a state. logs: last lines by pod name."""
    result: Dict[str, Any] = {
        "state": state.state,
        "reason": state.reason,
        "message": state.message,
        "replicas": replica_results(state.replicas, logs),
    }
    if state.duration_s is not None:
        result["duration_s"] = state.duration_s
    if state.rule:
        result["ended_by"] = state.rule
    return result


def ending_result(ending: Ending, with_log: bool) -> Dict[str, Any]:
    """Return how the wait for a job ended."""
    result = {"end": ending.end, **state_result(ending.state, ending.tails)}
    if ending.why.sentence:
        result["why"] = ending.why.result()
    if with_log:
        result["logs"] = ending.log
        if ending.no_log:
            result["logs_unavailable"] = ending.no_log
    return result


def failure(endings: Mapping[Ref, Ending]) -> str:
    """Return what to say of the jobs that did not end well, each with its replicas; empty when all did."""
    lines: List[str] = []
    bad = {ref: ending for ref, ending in endings.items() if not ending.good}
    if bad and len(endings) > 1:
        lines.append(f"{len(bad)} of {len(endings)} jobs did not end well:")
    for ref, ending in bad.items():
        lines.append(headline(ref, ending.end, ending.state, ending.spent))
        if ending.why.sentence:
            lines.append(f"  why: {ending.why.sentence}")
            # Log lines stand below, with their pods.
            lines += [f"    {fact}" for fact in ending.why.facts if not fact.startswith("| ")]
        lines += details(ending.state.replicas, ending.tails)
    return "\n".join(lines)
