# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.demand import (
    Demand,
    Replicas,
    demand_of_least,
    demand_of_pod,
    sum_of_all,
)

GPU = "nvidia.com/gpu"
MEBI = 2**20


def container(requests: Any = None, limits: Any = None, **more: Any) -> dict[str, Any]:
    return {"resources": {"requests": requests, "limits": limits}, **more}


def sidecar(**requests: Any) -> dict[str, Any]:
    return container(requests, restartPolicy="Always")


@pytest.mark.parametrize(
    ("spec", "requests", "limits"),
    [
        ({}, {}, {}),
        ({"containers": [{}, {"resources": None}]}, {}, {}),
        ({"containers": [container({"cpu": "500m"}), container({"cpu": 1})]}, {"cpu": 1.5}, {}),
        # a limit is the request of who names none
        ({"containers": [container(None, {GPU: 2, "cpu": "1"})]}, {GPU: 2, "cpu": 1}, {GPU: 2, "cpu": 1}),
        ({"containers": [container({"cpu": "100m"}, {"cpu": 1})]}, {"cpu": 0.1}, {"cpu": 1}),
        # one init container after the other, then the others: the most of them
        (
            {
                "initContainers": [container({"cpu": 3}), container({"cpu": 2, "memory": "1Mi"})],
                "containers": [container({"cpu": 1})],
            },
            {"cpu": 3, "memory": MEBI},
            {},
        ),
        ({"initContainers": [container({"cpu": 1})], "containers": [container({"cpu": 2})]}, {"cpu": 2}, {}),
        # a sidecar runs beside what comes after it, and beside the containers
        (
            {"initContainers": [sidecar(cpu=1), container({"cpu": 3})], "containers": [container({"cpu": 1})]},
            {"cpu": 4},
            {},
        ),
        (
            {"initContainers": [container({"cpu": 3}), sidecar(cpu=1)], "containers": [container({"cpu": 1})]},
            {"cpu": 3},
            {},
        ),
        ({"initContainers": [sidecar(cpu=1), sidecar(cpu=1)], "containers": [container({"cpu": 2})]}, {"cpu": 4}, {}),
        # the pod as a whole has the last word on what can be given for it
        (
            {"resources": {"requests": {"cpu": 4}}, "containers": [container({"cpu": 1, GPU: 1}, {"cpu": 2, GPU: 1})]},
            {"cpu": 4, GPU: 1},
            {"cpu": 4, GPU: 1},
        ),
        (
            {"resources": {"requests": {"cpu": 4}}, "containers": [container({"cpu": 1}, {"cpu": 2}), {}]},
            {"cpu": 4},
            {"cpu": 2},
        ),
        ({"resources": {"limits": {"cpu": 4}}, "containers": [container({"cpu": 1})]}, {"cpu": 1}, {"cpu": 4}),
        ({"resources": {"limits": {"cpu": 4}}, "containers": [{}]}, {"cpu": 4}, {"cpu": 4}),
        ({"resources": {"requests": {GPU: 4}}, "containers": [{}]}, {}, {}),
        # a runtime's overhead comes on top, of limits where there are any
        (
            {"overhead": {"cpu": "250m", "memory": "1Mi"}, "containers": [container({"cpu": 1}, {"cpu": 1})]},
            {"cpu": 1.25, "memory": MEBI},
            {"cpu": 1.25},
        ),
    ],
)
def test_a_pod(spec: dict[str, Any], requests: dict[str, Any], limits: dict[str, Any]) -> None:
    demand = demand_of_pod(spec)
    assert demand.requests == {name: Decimal(str(value)) for name, value in requests.items()}
    assert demand.limits == {name: Decimal(str(value)) for name, value in limits.items()}


def test_no_quantity() -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        demand_of_pod({"containers": [container({"cpu": "many"})]})


def template(**limits: Any) -> dict[str, Any]:
    return {"template": {"spec": {"containers": [container(None, limits)]}}}


def test_the_objects_of_a_job() -> None:
    replicas = {"Chief": template(cpu=1), "Worker": {"replicas": 3, **template(cpu=2)}}
    tfjob: dict[str, Any] = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "spec": {"tfReplicaSpecs": replicas}}
    jobs: list[dict[str, Any]] = [
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"worker-{number}-a"}, "spec": template(cpu=1)}
        for number in range(2)
    ]
    others: list[dict[str, Any]] = [{"apiVersion": "v1", "kind": "ConfigMap"}, {"apiVersion": "v1", "kind": "Service"}]
    assert [(item.title, item.count) for item in TFJOB.replicas(tfjob, others)] == [("Chief", 1), ("Worker", 3)]
    assert [(item.title, item.count) for item in PS_JOB.replicas(others[0], [*others, *jobs])] == [
        ("worker-0-a", 1),
        ("worker-1-a", 1),
    ]
    assert demand_of_least(TFJOB.replicas(tfjob), 4) == Demand({"cpu": Decimal(7)}, {"cpu": Decimal(7)})
    assert demand_of_least(PS_JOB.replicas(others[0], jobs), 2).requests == {"cpu": Decimal(2)}
    assert demand_of_least(TFJOB.replicas(tfjob), 2).requests == {"cpu": Decimal(3)}


AMOUNT = st.dictionaries(st.sampled_from(["cpu", "memory", GPU]), st.integers(0, 9).map(str), max_size=3)
CONTAINER = st.builds(container, AMOUNT, AMOUNT)
SPEC = st.fixed_dictionaries(
    {
        "containers": st.lists(CONTAINER, min_size=1, max_size=3),
        "initContainers": st.lists(
            st.one_of(CONTAINER, CONTAINER.map(lambda c: {**c, "restartPolicy": "Always"})), max_size=3
        ),
    }
)
REPLICAS = st.lists(st.builds(Replicas, st.just("w"), st.integers(0, 3), SPEC), max_size=3)


@given(SPEC)
def test_a_pod_asks_for_no_less_than_any_of_its_containers_and_no_more_than_all_of_them(spec: dict[str, Any]) -> None:
    everything = [*spec["containers"], *spec["initContainers"]]
    demand = demand_of_pod(spec)
    each = [demand_of_pod({"containers": [item]}) for item in everything]
    for part in ("requests", "limits"):
        whole: dict[str, Decimal] = getattr(demand, part)
        parts = [getattr(item, part) for item in each]
        for name in {key for item in parts for key in item}:
            values = [item.get(name, Decimal(0)) for item in parts]
            assert max(values) <= whole[name] <= sum(values)


@given(SPEC)
def test_the_order_of_containers_does_not_matter(spec: dict[str, Any]) -> None:
    assert demand_of_pod(spec) == demand_of_pod({**spec, "containers": spec["containers"][::-1]})


@given(REPLICAS, st.integers(0, 10))
def test_the_least_is_what_the_cheapest_choice_takes(replicas: list[Replicas], least: int) -> None:
    pods = [demand_of_pod(item.spec) for item in replicas for _number in range(item.count)]
    found = demand_of_least(replicas, least)
    chosen = list(combinations(pods, min(least, len(pods))))
    for part in ("requests", "limits"):
        names = {name for pod in pods for name in getattr(pod, part)}
        for name in names:
            cheapest = min(sum(getattr(pod, part).get(name, Decimal(0)) for pod in choice) for choice in chosen)
            assert getattr(found, part)[name] == cheapest
    if least >= len(pods):
        each = [(item.count, demand_of_pod(item.spec)) for item in replicas]
        assert found.requests == sum_of_all([(count, demand.requests) for count, demand in each])
