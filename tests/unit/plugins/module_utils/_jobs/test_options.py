# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any, Mapping

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import (
    JobType,
    RequestedJob,
    for_cluster,
    laid_over,
    rendered,
    twice,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.cluster import NEWEST, Cluster


@pytest.mark.parametrize(
    ("common", "own", "result"),
    [
        ({"image": "i:1", "args": ["a"]}, {"args": ["b"]}, {"image": "i:1", "args": ["b"]}),
        ({"env": {"A": 1, "B": 1}}, {"env": {"B": 2}}, {"env": {"A": 1, "B": 2}}),
        ({"labels": {"a": 1}}, {"labels": None}, {"labels": None}),
        ({"replicas": {"PS": {}}}, {"replicas": {"Worker": {}}}, {"replicas": {"Worker": {}}}),
    ],
)
def test_a_job_s_own_options_come_first(common: dict[str, Any], own: dict[str, Any], result: dict[str, Any]) -> None:
    assert laid_over(common, own) == result


def test_one_name_is_one_job_whatever_its_kind() -> None:
    def wanted(kind: JobKind, title: str, namespace: str) -> RequestedJob:
        of_kind = JobType(kind, lambda _options, _cluster: (None, []), {})
        return RequestedJob(of_kind, title, {"name": "bert", "namespace": namespace})

    listed = [wanted(TFJOB, "jobs[0]", "n"), wanted(TFJOB, "jobs[1]", "m"), wanted(PYTORCHJOB, "jobs[2]", "n")]
    assert [problem.line() for problem in twice(listed)] == [
        "jobs[2].name = bert: a TFJob of this name stands in the list already, as jobs[0]. Rename one of the two"
    ]


def test_a_job_is_rendered_again_only_for_a_cluster_that_is_not_what_was_assumed() -> None:
    rendered_for: list[Cluster] = []

    def render(options: Mapping[str, Any], cluster: Cluster) -> tuple[Job, list[Problem]]:
        rendered_for.append(cluster)
        new = cluster.is_at_least(options["minor"])
        return Job(TFJOB, "j", "n", {"new": new}), []

    class Old(Cluster):
        def is_at_least(self, minor: int) -> bool:
            return minor <= 30

    jobs = [RequestedJob(JobType(TFJOB, render, {}), "", {"minor": minor}) for minor in (20, 37)]
    jobs = [rendered(job)[0] for job in jobs]
    assert [job.job.root for job in jobs if job.job] == [{"new": True}] * 2
    assert [for_cluster(job, NEWEST) for job in jobs] == [(job, []) for job in jobs]
    assert len(rendered_for) == 2
    jobs = [for_cluster(job, Old())[0] for job in jobs]
    assert [job.job.root for job in jobs if job.job] == [{"new": True}, {"new": False}]
    assert len(rendered_for) == 3
