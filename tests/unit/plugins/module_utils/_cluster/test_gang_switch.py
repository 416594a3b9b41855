# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.gang_jobs import (
    ENDED,
    RUNNING,
    WAITING,
    GangJob,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.gang_switch import (
    dropped_kinds,
    dropped_problems,
    switch_problems,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB

GROUP = "scheduling.k8s.io"


def job(name: str, state: str, backend: str = "volcano") -> GangJob:
    return GangJob(TFJOB, TFJOB.ref(name, "a"), backend, state)


def test_jobs_are_named_by_what_to_do_with_them() -> None:
    jobs = [job("one", RUNNING), job("two", WAITING), job("three", ENDED), job("four", RUNNING, "kube_batch")]
    running, waiting = [problem.line() for problem in switch_problems(jobs, ["volcano"])]
    assert running.startswith("gang scheduler Volcano = TFJob a/one: is to go, and 1 job is still under it (running)")
    assert "Wait until they have ended" in running
    assert "TFJob a/two" in waiting
    assert "Remove them (jobs with state absent)" in waiting


def test_a_scheduler_that_stays_is_in_nobodys_way() -> None:
    jobs = [job("one", RUNNING)]
    assert switch_problems(jobs, []) == []
    assert switch_problems(jobs, ["native", "kube_batch"]) == []


def test_many_jobs_are_counted() -> None:
    (problem,) = switch_problems([job(str(number), RUNNING) for number in range(8)], ["volcano"])
    assert "TFJob a/4 and 3 more: is to go, and 8 jobs are still under it" in problem.line()


@pytest.mark.parametrize(
    ("now", "following", "kinds"),
    [
        ((1, 34), (1, 35), []),
        ((1, 35), (1, 35), []),
        ((1, 35), (1, 36), [("v1alpha1", "Workload")]),
        ((1, 36), (1, 37), [("v1alpha2", "Workload"), ("v1alpha2", "PodGroup")]),
        ((1, 37), (1, 36), []),
        ((1, 37), (1, 38), [("v1alpha3", "Workload"), ("v1alpha3", "PodGroup"), ("v1alpha3", "CompositePodGroup")]),
        ((1, 38), (1, 39), [("v1alpha3", "Workload"), ("v1alpha3", "PodGroup"), ("v1alpha3", "CompositePodGroup")]),
    ],
)
def test_shapes_that_the_next_version_drops(
    now: tuple[int, int], following: tuple[int, int], kinds: list[tuple[str, str]]
) -> None:
    assert dropped_kinds(now, following) == [(f"{GROUP}/{version}", kind) for version, kind in kinds]


def test_what_is_there_of_them_is_named_with_its_job() -> None:
    def group(name: str, **metadata: Any) -> dict[str, Any]:
        metadata = {"name": name, "namespace": "a", **metadata}
        return {"apiVersion": f"{GROUP}/v1alpha2", "kind": "PodGroup", "metadata": metadata}

    owned = group("tfjob-bert", ownerReferences=[{"kind": "TFJob", "name": "bert"}])
    lives = {(f"{GROUP}/v1alpha2", "PodGroup"): [owned, group("own")], (f"{GROUP}/v1alpha2", "Workload"): []}
    (problem,) = dropped_problems(lives, "1.37")
    line = problem.line()
    assert line.startswith(
        f"PodGroup in {GROUP}/v1alpha2 = a/tfjob-bert of TFJob bert, a/own: Kubernetes 1.37 does not"
    )
    assert "before the upgrade (jobs with state absent)" in line
