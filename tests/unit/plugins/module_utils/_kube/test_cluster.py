# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a renderer may ask of a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.cluster import (
    NEWEST,
    LiveCluster,
    RecordingCluster,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError


class Server:
    """Serves PodGroups, answers with a version or with an error, and counts how often it was asked for that."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, 0
        self.client = self.discovery = self

    def call(self, method: str, path: str) -> Any:
        assert (method, path) == ("GET", "/version")
        self.asked += 1
        if isinstance(self.answer, ApiError):
            raise self.answer
        return {"major": "1", "minor": self.answer}

    def served(self, api_version: str, kind: str) -> None:
        if kind != "PodGroup":
            raise KindUnknown(api_version, kind)


def live(answer: Any = "37") -> tuple[Server, LiveCluster]:
    server = Server(answer)
    return server, LiveCluster(server)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "known"),
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
def test_a_version_is_read_once(answer: Any, known: bool) -> None:
    server, cluster = live(answer)
    assert [cluster.is_at_least(26), cluster.is_at_least(26)] == [known, known]
    assert server.asked == 1


def test_a_server_that_does_not_answer() -> None:
    with pytest.raises(ApiError):
        live(ApiError(500, "", "down"))[1].is_at_least(26)


def test_what_it_serves() -> None:
    server, cluster = live()
    assert cluster.serves("v1", "PodGroup")
    assert not cluster.serves("v1", "Workload")
    assert server.asked == 0


def test_assumptions_are_held_against_a_cluster() -> None:
    server, cluster = live("24")
    assumed = RecordingCluster(NEWEST)
    assert cluster.agrees(assumed.answers)
    assert assumed.serves("v1", "PodGroup")
    assert cluster.agrees(assumed.answers)
    assert server.asked == 0
    assert assumed.is_at_least(26)
    assert not cluster.agrees(assumed.answers)
    other = RecordingCluster(NEWEST)
    assert other.serves("v1", "Workload")
    assert not cluster.agrees(other.answers)
    assert NEWEST.agrees(other.answers)
