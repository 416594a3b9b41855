# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Deployments of schedulers have in common."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.scheduler_deployment import (
    conf_mark,
    one_at_a_time,
)


def test_no_two_pods_at_a_time() -> None:
    assert one_at_a_time()["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


def test_the_mark_is_the_same_for_the_same_configuration_only() -> None:
    assert conf_mark("actions: allocate\n") == conf_mark("actions: allocate\n") != conf_mark("actions: reclaim\n")
