# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy
from typing import Any, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import (
    BACKENDS,
    apply_gang,
    explained,
    gang_available,
    group_name,
    least_of,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown

DEFAULTS = {"backend": "native", "min_available": None, "timeout": None, "queue": None, "scheduler": None}


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
            ["gang.timeout = 60", "Kubernetes' own scheduler has no time", "unlike scheduler_plugins"],
        ),
        ({"queue": "a"}, {}, ["gang.queue = a", "unlike volcano and kube_batch", "Leave it out"]),
        ({"scheduler": "a"}, {}, ["gang.scheduler = a", "unlike volcano and kube_batch and scheduler_plugins"]),
        ({"backend": "volcano", "timeout": 60}, {}, ["gang.timeout = 60", "Volcano has no time"]),
        ({"backend": "kube_batch", "timeout": 60}, {}, ["gang.timeout = 60", "kube-batch has no time"]),
        ({"backend": "scheduler_plugins", "queue": "a"}, {}, ["the coscheduling plugin has no queues"]),
        ({"backend": "scheduler_plugins", "timeout": 0}, {}, ["gang.timeout = 0", "between 1 and 2147483647 seconds"]),
        ({"backend": "scheduler_plugins", "timeout": 2**31}, {}, ["gang.timeout = 2147483648", "between 1 and"]),
        ({"backend": "volcano", "queue": "Team A"}, {}, ["gang.queue = Team A", "lower-case letters"]),
        ({"backend": "volcano", "queue": ""}, {}, ["gang.queue", "lower-case letters"]),
        (
            {"backend": "volcano"},
            {"Chief": {"schedulerName": "default-scheduler"}},
            ["schedulerName = default-scheduler", "another scheduler than volcano", "or name it in gang.scheduler"],
        ),
        (
            {"backend": "kube_batch", "scheduler": "ours"},
            {"Chief": {"schedulerName": "kube-batch"}},
            ["another scheduler than ours"],
        ),
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


