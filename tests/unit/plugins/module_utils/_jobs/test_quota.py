# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.quota import Namespace, check_quota, judge
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from tests.support.quotas import BOTH, GPUS, gang, job, lines, quota, refused, short


def test_room_for_all() -> None:
    assert short([job(), job("b")], quota({GPUS: 4}, {GPUS: 0})) == []
    assert short([job(), job("b")]) == []


def test_a_gang_and_what_is_left() -> None:
    """FC-28: 4 GPUs, 3 used, a gang of 2."""
    assert short([job(**gang())], quota({GPUS: 4}, {GPUS: 3})) == [
        "ResourceQuota n/q = requests.nvidia.com/gpu 4, 3 used: 1 is left, TFJob a needs 2. "
        "Wait until others end, ask for less, or raise the quota"
    ]


def test_two_jobs_of_one_list_in_one_quota() -> None:
    found = short([job(workers=3), job("b", workers=3), job("c", workers=1)], quota({GPUS: 4}, {GPUS: 0}))
    assert len(found) == 1
    # The third one fits into what the second one leaves alone.
    assert "4, 0 used: 0 is left after the others of the list, TFJob b needs 3" in found[0]


def test_more_than_is_ever_allowed() -> None:
    found = short([job(workers=6), job("b")], quota({GPUS: 4}, {GPUS: 4}))
    assert len(found) == 2
    assert "TFJob a needs 6, more than it ever allows. Raise the quota" in found[0]
    assert "0 is left, TFJob b needs 2" in found[1]


def test_several_that_are_never_allowed() -> None:
    found = short([job(workers=6), job("b", workers=5)], quota({GPUS: 4}, {GPUS: 0}))
    assert len(found) == 1
    assert "TFJob a, TFJob b need up to 6, more than it ever allows" in found[0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gang_of_any_scheduler_and_what_is_left(backend: str) -> None:
    """FC-28: 4 GPUs, 3 used. A gang of 2 finds no room, one that starts with 1 does; two gangs in one quota."""
    assert len(short([job(workers=2, **gang(backend=backend))], quota({GPUS: 4}, {GPUS: 3}))) == 1
    found = judge(Namespace("n", [quota({GPUS: 4}, {GPUS: 3})]), [job(workers=2, **gang(1, backend))])
    assert (found.short, len(found.partly)) == ([], 1)
    two = [job(workers=3, **gang(backend=backend)), job("b", workers=3, **gang(backend=backend))]
    (line,) = short(two, quota({GPUS: 4}, {}))
    assert "b needs 3" in line


def test_a_gang_that_can_start_while_not_all_of_its_pods_find_room() -> None:
    found = judge(Namespace("n", [quota({GPUS: 4}, {GPUS: 1})]), [job(workers=4, **gang(2)), job("b", workers=1)])
    assert "3 is left: TFJob a can start and asks for 4 in all" in found.partly[0].line()
    assert "0 is left after the others of the list, TFJob b needs 1" in found.short[0].line()


def test_many_jobs_are_one_line() -> None:
    found = short([job(f"j{number}") for number in range(50)], quota({GPUS: 10}, {GPUS: 0}))
    assert len(found) == 1
    assert "TFJob j5, TFJob j6, TFJob j7 and 42 more need together 90" in found[0]


def test_pods_of_a_run_before_are_the_jobs_own() -> None:
    pod = {"spec": job().root["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]}
    assert short([job()], quota({GPUS: 3}, {GPUS: 2}), pods=[pod]) == []
    assert short([job()], quota({GPUS: 3}, {GPUS: 2}))


def test_memory_is_readable() -> None:
    resources = {"limits": {"memory": "1.5Gi", "cpu": "500m"}}
    found = short([job(resources=resources)], quota({"limits.memory": "4Gi"}, {"limits.memory": "2Gi"}))
    assert "limits.memory 4Gi, 2Gi used: 2Gi is left, TFJob a needs 3Gi" in found[0]


def ps_job(suspend: bool = False) -> Job:
    pod = {"containers": [{"name": "main", "resources": {"limits": {"cpu": 1}}}]}
    parts = [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": f"{kind}-0-a"},
            "spec": {"suspend": suspend, "template": {"spec": pod}},
        }
        for kind in ("ps", "worker")
    ]
    root = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    return Job(
        PS_JOB, "a", "n", root, [*parts, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "ps-0-a"}}]
    )


def test_a_job_without_operator() -> None:
    hard = {"requests.cpu": 1, "configmaps": 0, "count/jobs.batch": 1, "services": 1}
    found = short([ps_job()], quota(hard, {}))
    assert [line.split(" = ")[1].split(",")[0] for line in found] == [
        "requests.cpu 1",
        "configmaps 0",
        "count/jobs.batch 1",
    ]


def test_a_suspended_job_asks_for_nothing_yet() -> None:
    assert short([job(suspend=True), ps_job(suspend=True)], quota({GPUS: 0, "requests.cpu": 0}, {})) == []


