# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any, cast

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_disruption import (
    as_made,
    failure_policy,
    ignores,
    known_policies,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store

SERVICE: dict[str, Any] = {"kind": "Service", "spec": {"ports": []}}


def batch(policy: bool = True) -> dict[str, Any]:
    spec = {"backoffLimit": 0, **({"podFailurePolicy": failure_policy("Never")} if policy else {})}
    return {"kind": "Job", "spec": spec}


def pod(status: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": "DisruptionTarget", "status": status}]}}


class Server:
    """Answers with a version, or with an error, and counts how often it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked, self.client = answer, 0, self

    def call(self, method: str, path: str) -> Any:
        assert (method, path) == ("GET", "/version")
        self.asked += 1
        if isinstance(self.answer, ApiError):
            raise self.answer
        return {"major": "1", "minor": self.answer}


def made(server: Server, *parts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a job as they are for a server."""
    job = Job(PS_JOB, "j", "n", {}, list(parts), [])
    none, found = known_policies(cast(Store, server), [None, job])
    assert none is None
    assert found is not None
    return list(found.parts)


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
    assert as_made(batch(), batch()) == batch()
    assert as_made(batch(), batch(policy=False)) == batch(policy=False)
    assert as_made(SERVICE, {"kind": "Service"}) == SERVICE


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("24", False),
        ("25+", False),
        ("26", True),
        ("37", True),
        ("", True),
        # Who may not ask is on a server of today.
        (ApiError(403, "Forbidden", "no"), True),
    ],
)
def test_a_server_that_does_not_know_the_policy_is_not_sent_one(answer: Any, kept: bool) -> None:
    assert made(Server(answer), SERVICE, batch()) == [SERVICE, batch(policy=kept)]


def test_nobody_is_asked_without_need() -> None:
    server = Server("24")
    assert made(server, SERVICE, batch(policy=False)) == [SERVICE, batch(policy=False)]
    assert server.asked == 0
    with pytest.raises(ApiError):
        made(Server(ApiError(500, "", "down")), batch())
