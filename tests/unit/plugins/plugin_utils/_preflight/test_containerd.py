# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of other container runtimes on a host."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import containerd as checks_containerd
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_NODE, lines


class TestContainerd:
    """Rivals of the bundle's containerd."""

    @pytest.mark.parametrize(
        ("packages", "names"),
        [
            (None, []),
            ({}, []),
            ({"socat": {"version": "1"}}, []),
            ({"containerd.io": {"version": "1.7"}}, ["containerd.io 1.7"]),
        ],
    )
    def test_packages(self, packages: dict[str, Any] | None, names: list[str]) -> None:
        problems = checks_containerd.checks({**GOOD_NODE, "packages": packages}, {})
        assert [problem.value for problem in problems] == names

    @pytest.mark.parametrize(
        ("change", "fields", "word"),
        [
            ({"containerd": {"running": True, "ours": True, "version": "2.4.2"}}, [], ""),
            ({"containerd": {"running": None, "ours": False, "version": None}, "runtimes": None}, [], ""),
            (
                {"containerd": {"running": True, "ours": False, "version": "1.7.1"}},
                ["containerd"],
                "running, version 1.7.1",
            ),
            (
                {
                    "containerd": {"running": True, "ours": False, "version": "1.7.1"},
                    "packages": {"containerd.io": {"version": "1.7.1"}},
                },
                ["package"],
                "apt-get remove containerd.io",
            ),
            ({"runtimes": ["docker"]}, ["container runtime"], "apt-get remove docker.io"),
            ({"runtimes": ["cri-o"]}, ["container runtime"], "crio"),
        ],
    )
    def test_others_that_run(self, change: dict[str, Any], fields: list[str], word: str) -> None:
        problems = checks_containerd.checks({**GOOD_NODE, **change}, {})
        assert [problem.field for problem in problems] == fields
        assert word in lines(problems)
