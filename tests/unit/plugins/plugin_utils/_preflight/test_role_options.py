# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of roles against the argument specs that the roles really have."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.role_options import (
    invalid_options,
    role_options,
)
from tests.unit.contracts import tree


def test_the_options_of_all_roles_are_known() -> None:
    assert len(role_options()) > 150
    for role in tree.ROLES:
        if role not in ("lab", "bundle_packages"):
            assert any(name.startswith(f"{role}_") for name in role_options()), role


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("node_swap", "keep"),
        ("node_sysctls_extra", {"net.core.somaxconn": 2048}),
        ("kubernetes_max_pods", "110"),
        ("kubernetes_audit_log", "yes"),
        ("someone_elses_variable", object()),
    ],
)
def test_what_a_role_takes_is_no_problem(name: str, value: Any) -> None:
    assert invalid_options([(name, value)]) == {}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("node_swap", "sometimes", "it must be one of off, keep"),
        ("kubernetes_max_pods", "many", "it must be int"),
        ("node_sysctls_extra", ["a", "b"], "it must be dict"),
        ("containerd_registries", [{"server": "secret"}], "it must be list of dict"),
        ("kubernetes_audit_log", "sometimes", "it must be bool"),
    ],
)
def test_what_a_role_refuses_is_refused_without_the_value(name: str, value: Any, reason: str) -> None:
    found = invalid_options([(name, value)])
    assert reason in found[name]
    assert "secret" not in found[name]
    assert "sometimes" not in found[name]
