# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build an item with all that it needs."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made, in_order
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.store import Store


def build(root: Path, item: Item) -> Made:
    """Build an item after its needs, in a store below the folder."""
    made: dict[str, Made] = {}
    for part in in_order((item,)):
        made[part.name], _built = Store(root / "store").make(part, made)
    return made[item.name]
