# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pod security standard `restricted` asks of a pod, by name."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.security import container_security, pod_security


def test_the_pod_meets_the_restricted_standard() -> None:
    assert pod_security()["runAsNonRoot"] is True
    assert pod_security()["runAsUser"] != 0
    assert pod_security()["seccompProfile"] == {"type": "RuntimeDefault"}


def test_the_container_meets_the_restricted_standard() -> None:
    assert container_security()["allowPrivilegeEscalation"] is False
    assert container_security()["capabilities"] == {"drop": ["ALL"]}


def test_nobody_can_change_it_for_others() -> None:
    pod_security()["runAsUser"] = 0
    assert pod_security()["runAsUser"] != 0
