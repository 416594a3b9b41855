# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From arguments to jobs; what `_jobs.module` does with them is seen in the tests of the modules."""

from __future__ import annotations

import re
from typing import Any, Mapping

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import JobType, job_type
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read, read_mixed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.cluster import Cluster

TFJOB_TYPE = job_type(TFJOB)


def render(options: Mapping[str, Any], _cluster: Cluster) -> tuple[Job | None, list[Problem]]:
    if (options["size"] or 0) > 9:
        return None, [Problem("size", str(options["size"]), "too big", "Shrink it")]
    return Job(TFJOB, options["name"], options["namespace"], {"suspend": options["suspend"]}), []


TYPE = JobType(TFJOB, render, {"size": {"type": "int", "default": 1}, "suspend": {"type": "bool", "default": False}})


@pytest.mark.parametrize(
    ("raw", "roots"),
    [
        ({"name": "a"}, [{"suspend": False}]),
        ({"name": "a", "state": "suspended"}, [{"suspend": True}]),
        ({"jobs": [{"name": "a"}, {"name": "b", "suspend": True}]}, [{"suspend": False}, {"suspend": True}]),
        ({"name": "a", "size": 99, "state": "absent"}, [None]),
    ],
)
def test_jobs_are_rendered_unless_only_their_name_matters(raw: dict[str, Any], roots: list[Any]) -> None:
    wanted, problems = read(TYPE, raw)
    assert problems == []
    assert [each.job and each.job.root for each in wanted] == roots


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"jobs": [{"name": "a", "wait": True}]}, "jobs[0].wait = True: .*. It belongs to the task, beside jobs$"),
        ({"jobs": [{"name": "a", "timeout": 9}]}, "jobs[0].timeout = 9: .*beside jobs, or into gang$"),
        ({"jobs": [{"name": "a", "replicas": {"Worker": {"wait": 1}}}]}, "Worker.wait = 1: .*the task, beside jobs$"),
        ({"jobs": [{"name": "a", "replicas": {"Worker": {"name": 1}}}]}, "Worker.name = 1: .*the job, beside name$"),
        ({"name": "a", "replicas": {"Worker": {"wait": 1}}}, "replicas.Worker.wait = 1: .*to the job, beside name$"),
    ],
)
def test_what_is_said_once_for_all_jobs_stands_beside_them(raw: dict[str, Any], told: str) -> None:
    _wanted, problems = read(TFJOB_TYPE, raw)
    lines = [problem.line() for problem in problems if "there is no such option" in problem.rule]
    assert [bool(re.search(told.replace("[0]", r"\[0\]"), line)) for line in lines] == [True], lines


def test_where_keys_belong_in_a_list_of_all_kinds() -> None:
    job = {"kind": "tfjob", "name": "a", "image": "i:1", "replicas": {"Worker": {}}, "wait": True}
    raw = {"jobs": [job], "defaults": {"wait": True, "min_available": 3}, "image": "i:1"}
    _wanted, problems = read_mixed({"tfjob": TFJOB_TYPE}, raw)
    assert {problem.field: problem.way_out for problem in problems} == {
        "image": "It belongs into defaults",
        "defaults.wait": "It belongs to the task, beside jobs",
        "defaults.min_available": "It belongs into gang",
        "jobs[0].wait": "It belongs to the task, beside jobs",
    }


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        ({"name": "a", "size": 10}, ["size"]),
        (
            {"jobs": [{"name": "a", "size": 10}, {"name": "b", "size": "x"}, {"size": 3}]},
            ["jobs[0].size", "jobs[1]", "jobs[2]"],
        ),
        ({"name": "a", "wait": "perhaps", "size": 10}, ["tfjob", "size"]),
        ({"name": "a", "sizes": 1, "wait": "perhaps"}, ["sizes", "tfjob"]),
        ({"jobs": [{"name": "a", "sizes": 1, "size": "x"}]}, ["jobs[0].sizes", "jobs[0]"]),
        ({"name": "a", "manifest_dir": "/tmp"}, ["manifest_dir"]),
        ({"jobs": "all"}, ["tfjob"]),
    ],
)
def test_all_problems_at_once(raw: dict[str, Any], fields: list[str]) -> None:
    assert [problem.field for problem in read(TYPE, raw)[1]] == fields


OTHER = JobType(PYTORCHJOB, render, {"size": {"type": "int"}, "suspend": {"type": "bool"}, "elastic": {"type": "dict"}})
TYPES = {"tfjob": TYPE, "pytorchjob": OTHER}


def test_what_was_meant_is_judged_with_the_rest() -> None:
    raw = {"name": "j", "image": "I", "state": "rendered", "replicas": {"worker": {"nodeSelector": {"a b": "c"}}}}
    wanted, problems = read(TFJOB_TYPE, raw)
    assert wanted == []
    assert [problem.field for problem in problems] == [
        "replicas.Worker.nodeSelector",
        "image",
        "replicas.Worker.node_selector",
    ]


