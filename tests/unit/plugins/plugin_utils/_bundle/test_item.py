# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items of a bundle: their keys and the order in which they are built."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Made, in_order
from tests.support.written_items import writes


def test_a_changed_input_another_name_and_a_changed_need_give_another_key() -> None:
    need = writes("need", "layer y")
    item = writes("x", needs=(need,))

    def made(digest: str) -> dict[str, Made]:
        return {"layer y": Made(Path("/"), digest, 1, {}, 0)}

    keys = {
        item.key(made("a")),
        item.key(made("b")),
        writes("x", inputs={"argv": "2"}, needs=(need,)).key(made("a")),
        writes("x", name="program z", needs=(need,)).key(made("a")),
    }
    assert len(keys) == 4
    assert item.key(made("a")) in keys


def test_needs_come_first_and_everything_once() -> None:
    base = writes("b", "layer base")
    one, two = (writes(name, f"image {name}", needs=(base,)) for name in ("one", "two"))
    assert [item.name for item in in_order((one, two, one))] == ["layer base", "image one", "image two"]