@pytest.mark.parametrize(
    ("mark", "value"),
    [
        ("annotations", "scheduling.k8s.io/group-name"),
        ("labels", "scheduling.x-k8s.io/pod-group"),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_template_that_names_a_group_itself(backend: str, mark: str, value: str) -> None:
    marked = specs()
    marked["Worker"]["template"]["metadata"] = {mark: {value: "mine"}}
    problems = apply_gang(gang(backend=backend), TFJOB, "bert", "team-a", marked)[2]
    assert [problem.line().split(":")[0] for problem in problems] == [
        f"replicas.Worker.template.metadata.{mark}.{value} = mine"
    ]


def test_all_problems_at_once() -> None:
    found = lines(gang(min_available=9, timeout=1, queue="q"), Chief={"schedulerName": "x", "priorityClassName": "p"})
    assert len(found) == 5


POD = {"containers": [{"name": "a", "resources": {"requests": {"cpu": "500m"}, "limits": {"nvidia.com/gpu": 1}}}]}
SMALL = {"containers": [{"name": "a", "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}}]}


def rendered(**options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the worker's template and the PodGroup of a job whose Chief is small."""
    marked, group, problems = apply_gang(gang(**options), TFJOB, "bert", "team-a", specs(Chief=SMALL, Worker=POD))
    assert not problems
    assert group
    assert group["metadata"] == {"name": "tfjob-bert", "namespace": "team-a"}
    templates = [spec["template"] for spec in marked.values()]
    assert templates[0] == {**templates[1], "spec": {**templates[1]["spec"], **SMALL}}
    return templates[1], group


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, {"cpu": "1.6", "memory": "1073741824", "nvidia.com/gpu": "3"}),
        # Those that ask for the least of a resource: more is not needed for certain.
        ({"min_available": 2}, {"cpu": "0.6", "nvidia.com/gpu": "1"}),
    ],
)
def test_volcano(options: dict[str, Any], asked: dict[str, str]) -> None:
    template, group = rendered(backend="volcano", queue="team-a", **options)
    assert (group["apiVersion"], group["kind"]) == ("scheduling.volcano.sh/v1beta1", "PodGroup")
    assert group["spec"] == {"minMember": options.get("min_available", 4), "queue": "team-a", "minResources": asked}
    assert template == {
        "metadata": {"annotations": {"scheduling.k8s.io/group-name": "tfjob-bert"}},
        "spec": {"a": 1, **POD, "schedulerName": "volcano"},
    }
    assert "queue" not in rendered(backend="volcano")[1]["spec"]


def test_kube_batch() -> None:
    template, group = rendered(backend="kube_batch", queue="team-a", scheduler="batch")
    assert (group["apiVersion"], group["kind"]) == ("scheduling.incubator.k8s.io/v1alpha1", "PodGroup")
    # Its CRD knows no minResources.
    assert group["spec"] == {"minMember": 4, "queue": "team-a"}
    assert template["metadata"] == {"annotations": {"scheduling.k8s.io/group-name": "tfjob-bert"}}
    assert template["spec"]["schedulerName"] == "batch"
    assert rendered(backend="kube_batch")[0]["spec"]["schedulerName"] == "kube-batch"


def test_scheduler_plugins() -> None:
    template, group = rendered(backend="scheduler_plugins", timeout=90, min_available=1)
    assert (group["apiVersion"], group["kind"]) == ("scheduling.x-k8s.io/v1alpha1", "PodGroup")
    assert group["spec"] == {"minMember": 1, "scheduleTimeoutSeconds": 90, "minResources": {"cpu": "0.1"}}
    assert template["metadata"] == {"labels": {"scheduling.x-k8s.io/pod-group": "tfjob-bert"}}
    assert template["spec"]["schedulerName"] == "scheduler-plugins-scheduler"


@pytest.mark.parametrize(("backend", "known"), [("volcano", True), ("kube_batch", True), ("scheduler_plugins", False)])
def test_the_priority_of_a_group(backend: str, known: bool) -> None:
    priority = {"priorityClassName": "high"}
    group = apply_gang(gang(backend=backend), TFJOB, "bert", "team-a", specs(Chief=priority, Worker=priority))[1]
    assert group
    assert group["spec"].get("priorityClassName") == ("high" if known else None)


def test_marks_beside_what_a_template_says_already() -> None:
    before = specs()
    before["Worker"]["template"]["metadata"] = {"annotations": {"a": "b"}, "labels": {"c": "d"}}
    marked = apply_gang(gang(backend="volcano"), TFJOB, "bert", "team-a", before)[0]
    assert marked["Worker"]["template"]["metadata"] == {
        "annotations": {"a": "b", "scheduling.k8s.io/group-name": "tfjob-bert"},
        "labels": {"c": "d"},
    }
    assert "schedulerName" not in before["Worker"]["template"]["spec"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_name_that_no_label_holds(backend: str) -> None:
    problems = apply_gang(gang(backend=backend), TFJOB, "b" * 58, "team-a", specs())[2]
    assert [problem.field for problem in problems] == (["name"] if backend == "scheduler_plugins" else [])
    assert not apply_gang(gang(backend=backend), TFJOB, "b" * 57, "team-a", specs())[2]


def test_what_is_no_quantity_is_told_with_its_template() -> None:
    container = {"name": "tensorflow", "resources": {"limits": {"cpu": "a lot"}}}
    wrong = {"template": {"spec": {"containers": [container]}}}
    group = apply_gang(gang(backend="volcano"), TFJOB, "bert", "team-a", specs(Worker=wrong["template"]["spec"]))[1]
    assert group
    assert group["spec"] == {"minMember": 4}
    options = {"name": "bert", "namespace": "team-a", "image": "i:1", "replicas": {"Worker": wrong}}
    assert [problem.value for problem in TFJOB.render({**options, **gang(backend="volcano")})[1]] == ["'a lot'"]


def test_the_default_scheduler_may_be_named() -> None:
    assert lines(gang(), Chief={"schedulerName": "default-scheduler"}, Worker={"schedulerName": ""}) == []


def test_a_job_without_pods_or_with_a_broken_template_is_refused_elsewhere() -> None:
    assert apply_gang(gang(min_available=3), TFJOB, "bert", "team-a", {}) == ({}, None, [])
    broken = specs(Chief={"priorityClassName": "high"})
    broken["Worker"]["template"] = {}
    assert apply_gang(gang(), TFJOB, "bert", "team-a", broken)[2] == []


def test_a_tfjob_carries_its_group() -> None:
    options = {"name": "bert", "namespace": "team-a", "image": "i:1", "replicas": {"Worker": {"replicas": 2}}}
    job, problems = TFJOB.render({**options, **gang()})
    assert job
    assert not problems
    assert [part["metadata"]["name"] for part in job.parts] == ["tfjob-bert"]
    template = job.root["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    assert template["spec"]["schedulingGroup"] == {"podGroupName": "tfjob-bert"}
    job, problems = TFJOB.render({**options, **gang(min_available=3)})
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
    def __init__(self, *served: str) -> None:
        self._versions = [BACKENDS[name].api_version for name in served]

    def served(self, api_version: str, kind: str) -> None:
        if api_version not in self._versions:
            raise KindUnknown(api_version, kind)


def lacks(backend: str, served: Sequence[str]) -> list[str]:
    store: Any = type("Store", (), {"discovery": Discovery(*served)})()
    group = apply_gang(gang(backend=backend), TFJOB, "bert", "team-a", specs())[1]
    assert group
    assert gang_available(store, []) == []
    return [problem.line() for problem in gang_available(store, [group, group])]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_cluster_without_the_group(backend: str) -> None:
    assert lacks(backend, [backend]) == []
    words = [f"gang.backend = {backend}", f"PodGroup in {BACKENDS[backend].api_version}", BACKENDS[backend].way_out]
    for served, way_out in (([], "Leave gang out; or"), ([name for name in BACKENDS if name != backend], "use it; or")):
        (line,) = lacks(backend, served)
        for word in (*words, way_out, *served):
            assert word in line


def test_native_says_how_it_is_switched_on() -> None:
    (line,) = lacks("native", ["volcano"])
    for word in ("GenericWorkload", "runtime-config", "This cluster has gang.backend volcano: use it"):
        assert word in line


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
