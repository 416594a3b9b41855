# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of kubeconfigs: read, replaced, chosen and asked."""

# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeconfig import (
    choose,
    is_ready,
    server_of,
    with_server,
)
from tests.support.kubeconfig_text import TEXT


def test_puts_in_another_address() -> None:
    assert server_of(TEXT) == "127.0.0.1:7443"
    changed = with_server(TEXT, "[fd00::11]:6443")
    assert server_of(changed) == "[fd00::11]:6443"
    assert changed.replace("[fd00::11]:6443", "127.0.0.1:7443") == TEXT
    assert server_of("kind: Config\n") is None


@pytest.mark.parametrize(
    ("present", "answering", "expected"),
    [
        (None, "abc", "a"),
        ("b", "abc", "b"),
        ("b", "ac", "a"),
        ("x", "bc", "b"),
        ("b", "", "b"),
        (None, "", "a"),
    ],
)
def test_the_present_one_stays_for_as_long_as_it_answers(present: str | None, answering: str, expected: str) -> None:
    assert choose(present, ["a", "b", "c"], lambda server: server in answering) == expected


def test_nobody_listens_there() -> None:
    assert is_ready(TEXT, "127.0.0.1:1") is False
