# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.backend_native import NATIVE_1_35, NATIVE_1_36
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS, check_extras
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.pod_group import (
    check,
    owner_problem,
    render,
    template,
)

NAMES = ("queue", "priority_class", "min_resources", "timeout", "scheduler")


def options(backend: str, **given: Any) -> dict[str, Any]:
    least = {"name": "g", "namespace": "n", "min_available": 4}
    return {**dict.fromkeys(NAMES), **least, "backend": backend, **given}


@pytest.mark.parametrize(
    ("given", "spec"),
    [
        (options("native"), {"schedulingPolicy": {"gang": {"minCount": 4}}, "disruptionMode": {"all": {}}}),
        (
            options("volcano", queue="q", priority_class="p", min_resources={"nvidia.com/gpu": 4}),
            {"minMember": 4, "queue": "q", "priorityClassName": "p", "minResources": {"nvidia.com/gpu": "4"}},
        ),
        (
            options("kube_batch", queue="q", priority_class="p"),
            {"minMember": 4, "queue": "q", "priorityClassName": "p"},
        ),
        (
            options("scheduler_plugins", timeout=9, min_resources={"cpu": "1500m"}),
            {"minMember": 4, "scheduleTimeoutSeconds": 9, "minResources": {"cpu": "1.5"}},
        ),
    ],
)
def test_a_group(given: dict[str, Any], spec: dict[str, Any]) -> None:
    backend = BACKENDS[given["backend"]]
    assert check(given) == []
    assert render(given, backend) == {
        "apiVersion": backend.api_version,
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "n"},
        "spec": spec,
    }


def test_what_its_pods_must_say() -> None:
    annotation = {"metadata": {"annotations": {"scheduling.k8s.io/group-name": "g"}}}
    volcano, native = options("volcano"), options("native")
    assert template(volcano, BACKENDS["volcano"]) == {**annotation, "spec": {"schedulerName": "volcano"}}
    named = options("kube_batch", scheduler="mine")
    assert template(named, BACKENDS["kube_batch"]) == {**annotation, "spec": {"schedulerName": "mine"}}
    assert template(native, BACKENDS["native"]) == {"spec": {"schedulingGroup": {"podGroupName": "g"}}}
    assert template(native, NATIVE_1_36) == template(native, BACKENDS["native"])
    assert template(native, NATIVE_1_35) == {"spec": {"workloadRef": {"name": "g", "podGroup": "pods"}}}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (options("native", queue="q"), ["queue = q", "unlike volcano and kube_batch"]),
        (options("native", scheduler="s"), ["scheduler = s", "only one name"]),
        (
            options("native", min_resources={"cpu": 1}),
            ["min_resources = a map", "unlike volcano and scheduler_plugins"],
        ),
        (options("kube_batch", min_resources={"cpu": 1}), ["kube-batch has no resources"]),
        (options("volcano", timeout=1), ["timeout = 1"]),
        (options("scheduler_plugins", priority_class="p"), ["priority_class = p", "Give it to the pods themselves"]),
        (options("volcano", priority_class="system-node-critical"), ["no gang may have it"]),
        (options("volcano", min_resources={"cpu": "x"}), ["min_resources.cpu = x", "must be a quantity"]),
        (options("volcano", min_resources={"cpu": -1}), ["min_resources.cpu = -1", "not be below 0"]),
        (options("volcano", min_resources={"a b": 1}), ["min_resources.a b = 1"]),
        (options("volcano", min_available=0), ["min_available = 0", "at least 1"]),
        (options("volcano", name="G"), ["name = G"]),
        (options("scheduler_plugins", name="g" * 64), ["name = (PodGroup", "64 characters"]),
    ],
)
def test_refused(given: dict[str, Any], words: list[str]) -> None:
    lines = [problem.line() for problem in check(given)]
    assert len(lines) == 1
    for word in words:
        assert word in lines[0]


@pytest.mark.parametrize("shape", [NATIVE_1_36, NATIVE_1_35])
def test_a_priority_that_an_older_shape_does_not_know(shape: Any) -> None:
    given = options("native", priority_class="high")
    assert check(given) == []
    (problem,) = check_extras(given, shape)
    assert problem.line().startswith(f"priority_class = high: {shape.title} has no priority in a PodGroup")


def test_all_problems_at_once() -> None:
    assert len(check(options("native", name="G", queue="q", timeout=1, min_available=0))) == 4


def test_a_group_that_goes_with_a_job() -> None:
    live = {"metadata": {"name": "tfjob-a", "ownerReferences": [{"kind": "TFJob", "name": "a"}]}}
    (problem,) = owner_problem(live)
    assert problem.line().startswith("name = tfjob-a: is there already and belongs to TFJob a, which")
    assert owner_problem({"metadata": {"name": "g"}}) == ()
