# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The elastic policy: what is sent, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob_elastic import (
    bounds,
    check_elastic,
    elastic_policy,
)


def test_every_option_has_its_place() -> None:
    elastic = {
        "min_replicas": 1,
        "max_replicas": 4,
        "rdzv_backend": "etcd-v2",
        "rdzv_host": "etcd.team-a",
        "rdzv_port": 2379,
        "rdzv_id": "bert",
        "rdzv_conf": {"protocol": "http", "last_call_timeout": 30, "none": None},
        "max_restarts": 0,
        "nproc_per_node": 2,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu"}, "pods": None}],
    }
    assert elastic_policy(elastic, 2) == {
        "minReplicas": 1,
        "maxReplicas": 4,
        "rdzvBackend": "etcd-v2",
        "rdzvHost": "etcd.team-a",
        "rdzvPort": 2379,
        "rdzvId": "bert",
        "rdzvConf": [{"key": "protocol", "value": "http"}, {"key": "last_call_timeout", "value": "30"}],
        "maxRestarts": 0,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu"}}],
    }


@pytest.mark.parametrize(
    ("elastic", "expected"),
    [
        ({}, (3, 3)),
        ({"min_replicas": 1}, (1, 3)),
        ({"max_replicas": 8}, (3, 8)),
        ({"min_replicas": 0}, (0, 3)),
        ({"min_replicas": 2, "max_replicas": 4}, (2, 4)),
    ],
)
def test_what_is_not_given_is_the_number_of_workers(elastic: dict[str, int], expected: tuple[int, int]) -> None:
    assert bounds(elastic, 3) == expected


@pytest.mark.parametrize(
    ("elastic", "workers", "field"),
    [
        ({}, None, "elastic"),
        ({"min_replicas": 0}, 2, "elastic.min_replicas"),
        ({"max_replicas": 2**31}, 2, "elastic.max_replicas"),
        ({"max_replicas": 1}, 2, "elastic.min_replicas"),
        ({"min_replicas": 3, "max_replicas": 4}, 2, "replicas.Worker.replicas"),
        ({"min_replicas": 1, "max_replicas": 4}, 5, "replicas.Worker.replicas"),
        ({"rdzv_port": 65536}, 2, "elastic.rdzv_port"),
        ({"max_restarts": -1}, 2, "elastic.max_restarts"),
        ({"nproc_per_node": 0}, 2, "elastic.nproc_per_node"),
        ({"rdzv_backend": "etcd"}, 2, "elastic.rdzv_host"),
        ({"rdzv_conf": {"a=b": 1}}, 2, "elastic.rdzv_conf"),
        ({"rdzv_conf": {"a": "1,2"}}, 2, "elastic.rdzv_conf"),
        ({"rdzv_conf": {"": 1}}, 2, "elastic.rdzv_conf"),
        ({"metrics": [{}]}, 2, "elastic.metrics[0].type"),
    ],
)
def test_refusals(elastic: dict[str, Any], workers: int | None, field: str) -> None:
    assert [problem.field for problem in check_elastic(elastic, workers)] == [field]


@pytest.mark.parametrize(
    "elastic",
    [
        {},
        {"min_replicas": 1, "max_replicas": 2},
        {"rdzv_backend": "c10d", "rdzv_port": 1},
        {"rdzv_backend": "etcd", "rdzv_host": "etcd"},
        {"max_restarts": 0, "rdzv_conf": {"a": "b=c", "timeout": 3}},
    ],
)
def test_nothing_is_wrong(elastic: dict[str, Any]) -> None:
    assert check_elastic(elastic, 2) == []
