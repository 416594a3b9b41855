# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that nothing reads, of the wrong type, and passwords: named, never shown."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.variables import (
    checks,
    notes,
    password_problems,
)

KNOWN = ["mlstack_pod_cidr", "mlstack_service_cidr", "mlstack_node_ip", "mlstack_release"]


def facts(*names: str, **mistyped: Any) -> dict[str, Any]:
    """Return what the checks see of variables with these names."""
    return {"variables": names, "known": KNOWN, "mistyped": mistyped}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("mlstack_pod_cird", "mlstack_pod_cidr"),
        ("mlstack_pods_cidr", "mlstack_pod_cidr"),
        ("mlstack_relase", "mlstack_release"),
        ("mlstack_nodeip", "mlstack_node_ip"),
        ("mlstack_my_own_thing", ""),
        ("mlstack_kubernetes_version", ""),
        ("mlstack_pod_cidr", None),
    ],
)
def test_a_name_that_nothing_reads(name: str, meant: str | None) -> None:
    problems, warnings = checks(facts(name), {}), notes(facts(name), {})
    assert [problem.field for problem in problems] == [name] * bool(meant)
    assert [warning.field for warning in warnings] == [name] * (meant == "")
    assert all(f"Did you mean {meant}?" in problem.way_out for problem in problems)


def test_a_value_of_the_wrong_type() -> None:
    (problem,) = checks(facts(mlstack_pod_cidr={"kind": "str", "reason": "it is a list"}), {})
    assert problem.line().startswith("mlstack_pod_cidr = set: it must be text (it is a list).")


def test_a_password_that_is_a_number() -> None:
    (problem,) = password_problems(["ansible_become_pass"])
    assert (problem.field, problem.value) == ("ansible_become_pass", "a number")
    assert "ansible_become_pass='\"<password>\"'" in problem.way_out
