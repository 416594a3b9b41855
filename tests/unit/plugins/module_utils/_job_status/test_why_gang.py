# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.why_objects import GPU, gang_job, gpus, holder, node, pod, why

GANG = {"schedulingGroup": {"podGroupName": "tfjob-bert"}}


def group(least: int) -> dict[str, Any]:
    spec = {"schedulingPolicy": {"gang": {"minCount": least}}}
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": spec}


@pytest.mark.parametrize(
    ("count", "number", "groups", "seen", "sentence"),
    [
        (
            2,
            1,
            {"tfjob-bert": None},
            {},
            "PodGroup tfjob-bert does not exist, so the scheduler holds back Worker-0 and",
        ),
        (2, 1, {"tfjob-bert": group(3)}, {}, "The gang starts with 3 pods, and the job has only 2"),
        (
            4,
            2,
            {"tfjob-bert": group(4)},
            {"nodes": [node("a", 4), node("b", 2)], "held": []},
            "The gang can never start: its 4 pods ask for at least 8 nvidia.com/gpu together, and the 2 nodes"
            " that it may"
            " use have 6 in all, even when they are empty",
        ),
        (
            3,
            3,
            {"tfjob-bert": group(3)},
            {"nodes": [node("a", 5), node("b", 5)], "held": []},
            "The gang can never start: empty, the 2 nodes that it may use have room for 2 of its 3 pods",
        ),
        (
            2,
            8,
            {"tfjob-bert": group(2)},
            {"nodes": [node("a", 4), node("b", 4), node("c", 4), node("d", 4)], "held": []},
            "No node can ever hold Worker-0 and Worker-1: each pod asks for 8 nvidia.com/gpu",
        ),
        (
            3,
            2,
            {"tfjob-bert": group(3)},
            {"nodes": [node("a", 4), node("b", 4)], "held": [holder("x", "b", gpus(3), "resnet")]},
            "The gang waits until 3 pods have room at once; now there is room for 2",
        ),
    ],
)
def test_why_a_gang_does_not_start(
    count: int, number: int, groups: dict[str, Any], seen: dict[str, Any], sentence: str
) -> None:
    pods = [pod(index, says="waiting for the gang", resources=gpus(number), **GANG) for index in range(count)]
    told = why(gang_job(count, number), pods, groups=groups, **seen)
    assert told.sentence.startswith(sentence)


def test_who_holds_what_a_gang_waits_for() -> None:
    pods = [pod(index, says="waiting for the gang", resources=gpus(2), **GANG) for index in range(3)]
    seen = {"nodes": [node("a", 4), node("b", 4)], "held": [holder("x", "b", gpus(3), "resnet")]}
    told = why(gang_job(3, 2), pods, groups={"tfjob-bert": group(3)}, **seen)
    assert f"{GPU} is held by team-b: job resnet (3)" in told.facts
    assert any(fact.endswith("waiting for the gang") for fact in told.facts)


@pytest.mark.parametrize(
    ("owner", "sentence"),
    [
        ("DaemonSet", "The gang can never start: its 4 pods ask for at least 8 nvidia.com/gpu"),
        ("Node", "The gang can never start: its 4 pods ask for at least 8 nvidia.com/gpu"),
        ("ReplicaSet", "The gang waits until 4 pods have room at once; now there is room for 3"),
        ("", "The gang waits until 4 pods have room at once; now there is room for 3"),
    ],
)
def test_pods_that_are_the_nodes_own_never_make_room(owner: str, sentence: str) -> None:
    pods = [pod(index, says="waiting for the gang", resources=gpus(2), **GANG) for index in range(4)]
    seen = {"nodes": [node("a", 4), node("b", 4)], "held": [holder("x", "b", gpus(1), owner=owner)]}
    told = why(gang_job(4, 2), pods, groups={"tfjob-bert": group(4)}, **seen)
    assert told.sentence.startswith(sentence)


def test_what_the_nodes_own_pods_hold_is_not_counted() -> None:
    pods = [pod(index, says="waiting for the gang", resources=gpus(2), **GANG) for index in range(4)]
    held = [holder("x", "a", gpus(1), owner="DaemonSet"), holder("y", "b", gpus(1), owner="DaemonSet")]
    told = why(gang_job(4, 2), pods, groups={"tfjob-bert": group(4)}, nodes=[node("a", 4), node("b", 4)], held=held)
    assert "have 6 in all, even when they are empty" in told.sentence
    assert "the largest: b with 3 nvidia.com/gpu" in told.facts


def test_only_who_holds_the_nodes_of_the_gang_is_told() -> None:
    pods = [pod(index, says="waiting for the gang", resources=gpus(2), **GANG) for index in range(2)]
    tainted = node("cp", 4, taints=[{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}])
    held = [holder("x", "a", gpus(3), "resnet"), holder("y", "cp", gpus(3), "other")]
    told = why(gang_job(2, 2), pods, groups={"tfjob-bert": group(2)}, nodes=[node("a", 4), tainted], held=held)
    assert f"{GPU} is held by team-b: job resnet (3)" in told.facts


def test_a_gang_whose_group_may_not_be_read() -> None:
    pods = [pod(0, says="no room", resources=gpus(1), **GANG)]
    assert why(gang_job(1, 1), pods).sentence == "The scheduler finds no node for Worker-0: no room"


@pytest.mark.parametrize(
    ("mark", "shape"),
    [
        ({"schedulingGroup": {"podGroupName": "tfjob-bert"}}, {"schedulingPolicy": {"gang": {"minCount": 3}}}),
        (
            {"workloadRef": {"name": "tfjob-bert", "podGroup": "pods"}},
            {"podGroups": [{"name": "pods", "policy": {"gang": {"minCount": 3}}}]},
        ),
    ],
)
def test_native_gangs_of_older_versions(mark: dict[str, Any], shape: dict[str, Any]) -> None:
    version, kind = ("v1alpha1", "Workload") if "workloadRef" in mark else ("v1alpha2", "PodGroup")
    live = {"apiVersion": f"scheduling.k8s.io/{version}", "kind": kind, "metadata": {"name": "g"}, "spec": shape}
    pods = [pod(index, says="waiting for the gang", resources=gpus(4), **mark) for index in range(3)]
    told = why(gang_job(3, 4), pods, groups={"tfjob-bert": live}, nodes=[node("a", 4), node("b", 4)], held=[])
    assert told.sentence.startswith("The gang can never start: its 3 pods ask for at least 12 nvidia.com/gpu")
