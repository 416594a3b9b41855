# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.run_policy import (
    run_policy,
    run_policy_options,
)


@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ({}, {"cleanPodPolicy": "Running"}),
        ({"clean_pod_policy": "None", "suspend": True}, {"cleanPodPolicy": "None", "suspend": True}),
        (
            {"ttl_seconds_after_finished": 0, "backoff_limit": 0, "active_deadline_seconds": 1},
            {"cleanPodPolicy": "Running", "ttlSecondsAfterFinished": 0, "backoffLimit": 0, "activeDeadlineSeconds": 1},
        ),
    ],
)
def test_policy(options: dict[str, Any], policy: dict[str, Any]) -> None:
    assert run_policy(options) == (policy, [])


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("ttl_seconds_after_finished", -1, "must be at least 0"),
        ("ttl_seconds_after_finished", 2**31, "must be at most 2147483647"),
        ("backoff_limit", -1, "must be at least 0"),
        ("backoff_limit", 2**31, "must be at most 2147483647"),
        ("active_deadline_seconds", 0, "must be at least 1"),
        ("active_deadline_seconds", 2**63, "must be at most 9223372036854775807"),
    ],
)
def test_bounds(option: str, value: int, words: str) -> None:
    assert option in run_policy_options()
    (problem,) = run_policy({option: value})[1]
    assert (problem.field, problem.value) == (option, str(value))
    assert words in problem.rule
