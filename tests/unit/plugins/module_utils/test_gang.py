# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang import (
    BACKENDS,
    apply_gang,
    explained,
    gang_available,
    group_name,
    least_of,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JOB_KINDS, PS_JOB, TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._tfjob import render

DEFAULTS = {"backend": "native", "min_available": None, "timeout": None, "queue": None}


def specs(**templates: Any) -> dict[str, Any]:
    """Return a Chief and three workers, with these pod specs."""
    counts = {"Chief": 1, "Worker": 3}
    return {
        name: {"replicas": count, "restartPolicy": "Never", "template": {"spec": {"a": 1, **templates.get(name, {})}}}
        for name, count in counts.items()
    }


def gang(**options: Any) -> dict[str, Any]:
    return {"gang": {**DEFAULTS, **options}}


def lines(options: dict[str, Any], **templates: Any) -> list[str]:
    marked, group, problems = apply_gang(options, TFJOB, "bert", "team-a", specs(**templates))
    assert (group is None) == bool(problems)
    assert not problems or marked == specs(**templates)
    return [problem.line() for problem in problems]


def test_no_gang_is_asked_for() -> None:
    for options in ({}, {"gang": None}):
        assert apply_gang(options, TFJOB, "bert", "team-a", specs()) == (specs(), None, [])


def test_native() -> None:
    before = specs()
    marked, group, problems = apply_gang(gang(), TFJOB, "bert", "team-a", before)
    assert (before, problems) == (specs(), [])
    assert group == {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "tfjob-bert", "namespace": "team-a"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 4}}, "disruptionMode": {"all": {}}},
    }
    assert marked == {
        name: {**spec, "template": {"spec": {"a": 1, "schedulingGroup": {"podGroupName": "tfjob-bert"}}}}
        for name, spec in specs().items()
    }
    assert least_of([{"apiVersion": "v1", "kind": "Service"}, group]) == 4
    assert least_of([]) is None


@pytest.mark.parametrize("least", [1, 2, 4])
def test_a_minimum(least: int) -> None:
    group = apply_gang(gang(min_available=least), TFJOB, "bert", "team-a", specs())[1]
    assert group
    assert group["spec"]["schedulingPolicy"]["gang"]["minCount"] == least


def test_a_priority_is_the_groups_too() -> None:
    priority = {"priorityClassName": "high"}
    group = apply_gang(gang(), TFJOB, "bert", "team-a", specs(Chief=priority, Worker=priority))[1]
    assert group
    assert group["spec"]["priorityClassName"] == "high"


@pytest.mark.parametrize(
    ("options", "templates", "words"),
    [
        (
            {"min_available": 0},
            {},
            ["gang.min_available = 0", "between 1 and 4", "Chief 1, Worker 3", "Leave gang out"],
        ),
        ({"min_available": -1}, {}, ["gang.min_available = -1"]),
        ({"min_available": 5}, {}, ["gang.min_available = 5", "between 1 and 4", "would never start"]),
        (
            {"timeout": 60},
            {},
            ["gang.timeout = 60", "Kubernetes' own scheduler has no time", "scheduler_plugins has it"],
        ),
        ({"queue": "a"}, {}, ["gang.queue = a", "volcano and kube_batch have them", "Leave gang.queue out"]),
        ({}, {"Chief": {"priorityClassName": "high"}}, ["priority_class = Chief high, Worker none", "one priority"]),
        (
            {},
            {name: {"priorityClassName": "system-node-critical"} for name in ("Chief", "Worker")},
            ["priority_class = Chief system-node-critical, Worker system-node-critical", "no gang may have it"],
        ),
        (
            {},
            {"Worker": {"schedulingGroup": {"podGroupName": "mine"}}},
            ["replicas.Worker.template.spec.schedulingGroup = {'podGroupName': 'mine'}", "or leave gang out"],
        ),
        (
            {},
            {"Chief": {"schedulerName": "volcano"}},
            ["Chief.template.spec.schedulerName = volcano", "default-scheduler"],
        ),
    ],
)
def test_refused(options: dict[str, Any], templates: dict[str, Any], words: list[str]) -> None:
    found = lines(gang(**options), **templates)
    assert len(found) == 1
    for word in words:
        assert word in found[0]


