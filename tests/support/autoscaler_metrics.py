# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of an autoscaler: one of each kind that the server takes, and others that it refuses."""

from __future__ import annotations

from typing import Any

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
TAKEN: list[dict[str, Any]] = [
    CPU,
    CONTAINER,
    PODS,
    OBJECT,
    EXTERNAL,
    {"type": "Resource", "resource": {"name": "memory", "target": AVERAGE}},
]


def cpu(**target: Any) -> dict[str, Any]:
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


# A metric, the field that is named, and a part of the rule.
REFUSED: list[tuple[Any, str, str]] = [
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
]
