# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of an autoscaler: one accepted of each kind, and what the server would refuse."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._autoscale import check_metrics, without_request

SHARE = {"type": "Utilization", "averageUtilization": 80}
AVERAGE = {"type": "AverageValue", "averageValue": "500m"}
VALUE = {"type": "Value", "value": 10}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": SHARE}}
CONTAINER = {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "pytorch", "target": SHARE}}
PODS = {"type": "Pods", "pods": {"metric": {"name": "rate", "selector": {}}, "target": AVERAGE}}
OBJECT = {
    "type": "Object",
    "object": {"describedObject": {"kind": "Queue", "name": "q"}, "metric": {"name": "length"}, "target": VALUE},
}
EXTERNAL = {"type": "External", "external": {"metric": {"name": "length"}, "target": AVERAGE}}


def test_each_kind_is_accepted() -> None:
    assert check_metrics([CPU, CONTAINER, PODS, OBJECT, EXTERNAL], "m") == []
    assert check_metrics([{**CPU, "resource": {"name": "memory", "target": AVERAGE}}], "m") == []


def cpu(**target: Any) -> dict[str, Any]:
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


@pytest.mark.parametrize(
    ("metric", "field", "rule"),
    [
        ("cpu", ".type", "must be one of Resource, "),
        ({}, ".type", "must be one of Resource, "),
        ({"type": ["Resource"]}, ".type", "must be one of"),
        ({"type": "Resource"}, ".resource", "must be given"),
        ({**CPU, "pods": {}}, ".pods", "is unknown; type, resource may stand here"),
        ({"type": "Resource", "resource": []}, ".resource", "must be a mapping"),
        ({"type": "Resource", "resource": {"target": SHARE}}, ".resource.name", "must be given"),
        ({"type": "Resource", "resource": {"name": 1, "target": SHARE}}, ".resource.name", "must be a name"),
        ({"type": "Resource", "resource": {"name": "cpu"}}, ".resource.target", "must be given"),
        (cpu(averageUtilization=80), ".resource.target.type", "must be given"),
        (cpu(type="Utilization"), ".resource.target", "needs averageUtilization or averageValue"),
        (cpu(**SHARE, averageValue=1), ".resource.target", "averageUtilization or averageValue, not both"),
        (cpu(type="Value", value=1), ".resource.target.value", "is unknown"),
        (cpu(type="AverageValue", averageUtilization=80), ".resource.target.type", "must be Utilization beside"),
        (cpu(type="Utilization", averageUtilization=0), ".resource.target.averageUtilization", "whole number from 1"),
        (cpu(type="Utilization", averageUtilization="80"), ".resource.target.averageUtilization", "whole number"),
        (cpu(type="Utilization", averageUtilization=True), ".resource.target.averageUtilization", "whole number"),
        (cpu(type="AverageValue", averageValue="0"), ".resource.target.averageValue", "a quantity above 0"),
        (cpu(type="AverageValue", averageValue="much"), ".resource.target.averageValue", "a quantity above 0"),
        ({"type": "Pods", "pods": {"metric": {}, "target": AVERAGE}}, ".pods.metric.name", "must be given"),
        ({"type": "Pods", "pods": {"metric": {"id": 1}, "target": AVERAGE}}, ".pods.metric.id", "is unknown"),
    ],
)
def test_what_the_server_would_refuse(metric: Any, field: str, rule: str) -> None:
    problem = check_metrics([CPU, metric], "m")[0]
    assert problem.field == f"m[1]{field}"
    assert rule in problem.rule
    assert "averageUtilization: 80" in problem.way_out


@pytest.mark.parametrize(
    ("metric", "containers", "silent"),
    [
        (CPU, [{"name": "pytorch"}], 1),
        (CPU, [{"name": "pytorch", "resources": {"requests": {"cpu": 1}}}], 0),
        (CPU, [{"name": "pytorch", "resources": {"limits": {"cpu": 1}}}], 0),
        (CPU, [{"name": "pytorch", "resources": {"limits": {"memory": 1}}}, {"name": "side"}], 2),
        (CONTAINER, [{"name": "pytorch", "resources": {"limits": {"cpu": 1}}}, {"name": "side"}], 0),
        (PODS, [{"name": "pytorch"}], 0),
    ],
)
def test_a_share_of_a_request_needs_the_request(metric: Any, containers: list[Any], silent: int) -> None:
    assert len(without_request([metric], {"containers": containers})) == silent
