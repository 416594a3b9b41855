# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sent of a live Volcano Job, and what it does not take."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_live import FIELDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from tests.support.volcano_jobs import TWO, job, tasks

Manifest = dict[str, Any]


def admitted(made: Job) -> Manifest:
    """Return a job as it lives: with all that Volcano's admission and the server fill in."""
    live = copy.deepcopy(made.root)
    live["spec"].setdefault("plugins", {})["svc"] = []
    for task in live["spec"]["tasks"]:
        task.setdefault("maxRetry", 3)
        task.setdefault("minAvailable", task["replicas"])
        task["template"]["spec"]["dnsPolicy"] = "ClusterFirst"
        for container in task["template"]["spec"]["containers"]:
            container.setdefault("resources", {})
            for port in container.get("ports", []):
                port["protocol"] = "TCP"
    live["metadata"]["uid"] = "u"
    return live


PORTS = {"ports": [{"name": "a", "containerPort": 1}]}


def changes(before: Job, after: Job, ended: str = "") -> list[str]:
    return [problem.line() for problem in VOLCANO_JOB.refused_changes(after, admitted(before), ended)]


def test_the_second_apply_sends_what_lives() -> None:
    made = job(**PORTS)
    live = admitted(made)
    assert VOLCANO_JOB.root_to_apply(made, live, "us")["spec"]["tasks"] == live["spec"]["tasks"]
    assert changes(made, made) == []
    assert VOLCANO_JOB.root_to_apply(made, None, "us") == made.root


@pytest.mark.parametrize("replicas", [1, 5])
def test_other_replicas_are_taken_and_nothing_is_lost(replicas: int) -> None:
    before, after = job(**PORTS), job(**PORTS, tasks=tasks(replicas=replicas))
    live = admitted(before)
    assert VOLCANO_JOB.refused_changes(after, live, "") == []
    sent = VOLCANO_JOB.root_to_apply(after, live, "us")["spec"]
    worker, old = sent["tasks"][1], live["spec"]["tasks"][1]
    # Never more than there are: that would be refused.
    assert (worker["replicas"], worker["minAvailable"], worker["maxRetry"]) == (replicas, min(2, replicas), 3)
    assert worker["template"] == old["template"]
    assert sent["tasks"][0] == live["spec"]["tasks"][0]
    assert sent["minAvailable"] == replicas + 1


def test_numbers_that_must_start_are_taken() -> None:
    assert changes(job(), job(min_available=1, tasks=tasks(min_available=1))) == []