def test_pods_without_a_class_are_of_the_default_one() -> None:
    scope = {"scopeSelector": {"matchExpressions": [{**BOTH, "operator": "In"}]}}
    assert short([job()], quota({"pods": 0}, {}, **scope), priority="low")
    assert not short([job()], quota({"pods": 0}, {}, **scope), priority="other")


def test_what_replica_types_have_in_common_is_said_once() -> None:
    replicas = {"Chief": {}, "PS": {}, "Worker": {}, "Evaluator": {}}
    found = refused(job(replicas=replicas), [quota({"limits.cpu": 9}, {})], [])
    assert len(found) == 1
    assert found[0].startswith("TFJob a: Chief, PS, Worker and 1 more: container tensorflow.resources.limits[cpu]")


def test_a_range_for_pods_counts_all_containers() -> None:
    pods = {"metadata": {"name": "r"}, "spec": {"limits": [{"type": "Pod", "max": {"cpu": 3}}]}}
    template = {
        "spec": {
            "containers": [
                {"name": name, "image": "i", "resources": {"limits": {"cpu": 2}}} for name in ("tensorflow", "log")
            ]
        }
    }
    found = refused(job(template=template), [], [pods])
    assert len(found) == 1
    assert "Worker: pod.resources[cpu] = request 4, limit 4" in found[0]


class Store:
    """A cluster with what a namespace holds; None where it may not be read."""

    def __init__(self, **objects: Any) -> None:
        self.objects = objects
        self.asked: list[str] = []

    def list(self, api_version: str, kind: str, namespace: str = "", selector: str = "") -> list[Any]:
        self.asked.append(kind)
        found = self.objects.get(kind, [])
        if found is None:
            raise ApiError(403, "Forbidden", "no")
        return list(found)


def test_modes() -> None:
    jobs = [job(**gang())]
    full = {"ResourceQuota": [quota({GPUS: 4, "limits.cpu": 9}, {GPUS: 3})]}
    problems, warnings = check_quota(Store(**full), jobs, "warn")  # type: ignore[arg-type]
    assert [len(problems), len(warnings)] == [1, 1]
    assert "limits[cpu]" in problems[0].field
    assert "1 is left" in warnings[0]
    problems, warnings = check_quota(Store(**full), jobs, "refuse")  # type: ignore[arg-type]
    assert [len(problems), len(warnings)] == [2, 0]
    store = Store(**full)
    assert (check_quota(store, jobs, "ignore"), store.asked) == (([], []), [])  # type: ignore[arg-type]


def test_no_more_is_read_than_needed() -> None:
    store = Store()
    assert check_quota(store, [job(), job("b")], "warn") == ([], [])  # type: ignore[arg-type]
    assert store.asked == ["ResourceQuota", "LimitRange"]


def test_pods_of_the_job_are_looked_for() -> None:
    spec = job().root["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    pods = [{"spec": spec, "status": {"phase": phase}} for phase in ("Running", "Succeeded", "Pending")]
    store = Store(ResourceQuota=[quota({GPUS: 2}, {GPUS: 2})], Pod=pods)
    assert check_quota(store, [job()], "refuse") == ([], [])  # type: ignore[arg-type]
    store.objects["Pod"] = pods[:2]
    assert len(check_quota(store, [job()], "refuse")[0]) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("classes", [None, [], [{"metadata": {"name": "low"}, "globalDefault": True}]])
def test_the_default_class(classes: Any) -> None:
    scope = {"scopeSelector": {"matchExpressions": [{**BOTH, "operator": "In"}]}}
    store = Store(ResourceQuota=[quota({"pods": 0}, {}, **scope)], PriorityClass=classes)
    assert len(check_quota(store, [job()], "refuse")[0]) == (1 if classes else 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(("mode", "sizes"), [("warn", [0, 1]), ("refuse", [1, 0])])
def test_quotas_that_may_not_be_read(mode: str, sizes: list[int]) -> None:
    problems, warnings = check_quota(Store(ResourceQuota=None), [job()], mode)  # type: ignore[arg-type]
    assert [len(problems), len(warnings)] == sizes
    assert "may not be read" in "".join([*lines(problems), *warnings])


def test_other_errors_are_not_hidden() -> None:
    class Down(Store):
        def list(self, *_arguments: Any, **_more: Any) -> list[Any]:
            raise ApiError(503, "", "down")

    with pytest.raises(ApiError):
        check_quota(Down(), [job()], "warn")  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), max_size=5), st.integers(0, 12), st.integers(0, 12))
def test_nothing_is_said_exactly_when_all_fit(wanted: list[tuple[int, int]], hard: int, used: int) -> None:
    """And a gang whose minimum finds room is never among those that find none."""
    jobs = [
        job(f"j{number}", workers, **(gang(least) if 1 <= least <= workers else {}))
        for number, (workers, least) in enumerate(wanted)
    ]
    found = judge(Namespace("n", [quota({GPUS: hard}, {GPUS: used})]), jobs)
    asked = sum(workers for workers, _least in wanted)
    assert (not found.short and not found.partly) == (not wanted or asked <= max(hard - used, 0))
    if len(wanted) == 1:
        workers, least = wanted[0]
        first = least if 1 <= least <= workers else workers
        assert bool(found.short) == (first > max(hard - used, 0))
