# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of an autoscaler: one accepted of each kind, and what the server would refuse."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob_autoscale import (
    check_metrics,
    without_request,
)
from tests.support.autoscaler_metrics import CONTAINER, CPU, PODS, REFUSED, TAKEN


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