def test_what_has_ended_makes_no_more_pods() -> None:
    (line,) = changes(job(), job(tasks=tasks(replicas=4)), "succeeded")
    assert "the job has succeeded and makes no pod any more" in line
    assert changes(job(), job(), "succeeded") == []


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ({}, {"image": "i:2"}, 'spec.tasks.ps.template.spec.containers[0].image = "i:1" on the live job, "i:2" wanted'),
        ({}, {"queue": "team-a"}, 'spec.queue = "default" on the live job, "team-a" wanted'),
        ({}, {"max_retry": 4}, "spec.maxRetry = 3 on the live job, 4 wanted"),
        ({"max_retry": 4}, {}, "spec.maxRetry = 4 on the live job, 3 wanted"),
        ({}, {"ttl_seconds_after_finished": 9}, "spec.ttlSecondsAfterFinished = nothing on the live job, 9 wanted"),
        ({"ttl_seconds_after_finished": 9}, {}, "spec.ttlSecondsAfterFinished = 9 on the live job, nothing wanted"),
        ({}, {"plugins": {"env": []}}, "spec.plugins.env = nothing on the live job"),
        ({"plugins": {"env": []}}, {}, 'spec.plugins.env = "on" on the live job, nothing wanted'),
        ({"plugins": {"env": [], "ssh": []}}, {"plugins": {"env": []}}, 'spec.plugins.ssh = "on" on the live job'),
        ({}, {"tasks": TWO[:1]}, 'spec.tasks = ["ps", "worker"] on the live job, ["ps"] wanted'),
        ({}, {"tasks": TWO[::-1]}, 'spec.tasks = ["ps", "worker"] on the live job, ["worker", "ps"] wanted'),
        ({}, {"tasks": tasks(gpus=1)}, "spec.tasks.worker.template.spec.containers[0].resources"),
        ({"tasks": tasks(gpus=1)}, {}, "spec.tasks.worker.template.spec.containers[0].resources"),
        ({"tasks": tasks(max_retry=5)}, {}, "spec.tasks.worker.maxRetry = 5 on the live job, nothing wanted"),
        ({}, {"tasks": tasks(max_retry=5)}, "spec.tasks.worker.maxRetry = 3 on the live job, 5 wanted"),
        (
            {"policies": [{"event": "PodFailed", "action": "RestartJob", "timeout": "1m"}]},
            {"policies": [{"event": "PodFailed", "action": "RestartJob"}]},
            'spec.policies[0].timeout = "1m" on the live job, nothing wanted',
        ),
        ({"env": {"A": 1}}, {}, "containers[0].env = "),
    ],
)
def test_any_other_change_is_refused(before: Manifest, after: Manifest, problem: str) -> None:
    found = changes(job(**before), job(**after))
    assert any(problem in line for line in found), found
    assert all("cannot be changed on a live job. Set recreate" in line for line in found)


def test_a_job_of_another_hand_is_judged_by_its_values() -> None:
    made = job()
    live = admitted(made)
    del live["metadata"]["annotations"][FIELDS]
    live["spec"]["tasks"][0]["template"]["spec"]["hostname"] = "theirs"
    assert VOLCANO_JOB.refused_changes(made, live, "") == []
    assert VOLCANO_JOB.refused_changes(job(image="i:2"), live, "") != []


def test_only_what_the_user_changed_is_told() -> None:
    """What admissions filled in is nobody's change, whatever else is changed."""
    assert changes(job(**PORTS), job(**PORTS, image="i:2", max_retry=5)) == [
        line
        for field, one, other in (
            ("maxRetry", "3", "5"),
            ("tasks.ps.template.spec.containers[0].image", '"i:1"', '"i:2"'),
            ("tasks.worker.template.spec.containers[0].image", '"i:1"', '"i:2"'),
        )
        for line in [
            f"spec.{field} = {one} on the live job, {other} wanted: cannot be changed on a live job. Set recreate to"
            " delete the job and create it anew, or give the new job another name"
        ]
    ]
    added = changes(job(), job(env={"A": 1}))
    assert [line.partition(" = ")[0].rpartition(".")[2] for line in added] == ["env", "env"]


def test_items_that_an_admission_adds_to_lists_stay() -> None:
    given: Manifest = {"tolerations": [{"key": "gpu", "operator": "Exists"}], "env": {"A": 1}}
    made = job(**given)
    live = admitted(made)
    for task in live["spec"]["tasks"]:
        task["template"]["spec"]["tolerations"].append({"key": "site", "operator": "Exists"})
        task["template"]["spec"]["containers"].append({"name": "sidecar", "image": "s:1"})
    for after in (made, job(**given, tasks=tasks(replicas=4))):
        assert VOLCANO_JOB.refused_changes(after, live, "") == []
        sent = VOLCANO_JOB.root_to_apply(after, live, "us")["spec"]["tasks"]
        assert [task["template"] for task in sent] == [task["template"] for task in live["spec"]["tasks"]]
    # One item less is the user's change.
    fewer = VOLCANO_JOB.refused_changes(job(tolerations=given["tolerations"]), live, "")
    assert [problem.field.rpartition(".")[2] for problem in fewer] == ["env", "env"]
    assert VOLCANO_JOB.refused_changes(job(env={"A": 1}), live, "")[0].field.endswith("tolerations")


