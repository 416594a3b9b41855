# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in columns. Pure."""

from __future__ import annotations

from typing import Sequence


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as lines, each column as wide as its widest cell. All rows have the same number of cells."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
