# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pod_checks import (
    check_shared_memory,
    check_spec,
    check_template,
)

MAIN = {"name": "pytorch", "image": "i:1"}


@pytest.mark.parametrize(
    ("template", "count"),
    [
        ({}, 0),
        ({"spec": {"containers": []}}, 0),
        ({"spec": {"containers": [MAIN, {"name": "sidecar"}]}}, 0),
        ({"spec": {"containers": [{"name": "sidecar"}]}}, 1),
        ({"spec": {"restartPolicy": "Never", "containers": [{"name": "sidecar"}]}, "containers": []}, 3),
        ({"metadata": []}, 1),
        ({"spec": {"volumes": {}}}, 1),
    ],
)
def test_the_name_of_the_main_container_is_handed_in(template: dict[str, Any], count: int) -> None:
    assert len(check_template(template, "template", "pytorch")) == count


def test_all_problems_of_a_spec() -> None:
    mounts = [{"name": "none", "mountPath": "/a"}, {"name": "data", "mountPath": "/a"}]
    containers = [MAIN, {"name": "Side", "volumeMounts": mounts, "env": ["A"]}]
    problems = check_spec({"containers": containers, "volumes": [{"name": "data", "emptyDir": {}}]}, "replicas.Worker")
    assert [problem.field for problem in problems] == [
        "replicas.Worker: container name",
        "replicas.Worker: container Side.image",
        "replicas.Worker: container Side.env",
        "replicas.Worker: container Side.volumeMounts",
        "replicas.Worker: container Side.volumeMounts",
    ]


@pytest.mark.parametrize(
    ("size", "limit", "refused"),
    [
        ("1Gi", None, False),
        ("1Gi", "1024Mi", False),
        ("1025Mi", "1Gi", True),
        ("1Gi", "nonsense", False),
        ("nonsense", None, True),
    ],
)
def test_shared_memory_counts_against_the_limit(size: str, limit: str | None, refused: bool) -> None:
    resources = {"limits": {"memory": limit}} if limit else {}
    assert bool(check_shared_memory(size, resources, "replicas.Worker")) is refused
