# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what kubeadm requires of a host."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import kubernetes as checks_kubernetes
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_NODE


class TestKubernetes:
    """What kubeadm asks of a host."""

    OPTIONS = {
        "control_plane": True,
        "min_cpus": 2,
        "min_memory_mb": 1700,
        "min_worker_memory_mb": 900,
        "fail_cgroup_v1": True,
    }

    def test_good(self) -> None:
        assert checks_kubernetes.checks(GOOD_NODE, self.OPTIONS) == []

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"cpus": 1}, "cpus"),
            ({"memory_mb": 1699}, "memory"),
            ({"cgroup_version": 1}, "cgroups"),
            ({"packages": {"kubelet": {"version": "1.36.0"}}}, "package"),
        ],
    )
    def test_bad(self, change: dict[str, Any], field: str) -> None:
        problems = checks_kubernetes.checks({**GOOD_NODE, **change}, self.OPTIONS)
        assert [problem.field for problem in problems] == [field]

    def test_a_worker_may_be_small(self) -> None:
        options = {**self.OPTIONS, "control_plane": False}
        assert checks_kubernetes.checks({**GOOD_NODE, "cpus": 1, "memory_mb": 900}, options) == []
        problems = checks_kubernetes.checks({**GOOD_NODE, "cpus": 1, "memory_mb": 899}, options)
        assert [problem.rule for problem in problems] == ["a worker needs at least 900 MiB"]

    def test_the_old_hierarchy_can_be_accepted_by_name(self) -> None:
        options = {**self.OPTIONS, "fail_cgroup_v1": False}
        assert checks_kubernetes.checks({**GOOD_NODE, "cgroup_version": 1}, options) == []

    def test_what_cannot_be_read_is_not_judged(self) -> None:
        unknown = {"cpus": None, "memory_mb": None, "packages": None, "cgroup_version": None, "kubernetes": None}
        assert checks_kubernetes.checks({**GOOD_NODE, **unknown}, self.OPTIONS) == []
