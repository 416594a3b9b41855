# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.node_fit import fit, matches, rooms, tolerated
from tests.support.why_objects import GPU, holder, node


@pytest.mark.parametrize(
    ("rule", "labels", "matched"),
    [
        ({"key": "z", "operator": "In", "values": ["a", "b"]}, {"z": "b"}, True),
        ({"key": "z", "operator": "In", "values": ["a"]}, {"z": "b"}, False),
        ({"key": "z", "operator": "In", "values": ["a"]}, {}, False),
        ({"key": "z", "operator": "NotIn", "values": ["a"]}, {}, True),
        ({"key": "z", "operator": "NotIn", "values": ["a"]}, {"z": "a"}, False),
        ({"key": "z", "operator": "Exists"}, {"z": ""}, True),
        ({"key": "z", "operator": "Exists"}, {}, False),
        ({"key": "z", "operator": "DoesNotExist"}, {}, True),
        ({"key": "z", "operator": "Gt", "values": ["3"]}, {"z": "4"}, True),
        ({"key": "z", "operator": "Gt", "values": ["3"]}, {"z": "3"}, False),
        ({"key": "z", "operator": "Lt", "values": ["3"]}, {"z": "2"}, True),
        ({"key": "z", "operator": "Lt", "values": ["3"]}, {"z": "many"}, False),
    ],
)
def test_affinity_rules(rule: dict[str, Any], labels: dict[str, str], matched: bool) -> None:
    assert matches(affinity({"matchExpressions": [rule]}), "n", labels) is matched


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": required}}


def test_one_term_is_enough_and_all_its_rules_must_hold() -> None:
    first = {"matchExpressions": [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]}
    second = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}
    spec = affinity(first, second)
    assert not matches(spec, "n1", {"a": ""})
    assert matches(spec, "n1", {"a": "", "b": ""})
    assert matches(spec, "n2", {})
    assert not matches(affinity({}), "n1", {})
    assert not matches({**spec, "nodeSelector": {"c": "d"}}, "n2", {})


@pytest.mark.parametrize(
    ("toleration", "answer"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "k", "operator": "Exists"}, True),
        ({"key": "k", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "k", "value": "v"}, True),
        ({"key": "k", "operator": "Equal", "value": "w"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_tolerations(toleration: dict[str, Any], answer: bool) -> None:
    assert tolerated({"key": "k", "value": "v", "effect": "NoSchedule"}, [toleration]) is answer


def test_what_is_free_is_what_nobody_asked_for() -> None:
    small = node("a", 2, allocatable={"pods": "2"})
    asks = {"requests": {"cpu": "500m"}, "limits": {GPU: 1}}
    (room,) = rooms([small], [holder("x", "a", asks), holder("y", "elsewhere", asks)])
    assert {name: str(value) for name, value in room.free.items()} == {
        "cpu": "7.500",
        "memory": "17179869184",
        "pods": "1",
        GPU: "1",
    }


def test_a_full_node_has_no_place_for_a_pod_that_asks_for_nothing() -> None:
    full = node("a", allocatable={"pods": "1"})
    assert list(fit({}, {}, rooms([full], [holder("x", "a", {})])).short) == ["a"]
    assert fit({}, {}, rooms([full], [])).roomy == ["a"]


def test_taints_that_say_nothing_but_the_nodes_state_are_told_as_that() -> None:
    taints = [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]
    found = fit({}, {}, rooms([node("a", ready="Unknown", taints=taints)], []))
    assert (list(found.closed), found.tainted) == (["a"], {})


def test_a_taint_that_only_prefers_keeps_nothing_off() -> None:
    taints = [{"key": "k", "effect": "PreferNoSchedule"}]
    assert fit({}, {}, rooms([node("a", taints=taints)], [])).roomy == ["a"]
