# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs, and the quotas and limits of the namespace that they go to."""

from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.quota import Namespace, judge

GPUS = "requests.nvidia.com/gpu"
BOTH = {"scopeName": "PriorityClass", "values": ["high", "low"]}


def job(name: str = "a", workers: int = 2, **options: Any) -> Job:
    """Return a TFJob of workers with one GPU each."""
    given_options = {"name": name, "namespace": "n", "image": "i:1", "gpus": 1, **options}
    made, problems = TFJOB.render({"replicas": {"Worker": {"replicas": workers}}, **given_options})
    assert made, problems
    return made


def gang(least: int | None = None, backend: str = "native") -> dict[str, Any]:
    """Return the option of a gang."""
    return {"gang": {"backend": backend, "min_available": least}}


def quota(hard: dict[str, Any], used: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a ResourceQuota; used: nothing before its controller has seen it."""
    status = {} if used is None else {"status": {"hard": hard, "used": used}}
    return {"metadata": {"name": "q"}, "spec": {"hard": hard, **spec}, **status}


def limit_range(**limit: Any) -> dict[str, Any]:
    """Return a LimitRange for containers."""
    return {"metadata": {"name": "r"}, "spec": {"limits": [{"type": "Container", **limit}]}}


def lines(problems: list[Problem]) -> list[str]:
    """Return problems as users read them."""
    return [problem.line() for problem in problems]


def short(jobs: list[Job], *quotas: dict[str, Any], **more: Any) -> list[str]:
    """Return which jobs find no room, when that is all there is to say."""
    found = judge(Namespace("n", quotas, **more), jobs)
    assert (found.refused, found.partly) == ([], [])
    return lines(found.short)


def refused(one: Job, quotas: list[dict[str, Any]], ranges: list[dict[str, Any]]) -> list[str]:
    """Return why the pods of a job are refused whatever is used."""
    return lines(judge(Namespace("n", quotas, ranges), [one]).refused)
