# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue import check, levels, queue_options, render


def queue(name: str = "team-a", **options: Any) -> dict[str, Any]:
    return {**dict.fromkeys(queue_options()), "name": name, "weight": 1, **options}


def lines(backend: str, *queues: dict[str, Any]) -> list[str]:
    return [problem.line() for problem in check(backend, queues)]


def test_all_that_volcano_knows() -> None:
    full = queue(
        weight=3,
        capability={"nvidia.com/gpu": 8, "cpu": "64"},
        deserved={"nvidia.com/gpu": 6},
        guarantee={"nvidia.com/gpu": 2},
        parent="research",
        priority=0,
        reclaimable=False,
    )
    assert lines("volcano", full) == []
    assert render("volcano", full) == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "team-a"},
        "spec": {
            "weight": 3,
            "capability": {"nvidia.com/gpu": "8", "cpu": "64"},
            "deserved": {"nvidia.com/gpu": "6"},
            "guarantee": {"resource": {"nvidia.com/gpu": "2"}},
            "parent": "research",
            "priority": 0,
            "reclaimable": False,
        },
    }


@pytest.mark.parametrize(
    ("backend", "version"),
    [("volcano", "scheduling.volcano.sh/v1beta1"), ("kube_batch", "scheduling.incubator.k8s.io/v1alpha1")],
)
def test_what_is_not_said_is_not_written(backend: str, version: str) -> None:
    made = render(backend, queue())
    assert (made["apiVersion"], made["spec"]) == (version, {"weight": 1})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weight": 0}, ["queue team-a: weight = 0", "between 1 and 65535"]),
        ({"weight": 65536}, ["weight = 65536"]),
        ({"priority": -1}, ["priority = -1", "not be below 0"]),
        ({"capability": {"cpu": "much"}}, ["capability.cpu = much", "must be a quantity"]),
        ({"deserved": {"cpu": -1}}, ["deserved.cpu = -1", "not be below 0"]),
        ({"guarantee": {"a b": 1}}, ["guarantee = a b", "Name a resource"]),
        (
            {"guarantee": {"cpu": 2}, "deserved": {"cpu": "1500m"}},
            ["guarantee.cpu = 2", "above deserved, which is 1500m"],
        ),
        ({"guarantee": {"cpu": 2}, "capability": {"cpu": 1}}, ["guarantee.cpu = 2", "above capability, which is 1"]),
        ({"deserved": {"memory": "2Gi"}, "capability": {"memory": "2G"}}, ["deserved.memory = 2Gi", "which is 2G"]),
        ({"parent": "default"}, ["parent = default", "takes no jobs"]),
        ({"parent": "A"}, ["parent = A", "lower-case"]),
        ({"parent": "team-a"}, ["parent = team-a below team-a", "below itself"]),
        ({"name": "Team"}, ["name = Team", "lower-case"]),
        ({"name": ""}, ["name = ''"]),
    ],
)
def test_refused(options: dict[str, Any], words: list[str]) -> None:
    found = lines("volcano", queue(**options))
    assert len(found) == 1
    for word in words:
        assert word in found[0]


@pytest.mark.parametrize(
    ("option", "value", "word"),
    [
        ("capability", {"cpu": 1}, "keeps to no limit"),
        ("deserved", {"cpu": 1}, "by weight alone"),
        ("guarantee", {"cpu": 1}, "reserves nothing"),
        ("parent", "root", "no hierarchy"),
        ("priority", 1, "priority class"),
        ("reclaimable", False, "always"),
    ],
)
def test_what_kube_batch_does_not_do(option: str, value: Any, word: str) -> None:
    (line,) = lines("kube_batch", queue(**{option: value}))
    assert line.startswith(f"queue team-a: {option} = ")
    assert "is for volcano" in line
    assert word in line


def test_all_problems_of_all_queues_at_once() -> None:
    assert len(lines("volcano", queue("a", weight=0), queue("B"), queue("c", parent="default"), queue("c"))) == 4


def test_a_queue_below_itself_by_way_of_others() -> None:
    circle = [queue("a", parent="b"), queue("b", parent="c"), queue("c", parent="a"), queue("d", parent="a")]
    assert lines("volcano", *circle) == [
        "parent = a below b below c below a: the queue would be below itself. Leave the parent of one of them out"
    ]
    # Those of the cluster, and circles elsewhere, are not this queue's.
    assert lines("volcano", queue("d", parent="a"), queue("a", parent="elsewhere")) == []


def test_parents_come_first() -> None:
    every = [queue("c", parent="b"), queue("b", parent="a"), queue("x", parent="there"), queue("a"), queue("d")]
    assert [[each["name"] for each in level] for level in levels(every)] == [["x", "a", "d"], ["b"], ["c"]]
    assert levels([]) == []


def test_queues_of_a_cluster_that_are_below_each_other_end_somewhere() -> None:
    """Nobody judged them: where Volcano's webhook was off, anything may be there."""
    circle = [queue("a", parent="b"), queue("b", parent="a"), queue("c", parent="c")]
    assert sorted(each["name"] for level in levels(circle) for each in level) == ["a", "b", "c"]