def test_all_problems_at_once() -> None:
    found = lines(gang(min_available=9, timeout=1, queue="q"), Chief={"schedulerName": "x", "priorityClassName": "p"})
    assert len(found) == 5


def test_the_default_scheduler_may_be_named() -> None:
    assert lines(gang(), Chief={"schedulerName": "default-scheduler"}, Worker={"schedulerName": ""}) == []


def test_a_job_without_pods_or_with_a_broken_template_is_refused_elsewhere() -> None:
    assert apply_gang(gang(min_available=3), TFJOB, "bert", "team-a", {}) == ({}, None, [])
    broken = specs(Chief={"priorityClassName": "high"})
    broken["Worker"]["template"] = {}
    assert apply_gang(gang(), TFJOB, "bert", "team-a", broken)[2] == []


def test_a_tfjob_carries_its_group() -> None:
    options = {"name": "bert", "namespace": "team-a", "image": "i:1", "replicas": {"Worker": {"replicas": 2}}}
    job, problems = render({**options, **gang()})
    assert job
    assert not problems
    assert [part["metadata"]["name"] for part in job.parts] == ["tfjob-bert"]
    template = job.root["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    assert template["spec"]["schedulingGroup"] == {"podGroupName": "tfjob-bert"}
    job, problems = render({**options, **gang(min_available=3)})
    assert job is None
    assert [problem.field for problem in problems] == ["gang.min_available"]


NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,15}[a-z0-9])?", fullmatch=True)
# Names that look like another kind's group are what a collision would be made of.
TRICKY = st.one_of(NAMES, st.sampled_from(["ps-job-a", "job-a", "tfjob-a", "a"]), NAMES.map(lambda name: f"job-{name}"))
JOBS = st.tuples(st.sampled_from(sorted(JOB_KINDS)), TRICKY)


@given(JOBS, JOBS)
def test_names_never_collide(one: tuple[str, str], other: tuple[str, str]) -> None:
    names = [group_name(JOB_KINDS[kind], name) for kind, name in (one, other)]
    assert (names[0] == names[1]) == (one == other)


@given(st.dictionaries(st.sampled_from(TFJOB.types), st.integers(1, 50), min_size=1), st.integers(-3, 300))
def test_bounds(counts: dict[str, int], least: int) -> None:
    jobs = {name: {"replicas": count, "template": {"spec": {}}} for name, count in counts.items()}
    untouched = copy.deepcopy(jobs)
    marked, group, problems = apply_gang(gang(min_available=least), PS_JOB, "a", "n", jobs)
    assert jobs == untouched
    fits = 1 <= least <= sum(counts.values())
    assert (group is not None, not problems) == (fits, fits)
    if group:
        assert least_of([group]) == least
        assert all(
            spec["template"]["spec"]["schedulingGroup"] == {"podGroupName": "ps-job-a"} for spec in marked.values()
        )


class Discovery:
    def __init__(self, served: bool) -> None:
        self.is_served = served

    def served(self, api_version: str, kind: str) -> None:
        if not self.is_served:
            raise KindUnknown(api_version, kind)


@pytest.mark.parametrize("served", [True, False])
def test_a_cluster_without_the_group(served: bool) -> None:
    store: Any = type("Store", (), {"discovery": Discovery(served)})()
    group = apply_gang(gang(), TFJOB, "bert", "team-a", specs())[1]
    assert group
    assert gang_available(store, []) == []
    found = gang_available(store, [group, group])
    assert len(found) == (0 if served else 1)
    for problem in found:
        line = problem.line()
        for word in (
            "gang.backend = native",
            "PodGroup in scheduling.k8s.io/v1beta1",
            "GenericWorkload",
            "runtime-config",
        ):
            assert word in line
    assert set(BACKENDS) == {"native"}


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (".spec.tfReplicaSpecs.Worker.template.spec.schedulingGroup: field not declared in schema", True),
        ('unknown field "spec.tfReplicaSpecs.Worker.template.spec.schedulingGroup"', True),
        (".spec.tfReplicaSpecs.Worker.template.spec.other: field not declared in schema", False),
        ("spec.schedulingGroup.podGroupName: Invalid value", False),
    ],
)
def test_an_operator_that_does_not_know_the_mark(refusal: str, told: bool) -> None:
    assert explained(refusal).startswith(refusal)
    assert ("up to 1.9.3" in explained(refusal)) == told
