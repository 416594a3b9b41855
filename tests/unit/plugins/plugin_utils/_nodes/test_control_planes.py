# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.control_planes import (
    LeaderError,
    leader,
    servers,
)

DONE = {"address": "192.0.2.11", "kubernetes": {"admin_conf": True, "stage": "done"}}
HALF = {"address": "192.0.2.12", "kubernetes": {"admin_conf": True, "stage": "half"}}
WORKER = {"address": "192.0.2.14", "kubernetes": {"admin_conf": False, "stage": "done"}}
BARE = {"address": "192.0.2.13", "kubernetes": {"admin_conf": False, "stage": "none"}}
DEAD: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("planes", "expected"),
    [
        pytest.param({"a": BARE, "b": BARE}, "a", id="nothing is there yet"),
        pytest.param({"a": BARE, "b": DONE, "c": DONE}, "b", id="the first one is new"),
        pytest.param({"a": HALF, "b": DONE}, "b", id="the first one is half-made"),
        pytest.param({"a": DEAD, "b": DONE}, "b", id="the first one is gone"),
        pytest.param({"a": WORKER, "b": BARE}, "a", id="a worker is no control plane"),
        pytest.param({"a": DEAD}, "a", id="the only one does not answer"),
    ],
)
def test_who_starts_or_invites(planes: dict[str, Any], expected: str) -> None:
    assert leader(planes) == expected


@pytest.mark.parametrize("planes", [{"a": BARE, "b": DEAD}, {"a": DEAD, "b": HALF}])
def test_no_second_cluster_is_made_beside_one_that_may_be_there(planes: dict[str, Any]) -> None:
    with pytest.raises(LeaderError, match="could not be read"):
        leader(planes)


def test_servers_are_those_that_are_known() -> None:
    assert servers({"a": DEAD, "b": DONE, "c": BARE}) == [
        {"name": "b", "address": "192.0.2.11"},
        {"name": "c", "address": "192.0.2.13"},
    ]
