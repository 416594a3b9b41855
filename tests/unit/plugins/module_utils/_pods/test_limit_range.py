# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.limit_range import filled, range_problems
from tests.support.quotas import limit_range, lines


@pytest.mark.parametrize(
    ("resources", "limit", "words"),
    [
        ({"limits": {"cpu": 4}}, {"max": {"cpu": 4}}, None),
        ({"limits": {"cpu": 5}}, {"max": {"cpu": 4}}, "request 5, limit 5: LimitRange r wants a limit of at most 4"),
        (
            {"requests": {"cpu": 1}},
            {"max": {"cpu": 4}},
            "request 1, limit none: LimitRange r wants a limit of at most 4",
        ),
        (
            {},
            {"min": {"memory": "1Gi"}},
            "request none, limit none: LimitRange r wants a request and a limit of at least 1Gi",
        ),
        ({"limits": {"memory": "512Mi"}}, {"min": {"memory": "1Gi"}}, "request 512Mi"),
        ({"requests": {"cpu": 1}, "limits": {"cpu": 4}}, {"maxLimitRequestRatio": {"cpu": 2}}, "at most 2 times"),
        ({"requests": {"cpu": 2}, "limits": {"cpu": 4}}, {"maxLimitRequestRatio": {"cpu": 2}}, None),
        ({"requests": {"cpu": 3}, "limits": {"cpu": 6}}, {"maxLimitRequestRatio": {"cpu": 2}}, None),
        (
            {},
            {"default": {"cpu": 4}, "defaultRequest": {"cpu": 1}, "maxLimitRequestRatio": {"cpu": 2}},
            "request 1, limit 4: LimitRange r wants a limit of at most 2 times the request",
        ),
        ({}, {"min": {"cpu": 1}, "max": {"cpu": 4}, "default": {"cpu": 4}, "defaultRequest": {"cpu": 4}}, None),
    ],
)
def test_limit_ranges(resources: dict[str, Any], limit: dict[str, Any], words: str | None) -> None:
    ranges = [limit_range(**limit)]
    pod = {"containers": [{"name": "tensorflow", "resources": resources}]}
    found = lines(range_problems(filled(pod, ranges), ranges))
    assert len(found) == (1 if words else 0)
    assert words is None or words in found[0]