def test_a_minimum_that_is_not_given_any_more_is_all_again() -> None:
    before, after = job(tasks=tasks(min_available=1)), job(tasks=tasks())
    live = admitted(before)
    assert VOLCANO_JOB.refused_changes(after, live, "") == []
    assert VOLCANO_JOB.root_to_apply(after, live, "us")["spec"]["tasks"][1]["minAvailable"] == 2


def test_marks_are_of_fields_and_not_of_values() -> None:
    marks = {
        job(**given).root["metadata"]["annotations"][FIELDS]
        for given in ({}, {"tasks": tasks(replicas=9)}, {"image": "i:2"}, {"labels": {"a": "b"}})
    }
    assert len(marks) == 1
    assert job(gpus=1).root["metadata"]["annotations"][FIELDS] not in marks


# What a user may change from one run to the next.
CHANGES: list[tuple[str, list[Any]]] = [
    ("image", ["i:1", "i:2"]),
    ("queue", [None, "team-a"]),
    ("max_retry", [None, 3, 5]),
    ("min_available", [None, 1, 2]),
    ("min_success", [None, 1]),
    ("ttl_seconds_after_finished", [None, 60]),
    ("env", [None, {"A": 1}, {"A": 1, "B": 2}]),
    ("plugins", [None, {"svc": []}, {"svc": [], "env": []}]),
    ("policies", [None, [{"event": "PodFailed", "action": "RestartJob"}]]),
    ("labels", [None, {"team": "a"}]),
]
OF_WORKERS: list[tuple[str, list[Any]]] = [
    ("replicas", [1, 2, 5]),
    ("min_available", [None, 0, 1]),
    ("max_retry", [None, 2]),
    ("gpus", [None, 1]),
    ("policies", [None, [{"event": "TaskCompleted", "action": "CompleteJob"}]]),
]


@st.composite
def runs(draw: st.DrawFn) -> tuple[Job, Job]:
    """Return a job as one run wants it, and the next one after a change or two."""
    own, common = ({name: draw(st.sampled_from(values)) for name, values in each} for each in (OF_WORKERS, CHANGES))
    before = job(**common, tasks=tasks(**own))
    for name, values in draw(st.lists(st.sampled_from(OF_WORKERS * 3 + CHANGES), max_size=2, unique_by=repr)):
        place = own if (name, values) in OF_WORKERS else common
        place[name] = draw(st.sampled_from(values))
    return before, job(**common, tasks=tasks(**own))


def without_numbers(spec: Manifest) -> Manifest:
    """Return a spec without what Volcano's admission lets a user change."""
    found = {key: value for key, value in spec.items() if key != "minAvailable"}
    found["tasks"] = [
        {key: value for key, value in task.items() if key not in ("replicas", "minAvailable")} for task in spec["tasks"]
    ]
    return found


@given(runs())
def test_what_is_not_refused_by_us_is_taken_by_volcano(pair: tuple[Job, Job]) -> None:
    """Its webhook refuses every change of the spec but that of the numbers, and more than there are of them."""
    before, after = pair
    live = admitted(before)
    sent = {**live["spec"], **VOLCANO_JOB.root_to_apply(after, live, "us")["spec"]}
    if VOLCANO_JOB.refused_changes(after, live, ""):
        assert without_numbers(before.root["spec"]) != without_numbers(after.root["spec"])
        return
    assert without_numbers(sent) == without_numbers(live["spec"])
    assert all(task["minAvailable"] <= task["replicas"] for task in sent["tasks"])
    assert sent["minAvailable"] <= sum(task["replicas"] for task in sent["tasks"])
    # And the run after it finds nothing to do.
    again = {**live, "spec": sent, "metadata": after.root["metadata"]}
    assert VOLCANO_JOB.refused_changes(after, again, "succeeded") == []
    assert VOLCANO_JOB.root_to_apply(after, again, "us")["spec"]["tasks"] == sent["tasks"]
