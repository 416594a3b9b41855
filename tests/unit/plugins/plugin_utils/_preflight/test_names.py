# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of node names and addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import names as checks_names


class TestNames:
    """Node names and addresses."""

    @pytest.mark.parametrize("name", ["gpu-node01.example.org", "a", "101", "a" * 63, ".".join(["a" * 61] * 4)])
    def test_legal(self, name: str) -> None:
        assert checks_names.checks({"hosts": {"h": {"name": name, "address": None}}}, {}) == []

    @pytest.mark.parametrize(
        "name",
        [
            "gpu_2",
            "-a",
            "a-",
            "a..b",
            "a" * 64,
            ".".join(["a" * 50] * 5),
            ".".join(["a" * 62] * 4) + ".aa",
            "A",
            "",
            "ä",
            "a\n",
        ],
    )
    def test_illegal(self, name: str) -> None:
        """FC-30: an underscore, too long, capitals; the kubelet's lower case is node_info's work."""
        problems = checks_names.checks({"hosts": {"h": {"name": name, "address": None}}}, {})
        assert [(problem.host, problem.field) for problem in problems] == [("h", "mlstack_node_name")]

    @pytest.mark.parametrize(
        ("key", "values", "field"),
        [
            ("name", ("a", "a"), "mlstack_node_name"),
            ("name", ("A", "a"), "mlstack_node_name"),
            ("address", ("192.0.2.1", "192.0.2.1"), "mlstack_node_ip"),
            ("address_secondary", ("fd00::1", "FD00::1"), "mlstack_node_ip"),
        ],
    )
    def test_doubles(self, key: str, values: tuple[str, str], field: str) -> None:
        hosts = {"A": {key: values[0]}, "a": {key: values[1]}, "b": {key: "c"}, "ghost": {}}
        problems = [p for p in checks_names.checks({"hosts": hosts}, {}) if not p.host]
        assert [problem.field for problem in problems] == [field]
        assert "hosts A, a" in problems[0].rule

    @given(st.from_regex(checks_names.LEGAL, fullmatch=True))
    def test_what_is_legal_is_what_kubernetes_takes(self, name: str) -> None:
        problems = checks_names.checks({"hosts": {"h": {"name": name}}}, {})
        assert bool(problems) == (len(name) > 253)
