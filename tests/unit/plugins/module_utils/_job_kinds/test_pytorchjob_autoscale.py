# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of an autoscaler: one accepted of each kind, what the server would refuse, and who decides the number."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob_autoscale import (
    check_metrics,
    without_request,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from tests.support.autoscaler_metrics import CONTAINER, CPU, PODS, REFUSED, TAKEN

SCALED = {"elasticPolicy": {"metrics": [{"type": "Resource"}]}}
OWNED = {"f:spec": {"f:pytorchReplicaSpecs": {"f:Worker": {"f:replicas": {}, "f:template": {}}}}}
OTHERS = {"f:spec": {"f:pytorchReplicaSpecs": {"f:Worker": {"f:template": {}}}}}


def test_each_kind_is_accepted() -> None:
    assert check_metrics(TAKEN, "m") == []


@pytest.mark.parametrize(("metric", "field", "rule"), REFUSED)
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


def root(workers: int | None, **spec: Any) -> dict[str, Any]:
    number = {} if workers is None else {"replicas": workers}
    return {"metadata": {"name": "j"}, "spec": {"pytorchReplicaSpecs": {"Worker": {**number, "template": {}}}, **spec}}


def sent(made: dict[str, Any], found: Any) -> Any:
    return PYTORCHJOB.root_to_apply(Job(PYTORCHJOB, "j", "n", made), found, "us")


def live(workers: int, *managers: tuple[str, str, Any]) -> dict[str, Any]:
    fields = [{"manager": name, "operation": how, "fieldsV1": fields} for name, how, fields in managers]
    return {**root(workers), "metadata": {"name": "j", "managedFields": fields}}


@pytest.mark.parametrize(
    ("found", "number"),
    [
        (None, 2),
        (live(3), None),
        (live(2, ("us", "Apply", OWNED)), 2),
        # Scaled by something that did not take the field from us.
        (live(3, ("us", "Apply", OWNED)), 3),
        (live(3, ("us", "Apply", OTHERS), ("kube-controller-manager", "Update", OWNED)), None),
        (live(3, ("us", "Update", OWNED)), None),
    ],
)
def test_what_is_sent_of_a_scaled_number(found: Any, number: int | None) -> None:
    made = root(2, **SCALED)
    assert sent(made, found) == root(number, **SCALED)
    assert made == root(2, **SCALED)


def test_without_an_autoscaler_the_users_number_is_sent() -> None:
    assert sent(root(2), live(3, ("us", "Apply", OWNED))) == root(2)


def test_a_type_that_the_live_job_lacks_is_sent_whole() -> None:
    assert sent(root(2, **SCALED), {"metadata": {}, "spec": {"pytorchReplicaSpecs": {}}}) == root(2, **SCALED)
