# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of a bundle: what differs from an index, and how it is put right."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import PACKAGE, Entry, Index, write_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.folder import (
    AlteredItem,
    Change,
    apply,
    changes,
    entry_of,
    present_index,
    with_packages,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made, Target


def entry(name: str, content: str = "x", kind: str = "program") -> Entry:
    """Return the entry of a file with some content."""
    digest = hashlib.sha256(content.encode()).hexdigest()
    return Entry(f"{kind}s/{name}", kind, name, digest, len(content), "0755", "build")


def index(*entries: Entry) -> Index:
    return Index("2026.11", "amd64", list(entries))


def made(folder: Path, content: str, digest: str = "") -> Made:
    """Return an item of the store with some content; digest is what was built, that of the content if empty."""
    path = folder / f"store-{content}"
    path.write_text(content)
    return Made(path, digest or hashlib.sha256(content.encode()).hexdigest(), len(content), {}, 0.0)


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}"])
def test_an_index_that_cannot_be_read_is_none(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "index.json").write_text(text)
    assert present_index(tmp_path) is None


def test_each_difference_is_named(tmp_path: Path) -> None:
    write_index(str(tmp_path), index(entry("altered"), entry("old"), entry("fine"), entry("socat", kind=PACKAGE)))
    (tmp_path / "programs").mkdir()
    for name, content in {"altered": "y", "outdated": "y", "fine": "x", "mode": "x"}.items():
        (tmp_path / "programs" / name).write_text(content)
        (tmp_path / "programs" / name).chmod(0o644 if name == "mode" else 0o755)
    wanted = [entry(name) for name in ("missing", "altered", "outdated", "fine", "mode")]
    assert changes(tmp_path, wanted) == [
        Change("missing", "programs/missing"),
        Change("altered", "programs/altered"),
        Change("outdated", "programs/outdated"),
        Change("outdated", "programs/mode"),
        Change("surplus", "programs/old"),
    ]


def test_changes_are_carried_out_and_the_index_comes_last(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    (folder / "programs").mkdir(parents=True)
    (folder / "programs/old").write_text("x")
    wanted = index(entry("b"), entry("a"))
    apply(folder, wanted, lambda _entry: made(tmp_path, "x"), changes(folder, wanted.files))
    apply(folder, wanted, lambda _entry: made(tmp_path, "x"), [Change("surplus", "programs/old")])
    found = present_index(folder)
    assert found is not None
    assert [one.path for one in found.files] == ["programs/a", "programs/b"]
    assert sorted(path.name for path in (folder / "programs").iterdir()) == ["a", "b"]
    assert (folder / "programs/a").stat().st_mode & 0o777 == 0o755
    assert changes(folder, wanted.files) == []


def test_a_copy_is_no_link_to_the_store(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    kept = made(tmp_path, "x")
    wanted = index(entry("a"))
    apply(folder, wanted, lambda _entry: kept, changes(folder, wanted.files))
    (folder / "programs/a").write_text("altered")
    assert kept.path.read_text() == "x"


def test_a_store_that_was_altered_is_not_copied(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    wanted = index(entry("a"))
    altered = made(tmp_path, "y", entry("a").sha256)
    with pytest.raises(AlteredItem) as refused:
        apply(folder, wanted, lambda _entry: altered, changes(folder, wanted.files))
    assert refused.value.made is altered
    assert list((folder / "programs").iterdir()) == []
    assert present_index(folder) is None


def test_packages_of_the_folder_stay_in_the_index(tmp_path: Path) -> None:
    package = entry("socat", kind=PACKAGE)
    write_index(str(tmp_path), index(package, entry("old")))
    assert with_packages(tmp_path, index(entry("new"))).files == sorted(
        [package, entry("new")], key=lambda one: one.path
    )
    assert with_packages(tmp_path / "none", index(entry("new"))).files == [entry("new")]


@pytest.mark.parametrize(("facts", "digest"), [({}, None), ({"digest": "sha256:1"}, "sha256:1")])
def test_an_entry_says_how_its_download_was_checked(facts: dict[str, str], digest: str | None) -> None:
    def build(_output: Path, _needs: object) -> dict[str, str]:
        raise AssertionError("built")

    archive = Item("archive tool", {}, build)
    item = Item("program tool", {}, build, (archive,))
    target = Target(item, "program", "tool", "bin/tool", "0755", "ref:1", "upstream", archive)
    everything = {
        "program tool": Made(Path("/s"), "1" * 64, 5, facts, 0.0),
        "archive tool": Made(Path("/a"), "2" * 64, 9, {"sum": "pinned"}, 0.0),
    }
    assert entry_of(target, everything) == Entry(
        "bin/tool", "program", "tool", "1" * 64, 5, "0755", "upstream", "ref:1", digest, "pinned"
    )
