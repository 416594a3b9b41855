# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items of a bundle that write a text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made


def writes(
    text: str, name: str = "program x", inputs: Mapping[str, str] | None = None, needs: tuple[Item, ...] = ()
) -> Item:
    """Return an item that writes the text and the contents of its needs."""

    def build(output: Path, made: Mapping[str, Made]) -> Mapping[str, str]:
        output.write_text(text + "".join(made[need.name].path.read_text() for need in needs))
        return {"length": str(len(text))}

    return Item(name=name, inputs=inputs or {"argv": "1"}, build=build, needs=needs)
