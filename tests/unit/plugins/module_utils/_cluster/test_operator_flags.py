# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC-09: an operator with a gang flag is a warning, ours is a problem."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.operator_flags import (
    gang_flags,
    judge_operators,
)


def deployment(image: str, *args: str, manager: str = "helm", **container: Any) -> dict[str, Any]:
    """Return a Deployment with a sidecar."""
    containers = [{"name": "proxy", "image": "proxy:1"}, {"name": "o", "image": image, "args": args, **container}]
    metadata = {"name": "op", "namespace": "ml", "managedFields": [{"manager": "kubectl"}, {"manager": manager}]}
    spec = {"template": {"spec": {"containers": containers}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def told(*found: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the problems and the warnings, each as a line."""
    problems, warnings = judge_operators(found, ["trainyard.mlstack"])
    return [each.line() for each in problems], [each.line() for each in warnings]


@pytest.mark.parametrize(
    ("args", "flags"),
    [
        ([], []),
        (["--leader-elect", "--qps=5"], []),
        (["--gang-scheduler-name=volcano", "--qps=5"], ["--gang-scheduler-name=volcano"]),
        (["-gang-scheduler-name", "volcano"], ["-gang-scheduler-name"]),
        (["--gang-scheduler-name=$(GANG)"], ["--gang-scheduler-name=$(GANG)"]),
        (["--gang-scheduler-name="], []),
        (["--enable-gang-scheduling"], ["--enable-gang-scheduling"]),
        (["--enable-gang-scheduling=true"], ["--enable-gang-scheduling=true"]),
        (["--enable-gang-scheduling=false"], []),
        (["--enable-gang-scheduling-x=1", "gang-scheduler-name=volcano"], []),
    ],
)
def test_flags_that_are_on(args: list[str], flags: list[str]) -> None:
    assert gang_flags(deployment("kubeflow/training-operator:v1-5170a36", *args)) == flags


@pytest.mark.parametrize(
    ("image", "is_operator"),
    [
        ("gcr.io/kubeflow-images-public/tf_operator:v0.5.3", True),
        ("registry.site:5000/training-operator", True),
        ("kubeflow/training-operator:v1.9.4@sha256:00", True),
        ("gpu-operator:v1", False),
        ("ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.0.0", False),
        ("my-training-operators:1", False),
    ],
)
def test_an_operator_is_known_by_its_image(image: str, is_operator: bool) -> None:
    found = gang_flags(deployment(image, command=["/manager", "--gang-scheduler-name=volcano"]))
    assert found == (["--gang-scheduler-name=volcano"] if is_operator else [])


def test_an_operator_of_others_is_a_warning() -> None:
    problems, (warning,) = told(deployment("training-operator:1", "--gang-scheduler-name=volcano"))
    assert problems == []
    assert warning.startswith("operator ml/op = --gang-scheduler-name=volcano: a gang flag may give each job a second")
    assert "Remove the flag" in warning


def test_our_operator_is_a_problem() -> None:
    found = deployment("training-operator:1", "--gang-scheduler-name=volcano", manager="trainyard.mlstack")
    (problem,), warnings = told(found)
    assert warnings == []
    assert "ansible-playbook trainyard.mlstack.operator" in problem


def test_without_a_flag_nothing_is_said() -> None:
    assert told(deployment("training-operator:1", manager="trainyard.mlstack"), deployment("nginx:1")) == ([], [])
