# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.replicas import (
    check_single,
    given_replicas,
    replica_options,
    told_once,
)


def test_options_of_each_type_and_its_name_in_lower_case() -> None:
    types = replica_options(PYTORCHJOB)["options"]
    assert {name: option["aliases"] for name, option in types.items()} == {"Master": ["master"], "Worker": ["worker"]}
    assert {"replicas", "image", "template"} <= set(types["Worker"]["options"])


def test_those_that_have_any() -> None:
    wanted = {"Worker": {"replicas": 2}, "PS": {"replicas": 0}, "Chief": {}, "Evaluator": None, "worker": {}}
    assert given_replicas({"replicas": wanted}, TFJOB) == ({"Chief": {}, "Worker": {"replicas": 2}}, [])


def test_numbers_that_cannot_be() -> None:
    for count in (-1, 2**31):
        replicas, problems = given_replicas({"replicas": {"Worker": {"replicas": count}}}, TFJOB)
        assert (replicas, [problem.field for problem in problems]) == ({}, ["replicas.Worker.replicas"])
    assert [(problem.field, problem.value) for problem in given_replicas({}, TFJOB)[1]] == [("replicas", "none")]
    none = {"replicas": {"Chief": None, "PS": {"replicas": 0}, "Worker": {"replicas": 0, "image": None}}}
    assert [problem.value for problem in given_replicas(none, TFJOB)[1]] == ["PS 0, Worker 0"]


def test_single() -> None:
    assert [p.field for p in check_single({"Master": 2, "Worker": 2}, "Chief", "Master")] == [
        "replicas.Master.replicas"
    ]


def test_what_is_wrong_in_several_types_is_told_once() -> None:
    fields = ["image", "replicas.PS: container a.image", "image", "replicas.Worker.node", "replicas.PS.node"]
    fields += ["replicas.Worker: container a.image", "replicas.Worker: container b.image"]
    assert [problem.field for problem in told_once([Problem(field, "", "rule", "way out") for field in fields])] == [
        "image",
        "replicas.PS, replicas.Worker: container a.image",
        "replicas.Worker.node",
        "replicas.PS.node",
        "replicas.Worker: container b.image",
    ]
    other = [Problem(f"replicas.{name}: pod", name, "rule", "way out") for name in ("PS", "Worker")]
    assert told_once(other) == other
