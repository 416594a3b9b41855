# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_disruption import (
    failure_policy,
    ignores,
    keep_policy,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.cluster import (
    NEWEST,
    Cluster,
    RecordingCluster,
)

SERVICE: dict[str, Any] = {"kind": "Service", "spec": {"ports": []}}


def batch(policy: bool = True) -> dict[str, Any]:
    spec = {"backoffLimit": 0, **({"podFailurePolicy": failure_policy("Never")} if policy else {})}
    return {"kind": "Job", "spec": spec}


def pod(status: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": "DisruptionTarget", "status": status}]}}


def test_only_pods_that_do_not_start_again_by_themselves() -> None:
    assert failure_policy("OnFailure") is None
    (rule,) = (failure_policy("Never") or {})["rules"]
    assert (rule["action"], rule["onPodConditions"]) == ("Ignore", [{"type": "DisruptionTarget", "status": "True"}])


@pytest.mark.parametrize(
    ("job", "seen", "told"),
    [
        (batch(), pod("True"), True),
        (batch(), pod("False"), False),
        (batch(), {}, False),
        (batch(policy=False), pod("True"), False),
    ],
)
def test_what_a_job_does_not_count(job: dict[str, Any], seen: dict[str, Any], told: bool) -> None:
    assert ignores(job, seen) is told


def test_a_live_job_keeps_what_it_was_made_with() -> None:
    assert keep_policy(batch(), batch()) == batch()
    assert keep_policy(batch(), batch(policy=False)) == batch(policy=False)
    assert keep_policy(SERVICE, {"kind": "Service"}) == SERVICE


def test_a_server_that_does_not_know_the_policy_is_not_sent_one() -> None:
    class Old(Cluster):
        def is_at_least(self, minor: int) -> bool:
            return minor < 26

    old = RecordingCluster(Old())
    assert failure_policy("Never", old) is None
    assert failure_policy("Never") is not None
    assert old.answers == {("is_at_least", 26): False}


def test_nobody_is_asked_without_need() -> None:
    cluster = RecordingCluster(NEWEST)
    assert failure_policy("OnFailure", cluster) is None
    assert cluster.answers == {}
