# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.volcano_jobs import TWO, job, refusals, tasks


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"tasks": []}, "tasks = none: a job needs at least one replica"),
        ({"tasks": [{"name": "a", "replicas": 0}]}, "tasks = a 0: a job needs at least one replica"),
        ({"tasks": [*TWO, {"name": "ps"}]}, "tasks[2].name = ps: two tasks have this name"),
        ({"tasks": [{"name": "PS"}]}, "tasks[0].name = PS: must be lower-case"),
        ({"tasks": tasks(replicas=-1)}, "tasks.worker.replicas = -1: must be at least 0"),
        # FC-26
        ({"tasks": tasks(min_available=3)}, "tasks.worker.min_available = 3: must be between 0 and 2"),
        ({"min_available": 4}, "min_available = 4: must be between 1 and 3, the number of the job's pods (ps 1, w"),
        ({"min_available": 0}, "min_available = 0: must be between 1 and 3"),
        ({"min_success": 4}, "min_success = 4: must be between 1 and 3"),
        ({"max_retry": 0}, "max_retry = 0: Volcano takes 0 for not given, and makes it 3"),
        ({"max_retry": 2**31}, "max_retry = 2147483648: must be at most 2147483647"),
        ({"tasks": tasks(max_retry=0)}, "tasks.worker.max_retry = 0: Volcano takes 0 for not given"),
        ({"ttl_seconds_after_finished": -1}, "ttl_seconds_after_finished = -1: must be at least 0"),
        ({"queue": "Team_A"}, "queue = Team_A: must be lower-case"),
        ({"tasks": tasks(depends_on={"name": ["chief"]})}, "tasks.worker.depends_on = chief: no task has this name"),
        ({"tasks": tasks(depends_on={"name": []})}, "tasks.worker.depends_on = nothing: must name a task"),
        ({"tasks": tasks(depends_on={"name": ["worker"]})}, "tasks.depends_on = worker after worker: these tasks wait"),
        (
            {"tasks": [{"name": "a", "depends_on": {"name": ["b"]}}, {"name": "b", "depends_on": {"name": ["a"]}}]},
            "tasks.depends_on = a after b after a: these tasks wait for each other",
        ),
        (
            {"tasks": tasks(depends_on={"name": ["ps"]}), "min_available": 2},
            "min_available = 2: only 1 pods are made at once (ps), the others wait for them: none would ever start",
        ),
        ({"tasks": tasks(restart_policy="ExitCode")}, "tasks.worker.restart_policy = ExitCode: is not for Volcano"),
        ({"restart_policy": "Always"}, "restart_policy = Always: is not for Volcano Jobs"),
        (
            {"template": {"spec": {"schedulerName": "default-scheduler"}}},
            "template.spec.schedulerName = default-scheduler: another scheduler than volcano",
        ),
        (
            {"pod_annotations": {"scheduling.volcano.sh/group-name": "g"}},
            "scheduling.volcano.sh/group-name = g: names a",
        ),
        ({"template": {"spec": {"schedulingGroup": {"podGroupName": "g"}}}}, "schedulingGroup = {'podGroupName': 'g'}"),
        ({"tf_config": {}, "command": ["a"], "env": {"TF_CONFIG": "x"}}, "env = TF_CONFIG: tf_config gives it"),
    ],
)
def test_refused_tasks_jobs_and_pods(given: dict[str, Any], problem: str) -> None:
    found = refusals(**given)
    assert len(found) == 1, found
    assert problem in found[0]
    assert found[0].count(". ") >= 1, "no way out"


NO_NAMES = "plugins has no svc"
NO_POLICY = "no policy says what a failed pod does"


@pytest.mark.parametrize(
    ("given", "notes"),
    [
        ({}, [NO_NAMES, NO_POLICY]),
        ({"plugins": {"svc": []}, "policies": [{"event": "PodFailed", "action": "RestartJob"}]}, []),
        ({"plugins": {"svc": []}, "tasks": tasks(policies=[{"exit_code": 1, "action": "RestartJob"}])}, []),
        ({"plugins": {"svc": []}, "policies": [{"event": "PodEvicted", "action": "RestartJob"}]}, [NO_POLICY]),
        ({"tasks": [{"name": "one"}]}, []),
        (
            {"tasks": [{"name": "w", "replicas": 2, "min_available": 2}], "min_available": 1},
            [NO_NAMES, NO_POLICY, "min_available of the job is below"],
        ),
    ],
)
def test_what_a_user_should_hear_of(given: dict[str, Any], notes: list[str]) -> None:
    found = job(**given).notes
    assert len(found) == len(notes), found
    assert all(line.startswith(note) for line, note in zip(found, notes))
