# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.pod_reason import pod_reason

SCHEDULED = {"type": "PodScheduled", "status": "True"}


def pod(
    phase: str, *containers: dict[str, Any], init: list[dict[str, Any]] | None = None, **status: Any
) -> dict[str, Any]:
    found = {"phase": phase, "containerStatuses": list(containers), "initContainerStatuses": init or [], **status}
    return {"status": {"conditions": [SCHEDULED], **found}}


def container(name: str = "main", last: dict[str, Any] | None = None, **state: Any) -> dict[str, Any]:
    return {"name": name, "state": state, **({"lastState": {"terminated": last}} if last else {})}


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (pod("Running", container(running={})), ""),
        (pod("Succeeded", container(terminated={"exitCode": 0})), ""),
        (pod("Pending", conditions=[]), "not scheduled yet"),
        (
            pod(
                "Pending",
                conditions=[{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3"}],
            ),
            "Unschedulable: 0/3",
        ),
        (pod("Pending", container(waiting={"reason": "ContainerCreating"})), "container main: ContainerCreating"),
        (
            pod(
                "Pending",
                container(waiting={"reason": "PodInitializing"}),
                init=[container("i", terminated={"exitCode": 2})],
            ),
            "container i: exit code 2 (Error)",
        ),
        (
            pod(
                "Pending",
                container(waiting={"reason": "PodInitializing"}),
                init=[
                    {**container("proxy", running={"startedAt": "t"}), "ready": True},
                    {**container("wait", running={"startedAt": "t"}), "ready": False},
                    container("next", waiting={"reason": "PodInitializing"}),
                ],
            ),
            "init container wait has not ended yet",
        ),
        (
            pod(
                "Pending",
                container(waiting={"reason": "PodInitializing"}),
                init=[{**container("proxy", running={"startedAt": "t"}), "ready": True}],
            ),
            "container main: PodInitializing",
        ),
        (
            pod(
                "Running",
                container(waiting={"reason": "CrashLoopBackOff"}, last={"exitCode": 137, "reason": "OOMKilled"}),
            ),
            "container main: CrashLoopBackOff, last exit code 137 (OOMKilled)",
        ),
        (pod("Failed", container(), reason="Evicted", message="disk pressure"), "Evicted: disk pressure"),
        (
            pod("Failed", container(terminated={"exitCode": 1, "reason": "Error"})),
            "container main: exit code 1 (Error)",
        ),
    ],
)
def test_pod_reason(item: dict[str, Any], reason: str) -> None:
    assert pod_reason(item) == reason
