# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which gang scheduler a version of Kubernetes can have, and what is said when it cannot."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.gang_checks import (
    effective,
    gang_problems,
    gang_warnings,
    installed_besides,
    recommendation,
)

BETA = "scheduling.k8s.io/v1beta1"


@pytest.mark.parametrize(
    ("scheduler", "minor", "groups", "expected"),
    [
        ("native", 37, [BETA], ""),
        ("native", 38, [BETA], ""),
        ("native", 37, [], f"--runtime-config={BETA}=true"),
        # Its API is another one in each version.
        ("native", 36, ["scheduling.k8s.io/v1alpha2"], ""),
        ("native", 35, ["scheduling.k8s.io/v1alpha1"], ""),
        ("native", 35, [BETA], "--runtime-config=scheduling.k8s.io/v1alpha1=true"),
        ("native", 35, [], "whose Workloads native gangs are made of"),
        ("native", 36, [BETA], "--feature-gates=GenericWorkload=true,GangScheduling=true on kube-apiserver"),
        ("native", 34, [BETA], "Kubernetes 1.34 has no gangs of its own"),
        ("volcano", 22, [], "Volcano 1.15 runs on Kubernetes 1.23 and newer"),
        ("volcano", 23, [], ""),
        ("volcano", 40, [], ""),
        ("kube_batch", 24, [], ""),
        ("kube_batch", 25, [], "policy/v1beta1, which Kubernetes 1.25 has dropped"),
        ("none", 10, [], ""),
    ],
)
def test_versions(scheduler: str, minor: int, groups: list[str], expected: str) -> None:
    found = " ".join(problem.line() for problem in gang_problems(scheduler, (1, minor), groups, {}))
    assert (expected in found) if expected else not found, found


def test_kube_batch_names_the_two_ways_on() -> None:
    (problem,) = gang_problems("kube_batch", (1, 30), [], {})
    assert "volcano" in problem.way_out
    assert "native from Kubernetes 1.37" in problem.way_out


def test_priority_classes_that_kube_batch_cannot_read() -> None:
    assert gang_problems("kube_batch", (1, 21), [], {"priority_classes": True}) == []
    (problem,) = gang_problems("kube_batch", (1, 22), [], {"priority_classes": True})
    assert problem.field == "gang_scheduler_priority_classes"


@pytest.mark.parametrize(("scheduler", "minor", "warned"), [("volcano", 35, 0), ("volcano", 36, 1), ("native", 40, 0)])
def test_newer_than_volcanos_table_is_a_warning(scheduler: str, minor: int, warned: int) -> None:
    assert len(gang_warnings(scheduler, (1, minor))) == warned


@pytest.mark.parametrize(
    ("scheduler", "chosen", "minor", "expected"),
    [
        ("native", False, 36, "none"),
        ("native", True, 36, "native"),
        ("native", False, 37, "native"),
        ("volcano", True, 30, "volcano"),
        ("none", False, 37, "none"),
    ],
)
def test_what_a_cluster_gets(scheduler: str, chosen: bool, minor: int, expected: str) -> None:
    assert effective(scheduler, chosen, (1, minor)) == expected


def test_a_scheduler_that_is_there_and_not_chosen() -> None:
    groups = ["scheduling.volcano.sh/v1beta1", "apps/v1"]
    (text,) = installed_besides("native", groups)
    assert "mlstack_gang_scheduler=volcano and gang_scheduler_state=absent" in text
    assert installed_besides("volcano", groups) == []


def test_a_recommendation_where_nobody_chose() -> None:
    assert "mlstack_gang_scheduler=volcano; or Kubernetes 1.37" in recommendation("native", False, (1, 30))
    assert "mlstack_gang_scheduler=volcano, or native" in recommendation("none", False, (1, 37))
    assert recommendation("none", True, (1, 30)) == recommendation("native", False, (1, 37)) == ""
