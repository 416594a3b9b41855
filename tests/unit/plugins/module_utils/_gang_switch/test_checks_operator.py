# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC-09: operators with gang flags of their own, beside each gang scheduler."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.checks_operator import (
    Operator,
    judge,
    operator_of,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.operator_flags import NAME, SWITCH

IMAGES = {
    "0.4.0": "gcr.io/kubeflow-images-public/tf_operator:v0.4.0",
    "0.5.3": "gcr.io/kubeflow-images-public/tf_operator:v0.5.3",
    "1.3": "kubeflow/training-operator:760ac1171dd30039a7363ffa03c77454bd714da5",
    "1.5": "kubeflow/training-operator:v1-e1434f6",
    "1.6": "kubeflow/training-operator:v1-5a5f92d",
    "1.9": "kubeflow/training-operator:v1-5170a36",
    "own": "registry.site/training-operator:mine",
}


def operator(release: str, **more: Any) -> Operator:
    """Return an operator; its other arguments are its fields."""
    return Operator("kubeflow", "training-operator", IMAGES[release], "training-operator", **more)


def said(found: Operator, wanted: str) -> tuple[str, str]:
    """Return the only problem and the only warning, each as a line; empty when there is none."""
    problems, warnings = judge([found], wanted)
    assert len(problems) + len(warnings) <= 1
    return "".join(each.line() for each in problems), "".join(each.line() for each in warnings)


@pytest.mark.parametrize("wanted", ["native", "volcano", "kube_batch", "scheduler_plugins", "none"])
@pytest.mark.parametrize(("release", "flags"), [("1.9", {}), ("1.5", {NAME: "volcano"}), ("0.5.3", {})])
def test_flags_that_are_off(release: str, flags: dict[str, str], wanted: str) -> None:
    assert said(operator(release, flags=flags), wanted) == ("", "")


@pytest.mark.parametrize(
    ("release", "flags", "wanted", "rule"),
    [
        ("1.9", {SWITCH: "true"}, "none", "(1.9.0) has no flag --enable-gang-scheduling, and ends at its start"),
        ("1.3", {SWITCH: "true", NAME: "volcano"}, "none", "has no flag --gang-scheduler-name"),
        ("1.9", {NAME: "kube-batch"}, "none", "in scheduling.x-k8s.io/v1alpha1 and gives its pods to scheduler kube-"),
        ("1.9", {NAME: "none"}, "native", "reads nothing: it is the name of no scheduler"),
        ("own", {NAME: "none"}, "native", "reads nothing: it is the name of no scheduler"),
        ("0.4.0", {SWITCH: "true"}, "none", "which reads no such thing any more"),
        ("1.9", {NAME: "volcano"}, "native", "gives pods to scheduler volcano, so no job of the operator starts under"),
        ("1.5", {SWITCH: "true", NAME: "x"}, "kube_batch", "waits for Volcano to let its own PodGroup in"),
        ("1.9", {NAME: "volcano"}, "scheduler_plugins", "waits for Volcano to let its own PodGroup in"),
        ("1.9", {NAME: "plugins"}, "native", "gives pods to scheduler plugins, so no job of the operator starts under"),
        ("0.5.3", {SWITCH: "true"}, "native", "gives pods to scheduler kube-batch, so no job of the operator starts"),
    ],
)
def test_pairs_that_cannot_be(release: str, flags: dict[str, str], wanted: str, rule: str) -> None:
    problem, warning = said(operator(release, flags=flags), wanted)
    assert rule in problem
    assert problem.startswith("operator kubeflow/training-operator = --")
    assert warning == ""


@pytest.mark.parametrize(
    ("release", "flags", "wanted", "rule"),
    [
        ("1.9", {NAME: "volcano"}, "volcano", "minimum and queue of the job's own do not count"),
        ("0.5.3", {SWITCH: "true"}, "kube_batch", "a second PodGroup in scheduling.incubator.k8s.io/v1alpha1"),
        ("1.6", {NAME: "scheduler-plugins"}, "native", "a second PodGroup in scheduling.x-k8s.io/v1alpha1"),
        ("1.9", {NAME: "plugins"}, "scheduler_plugins", "minimum and queue of the job's own do not count"),
        ("1.9", {NAME: "plugins"}, "volcano", "a second PodGroup in scheduling.x-k8s.io/v1alpha1"),
        ("1.6", {NAME: "kube-batch"}, "native", "(1.6.0) knows no gang scheduler kube-batch"),
    ],
)
def test_what_is_double_or_nothing(release: str, flags: dict[str, str], wanted: str, rule: str) -> None:
    problem, warning = said(operator(release, flags=flags), wanted)
    assert problem == ""
    assert rule in warning
    assert "Take --" in warning


def test_an_operator_that_serves_the_cluster_alone() -> None:
    assert said(operator("1.9", flags={NAME: "volcano"}, allowed=True), "none") == ("", "")


def test_groups_that_cannot_be_made() -> None:
    flags = {NAME: "volcano"}
    problem, _warning = said(operator("1.9", flags=flags, served=False), "volcano")
    assert "which the API server does not serve: it will make no pod of any job" in problem
    problem, _warning = said(operator("1.9", flags=flags, allowed=False), "volcano")
    assert "its service account training-operator may not" in problem
    assert "create, get, list, watch, update and delete podgroups in group scheduling.volcano.sh" in problem


def deployment(image: str, **container: Any) -> dict[str, Any]:
    """Return a Deployment with a sidecar."""
    containers = [{"name": "proxy", "image": "proxy:1"}, {"name": "operator", "image": image, **container}]
    spec = {"template": {"spec": {"containers": containers, "serviceAccountName": "trainer"}}}
    return {"metadata": {"name": "op", "namespace": "ml"}, "spec": spec}


def test_an_operator_is_known_by_its_image() -> None:
    found = operator_of(
        deployment(
            "registry.site:5000/kubeflow/training-operator:v1-5170a36@sha256:00",
            command=["/manager"],
            args=["--gang-scheduler-name=$(GANG)"],
            env=[{"name": "GANG", "value": "volcano"}, {"name": "SECRET", "valueFrom": {}}],
        )
    )
    assert found is not None
    assert (found.namespace, found.name, found.account, found.release) == ("ml", "op", "trainer", "1.9.0")
    assert found.flags == {NAME: "volcano"}
    assert found.result()["writes"] == "scheduling.volcano.sh/v1beta1"


@pytest.mark.parametrize(
    "image",
    ["gpu-operator:v1", "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.0.0", "my-training-operators:1"],
)
def test_other_operators(image: str) -> None:
    assert operator_of(deployment(image)) is None
