# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in columns."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.columns import columns


def test_columns_are_as_wide_as_their_widest_cell_and_lines_end_without_blanks() -> None:
    assert columns([("a", "long", "x"), ("bcd", "e", "")]) == "a    long  x\nbcd  e"
