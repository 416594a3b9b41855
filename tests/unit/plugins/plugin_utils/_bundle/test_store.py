# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items are built once, never taken for made when half-made, and rebuilt when what determines them changes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.store import Store
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.lock import locked
from tests.support.written_items import writes


def must_not_be_built(_output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
    raise AssertionError("built again")


def test_an_item_is_built_once_and_found_by_the_next_run(tmp_path: Path) -> None:
    made, built = Store(tmp_path).make(writes("one"), {})
    assert built
    again, built_again = Store(tmp_path).make(Item("program x", {"argv": "1"}, must_not_be_built), {})
    assert not built_again
    assert again == made
    assert (again.path.read_text(), again.size, again.facts) == ("one", 3, {"length": "3"})


def test_a_rebuilt_need_that_came_out_the_same_rebuilds_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    old, new = (writes("same", "layer y", {"recipe": version}) for version in "12")
    first, _built = store.make(old, {})
    second, built = store.make(new, {})
    assert built
    assert writes("x", needs=(old,)).key({"layer y": first}) == writes("x", needs=(new,)).key({"layer y": second})


def test_a_build_that_failed_leaves_nothing_that_counts_as_made(tmp_path: Path) -> None:
    def fails(output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
        output.write_text("half")
        raise BuildError("compiler says no")

    store = Store(tmp_path)
    with pytest.raises(BuildError):
        store.make(Item("program x", {"argv": "1"}, fails), {})
    made, built = store.make(writes("whole"), {})
    assert built
    assert made.path.read_text() == "whole"


def test_what_a_killed_run_left_is_built_from_the_start(tmp_path: Path) -> None:
    item = writes("whole")
    unfinished = tmp_path / f"{item.key({})}.unfinished"
    unfinished.mkdir()
    (unfinished / "output").write_text("half")
    (unfinished / "meta.json").write_text("{}")
    assert Store(tmp_path).find(item.key({})) is None
    made, _built = Store(tmp_path).make(item, {})
    assert made.path.read_text() == "whole"
    assert not unfinished.exists()


def test_leftovers_of_killed_runs_are_swept_but_not_what_a_live_run_builds(tmp_path: Path) -> None:
    for key in ("dead", "live"):
        (tmp_path / f"{key}.unfinished").mkdir()
    with locked(tmp_path / "live.lock"):
        Store(tmp_path).sweep()
    assert sorted(path.name for path in tmp_path.glob("*.unfinished")) == ["live.unfinished"]


def test_a_dropped_item_is_built_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    made, _built = store.make(writes("one"), {})
    store.drop(made)
    assert store.find(writes("one").key({})) is None
    assert store.make(writes("one"), {})[1]


def test_two_runs_build_an_item_once(tmp_path: Path) -> None:
    started, go_on = threading.Event(), threading.Event()
    waited: list[str] = []

    def slow(output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
        started.set()
        assert go_on.wait(10)
        output.write_text("slow")
        return {}

    first = threading.Thread(target=lambda: Store(tmp_path).make(Item("program x", {"argv": "1"}, slow), {}))
    first.start()
    assert started.wait(10)
    second = Item("program x", {"argv": "1"}, must_not_be_built)

    def waits() -> None:
        waited.append("yes")
        go_on.set()

    made, built = Store(tmp_path).make(second, {}, on_wait=waits)
    first.join()
    assert (built, waited, made.path.read_text()) == (False, ["yes"], "slow")


def test_a_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    for _time in range(2):
        with locked(tmp_path / "below" / "lock", lambda: pytest.fail("had to wait")):
            pass
