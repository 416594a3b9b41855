# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/gang-scheduling.md: its tables say of each scheduler what the code writes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.backend import Backend, Group
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS, GROUPS
from tests.support.paths import ROOT

LINES = (ROOT / "docs" / "gang-scheduling.md").read_text(encoding="utf-8").splitlines()
FULL = Group(2, "high", 60, "team-a", {"cpu": Decimal(1)})


@pytest.mark.parametrize("backend", GROUPS, ids=lambda backend: f"{backend.name} {backend.api_version}")
def test_what_is_written_for_each(backend: Backend) -> None:
    (row,) = [line for line in LINES if line.startswith(f"| `{backend.name}`") and backend.api_version in line]
    said = [key for key in backend.spec(FULL) if key not in ("schedulingPolicy", "podGroups")]
    for word in (*said, backend.mark[-1], backend.scheduler, "minCount" if "min" not in str(said) else "minMember"):
        assert word in row


@pytest.mark.parametrize("name", BACKENDS)
def test_which_options_each_has(name: str) -> None:
    (row, *_more) = [line for line in LINES if line.startswith(f"| `{name}`")]
    options = {word for word in ("queue", "timeout", "scheduler") if f"`{word}`" in row.split("|")[4]}
    assert options == {"queue", "timeout", "scheduler"} & set(BACKENDS[name].extras)
