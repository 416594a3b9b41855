# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words by which kinds say that they are ready or have failed."""

# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.ends import Ends
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.readiness import (
    FAILED,
    READY,
    WAITING,
    readiness,
)
from tests.unit.plugins.module_utils._kube.live_objects import live


@pytest.mark.parametrize(
    ("status", "state", "word"),
    [
        ({"phase": "Succeeded"}, READY, ""),
        ({"phase": "Error", "message": "no disk"}, FAILED, "no disk"),
        ({"phase": "Running"}, WAITING, "status.phase is Running"),
        ({}, WAITING, "status.phase is not set yet"),
        ({"phase": None}, WAITING, "status.phase is not set yet"),
    ],
)
def test_what_the_user_says_of_a_kind(status: dict[str, Any], state: str, word: str) -> None:
    own = {("example.test", "Widget"): Ends("status.phase", ["Succeeded"], ["Failed", "Error"])}
    answer = readiness(live("Widget", status), own)
    assert answer.state == state
    assert word in answer.reason


def test_the_users_word_comes_before_ours() -> None:
    own = {("scheduling.volcano.sh", "Queue"): Ends("status.state", ["Open", "Closed"])}
    assert readiness(live("Queue", {"state": "Closed"}), own).state == READY


def test_a_path_that_leads_through_text_says_nothing() -> None:
    own = {("example.test", "Widget"): Ends("status.state.phase", ["Done"])}
    assert readiness(live("Widget", {"state": "Done"}), own).state == WAITING