def test_nothing_seems_missing_that_stands_in_a_wrong_place() -> None:
    raw = {"name": "j", "spec": {"image": "i:1"}, "replicas": {"Worker": {}}}
    assert [problem.field for problem in read(TFJOB_TYPE, raw)[1]] == ["spec.image"]
    jobs = {"spec": {"image": "i:1"}, "jobs": [{"name": "j", "replicas": {"Worker": {}}}, {"name": "k", "replicas": 3}]}
    assert [problem.field for problem in read(TFJOB_TYPE, jobs)[1]] == ["spec.image", "jobs[1].replicas"]


def test_jobs_of_several_kinds_take_the_defaults_that_they_know() -> None:
    jobs = [{"kind": "tfjob", "name": "a"}, {"kind": "pytorchjob", "name": "b", "size": 3, "namespace": "m"}]
    wanted, problems = read_mixed(TYPES, {"jobs": jobs, "defaults": {"size": 2, "elastic": {}, "namespace": "n"}})
    assert problems == []
    assert [(each.type.kind, each.name, each.namespace, each.options["size"]) for each in wanted] == [
        (TFJOB, "a", "n", 2),
        (PYTORCHJOB, "b", "m", 3),
    ]
    assert ["elastic" in each.options for each in wanted] == [False, True]


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        ({"jobs": [{"name": "a"}, {"kind": "job", "name": "b"}]}, ["jobs[0].kind", "jobs[1].kind"]),
        ({"jobs": [{"kind": "tfjob", "name": "a", "elastic": {}}]}, ["jobs[0].elastic"]),
        ({"jobs": [], "defaults": {"sizes": 1}}, ["defaults.sizes"]),
        ({}, ["jobs"]),
        ({"jobs": [{"kind": "tfjob", "name": "a"}, {"kind": "pytorchjob", "name": "a"}]}, ["jobs[1].name"]),
    ],
)
def test_all_problems_of_jobs_of_several_kinds(raw: dict[str, Any], fields: list[str]) -> None:
    assert [problem.field for problem in read_mixed(TYPES, raw)[1]] == fields


def test_defaults_know_the_parts_that_an_option_has_in_any_kind() -> None:
    parts = {"type": "dict", "options": {"Chief": {"type": "dict"}}}
    types = {
        "tfjob": JobType(TFJOB, render, {**TYPE.spec, "replicas": parts}),
        "pytorchjob": JobType(
            PYTORCHJOB, render, {**TYPE.spec, "replicas": {**parts, "options": {"Master": {"type": "dict"}}}}
        ),
    }
    defaults = {"replicas": {"Chief": {}, "Master": {}, "Boss": {}}}
    assert [problem.field for problem in read_mixed(types, {"jobs": [], "defaults": defaults})[1]] == [
        "defaults.replicas.Boss"
    ]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"jobs": [{"kind": "TFJob", "name": "a"}]}, "jobs[0].kind = TFJob: must be one of"),
        ({"jobs": [{"kind": "TFJob", "name": "a"}]}, "Write it tfjob"),
        ({"jobs": [], "size": 1}, "size = 1: there is no such option here. It belongs into defaults"),
        ({"jobs": [], "defaults": {"sise": 1}}, "defaults.sise = 1: there is no such option here. Write it size"),
    ],
)
def test_the_right_place_among_several_kinds(raw: dict[str, Any], words: str) -> None:
    assert words in "\n".join(problem.line() for problem in read_mixed(TYPES, raw)[1])


@pytest.mark.parametrize(
    ("own", "defaults", "backend", "wanted"),
    [
        ({}, {}, "volcano", None),
        ({"gang": {}}, {}, None, "native"),
        ({"gang": {"min_available": 1}}, {}, "volcano", "volcano"),
        ({"gang": {"backend": "kube_batch"}}, {}, "volcano", "kube_batch"),
        ({}, {"gang": {}}, "kube_batch", "kube_batch"),
        ({}, {"gang": {"backend": "native"}}, "kube_batch", "native"),
    ],
)
def test_a_gang_without_a_backend_takes_that_of_the_cluster(
    own: dict[str, Any], defaults: dict[str, Any], backend: str | None, wanted: str | None
) -> None:
    job = {"kind": "tfjob", "name": "a", "namespace": "n", "image": "t:1", "replicas": {"Worker": {}}, **own}
    raw = {"jobs": [job], "defaults": defaults, **({"gang_backend": backend} if backend else {})}
    (found,), problems = read_mixed({"tfjob": TFJOB_TYPE}, raw)
    assert problems == []
    assert found.job is not None
    versions = [part["apiVersion"] for part in found.job.parts]
    assert versions == ([BACKENDS[wanted].api_version] if wanted else [])
