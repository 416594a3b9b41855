# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.volumes import add_shared_volumes, volume_name

PART = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
CLAIM = st.lists(PART, min_size=1, max_size=3).map(".".join)


def test_names_that_are_read_with_ease() -> None:
    assert volume_name("data") == "claim-data"
    assert volume_name("c" * 57) == f"claim-{'c' * 57}"
    assert volume_name("c" * 58) != volume_name("c" * 59)


@given(CLAIM, CLAIM)
def test_a_name_for_each_claim(one: str, other: str) -> None:
    name = volume_name(one)
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name)
    assert (name == volume_name(other)) is (one == other)


def test_nothing_shared_changes_nothing() -> None:
    spec: dict[str, object] = {"containers": []}
    container = {"name": "a"}
    add_shared_volumes(spec, container, [])
    assert (spec, container) == ({"containers": []}, {"name": "a"})
