# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of one host before any role."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import node as checks_node
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_NODE, lines


class TestNode:
    """One host."""

    OPTIONS = {"arch": "amd64"}

    def test_good(self) -> None:
        assert checks_node.checks(GOOD_NODE, self.OPTIONS) == []

    @pytest.mark.parametrize(
        ("change", "field", "word"),
        [
            ({"distribution": "fedora", "distribution_version": "42"}, "distribution", "ubuntu 22.04"),
            ({"distribution_version": "11"}, "distribution", "debian 12, 13"),
            ({"arch": "arm64", "architecture": "aarch64"}, "architecture", "amd64"),
            ({"arch": None, "architecture": "riscv64"}, "architecture", "riscv64"),
            ({"kernel": "4.18.0-80"}, "kernel", "4.19"),
            ({"python": "3.7.3"}, "python", "3.8"),
            ({"systemd": False}, "systemd", "process 1"),
            ({"address": None}, "mlstack_node_ip", "default route"),
            ({"address": "198.51.100.1"}, "mlstack_node_ip", "192.0.2.10"),
            ({"address_secondary": "fd00::9"}, "mlstack_node_ip", "2001:db8::1"),
            ({"modules": {"br_netfilter": "absent"}}, "kernel module br_netfilter", "absent"),
        ],
    )
    def test_bad(self, change: dict[str, Any], field: str, word: str) -> None:
        problems = checks_node.checks({**GOOD_NODE, **change}, self.OPTIONS)
        assert [problem.field for problem in problems] == [field]
        assert word in lines(problems)

    @pytest.mark.parametrize(
        "change",
        [
            {"kernel": "4.19.0"},
            {"kernel": None, "distribution": None, "distribution_version": None, "addresses": None},
            {"distribution": "ubuntu", "distribution_version": "26.04"},
            {"address_secondary": "2001:db8::1"},
        ],
    )
    def test_at_the_limit_or_unknown(self, change: dict[str, Any]) -> None:
        assert checks_node.checks({**GOOD_NODE, **change}, self.OPTIONS) == []

    def test_without_a_bundle_the_architecture_is_not_judged(self) -> None:
        assert checks_node.checks({**GOOD_NODE, "arch": "arm64"}, {**self.OPTIONS, "arch": ""}) == []
