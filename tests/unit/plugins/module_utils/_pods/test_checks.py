# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.checks import (
    check_resizing,
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
        ({"spec": {"restartPolicy": "Never", "priority": 1, "overhead": {}, "containers": [{"name": "sidecar"}]}}, 4),
        ({"spec": {"preemptionPolicy": "Never"}}, 1),
        ({"spec": []}, 0),
        ({"spec": {"containers": ["sidecar"]}}, 0),
    ],
)
def test_the_name_of_the_main_container_is_handed_in(template: dict[str, Any], count: int) -> None:
    assert len(check_template(template, "template", "pytorch")) == count


def test_all_problems_of_a_spec() -> None:
    mounts = [{"name": "none", "mountPath": "/a"}, {"name": "data", "mountPath": "/a/"}]
    containers = [MAIN, {"name": "side", "volumeMounts": mounts}, {**MAIN, "restartPolicy": "Always"}]
    problems = check_spec({"containers": containers, "volumes": [{"name": "data", "emptyDir": {}}]}, "replicas.Worker")
    assert [problem.field for problem in problems] == [
        "replicas.Worker: container name",
        "replicas.Worker: container side.image",
        "replicas.Worker: container side.volumeMounts",
        "replicas.Worker: container side.volumeMounts",
        "replicas.Worker: container pytorch.restartPolicy",
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


def lines(spec: dict[str, Any]) -> str:
    return "\n".join(problem.line() for problem in check_spec({"containers": [MAIN], **spec}, "x"))


CLAIM = {"name": "disk", "persistentVolumeClaim": {"claimName": "c"}}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"initContainers": [{"name": "i", "image": "i:1", "restartPolicy": "Always", "livenessProbe": {}}]}, ""),
        ({"initContainers": [{"name": "i", "image": "i:1", "restartPolicy": "Never"}]}, "i.restartPolicy = Never"),
        ({"initContainers": [{"name": "i", "image": "i:1", "livenessProbe": {}}]}, "livenessProbe: an init container"),
        ({"initContainers": [MAIN]}, "two containers have this name"),
        ({"volumes": [CLAIM, CLAIM]}, "two volumes have this name"),
        ({"volumes": [CLAIM], "containers": [{**MAIN, "volumeDevices": [{"name": "disk", "devicePath": "/d"}]}]}, ""),
        (
            {
                "volumes": [{"name": "e", "emptyDir": {}}],
                "containers": [{**MAIN, "volumeDevices": [{"name": "e", "devicePath": "/d"}]}],
            },
            "only a claim can be a device",
        ),
        (
            {
                "volumes": [CLAIM],
                "containers": [
                    {
                        **MAIN,
                        "volumeMounts": [{"name": "disk", "mountPath": "/d", "mountPropagation": "Bidirectional"}],
                    }
                ],
            },
            "is for privileged containers only",
        ),
        (
            {
                "containers": [
                    {
                        **MAIN,
                        "env": [
                            {"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": "e", "key": "A", "path": "a"}}}
                        ],
                    }
                ]
            },
            "container pytorch.env A = e: no emptyDir volume has this name",
        ),
        ({"containers": [{**MAIN, "resources": {"claims": [{"name": "gpu"}]}}]}, "no resource claim has this name"),
        ({"containers": [{**MAIN, "resources": {"claims": [{"name": [1]}]}}]}, "no resource claim has this name"),
        (
            {
                "containers": [{**MAIN, "resources": {"claims": [{"name": "gpu"}]}}],
                "resourceClaims": [{"name": "gpu", "resourceClaimName": "g"}],
            },
            "",
        ),
    ],
)
def test_what_does_not_go_together(spec: dict[str, Any], words: str) -> None:
    found = lines(spec)
    assert words in found
    assert bool(found) == bool(words)


def test_a_pod_that_is_not_restarted_is_resized_as_it_runs() -> None:
    resized = {**MAIN, "resizePolicy": [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]}
    assert [problem.field for problem in check_resizing([MAIN, resized], "x")] == ["x: container pytorch.resizePolicy"]
