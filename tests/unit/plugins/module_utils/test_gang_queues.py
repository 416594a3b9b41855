# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues as data: the objects, and what the scheduler's webhook would refuse."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_queues import queue_objects, queue_problems


def said(*queues: Any, backend: str = "volcano", plugins: tuple[str, ...] = ("gang", "proportion")) -> list[str]:
    return [problem.line() for problem in queue_problems(backend, queues, plugins, "queues")]


def test_there_is_always_one_for_jobs_that_name_none() -> None:
    assert [queue["metadata"]["name"] for queue in queue_objects("volcano", [{"name": "a"}])] == ["default", "a"]
    (own,) = queue_objects("kube_batch", [{"name": "default", "weight": 4}])
    assert own == {
        "apiVersion": "scheduling.incubator.k8s.io/v1alpha1",
        "kind": "Queue",
        "metadata": {"name": "default"},
        "spec": {"weight": 4},
    }


def test_everything_that_volcano_knows() -> None:
    queue = {
        "name": "a",
        "weight": 2,
        "parent": "root",
        "priority": 5,
        "reclaimable": False,
        "guarantee": {"cpu": 1},
        "deserved": {"cpu": 2},
        "capability": {"cpu": "4", "nvidia.com/gpu": 8},
        "annotations": {"volcano.sh/hierarchy": "root/a"},
    }
    assert said(queue, plugins=("gang", "capacity")) == []
    made = queue_objects("volcano", [queue])[1]
    assert made["metadata"] == {"name": "a", "annotations": {"volcano.sh/hierarchy": "root/a"}}
    assert made["spec"] == {
        "weight": 2,
        "parent": "root",
        "priority": 5,
        "reclaimable": False,
        "guarantee": {"resource": {"cpu": "1"}},
        "deserved": {"cpu": "2"},
        "capability": {"cpu": "4", "nvidia.com/gpu": "8"},
    }


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("a", "queues[0] = a: must be a map with a name"),
        ({}, "queues[0].name = None: must be lower-case letters"),
        ({"name": "A"}, "queues[0].name = A: must be lower-case letters"),
        ({"name": "a", "weight": 0}, "queues[0].weight = 0: must be 1 or more"),
        ({"name": "a", "weight": True}, "queues[0].weight = True: must be a whole number"),
        ({"name": "a", "weight": "3"}, "queues[0].weight = 3: must be a whole number"),
        ({"name": "a", "capacity": {}}, "queues[0] = capacity: a queue of volcano has no such key"),
        ({"name": "a", "capability": {"cpu": "4 cores"}}, "queues[0].capability = cpu 4 cores: must be a quantity"),
        ({"name": "a", "parent": "b"}, "queues[0].parent = b: only the plugin capacity knows queues below queues"),
        ({"name": "a", "guarantee": {"cpu": 1}}, "queues[0].guarantee = cpu 1: must not be more than deserved"),
        (
            {"name": "a", "deserved": {"cpu": 3}, "capability": {"cpu": 2}},
            "must not be more than capability, which has 2",
        ),
    ],
)
def test_mistakes(queue: Any, expected: str) -> None:
    assert expected in " ".join(said(queue))


def test_a_bound_that_is_not_given_binds_nothing() -> None:
    assert said({"name": "a", "deserved": {"cpu": 3}, "capability": {"memory": "1Gi"}}) == []


@pytest.mark.parametrize("parent", ["a", "nobody"])
def test_a_parent_is_another_queue_of_the_list(parent: str) -> None:
    assert (
        f"queues[0].parent = {parent}: must be root or another queue"
        in said({"name": "a", "parent": parent}, plugins=("capacity",))[0]
    )


def test_the_same_name_twice() -> None:
    assert said({"name": "a"}, {"name": "a"}) == ["queues = a: stands there twice. Keep one of the two"]


def test_kube_batch_knows_weights_only() -> None:
    assert said({"name": "a", "weight": 2}, backend="kube_batch") == []
    assert (
        "a queue of kube_batch has no such key, but name, weight"
        in said({"name": "a", "capability": {}}, backend="kube_batch")[0]
    )
