"""galaxy.yml, the changelog and version_added agree."""

from __future__ import annotations

import re

from packaging.version import Version

from tests.unit.contracts import tree

VERSION = str(tree.load(tree.ROOT / "galaxy.yml")["version"])
RELEASES = tree.load(tree.ROOT / "changelogs" / "changelog.yaml")["releases"]
ADDED = re.compile(r"^\s*version_added: *['\"]?([\w.-]+)", re.MULTILINE)


def newest(versions: list[str]) -> str:
    """Return the highest version."""
    return max(versions, key=Version)


def test_galaxy_has_the_newest_release_or_the_one_that_its_fragments_make() -> None:
    fragments = list((tree.ROOT / "changelogs" / "fragments").glob("*.yml"))
    released = newest(list(RELEASES))
    assert released == VERSION or (fragments and Version(VERSION) > Version(released))


def test_changelog_page_begins_with_the_newest_release() -> None:
    page = (tree.ROOT / "CHANGELOG.md").read_text().replace("\\", "")
    assert re.findall(r"^## v(\S+)$", page, re.MULTILINE) == sorted(RELEASES, key=Version, reverse=True)


def test_each_release_has_a_summary() -> None:
    assert [version for version, release in RELEASES.items() if "release_summary" not in release["changes"]] == []


def test_nothing_was_added_in_a_version_that_does_not_exist() -> None:
    found = {
        f"{path.relative_to(tree.ROOT)}: {version}": version
        for path in tree.files()
        if path.is_relative_to(tree.ROOT / "plugins") or path.is_relative_to(tree.ROOT / "roles")
        if path.suffix in (".py", ".yml")
        for version in ADDED.findall(path.read_text())
    }
    assert len(found) > 20
    assert [place for place, version in found.items() if version not in {*RELEASES, VERSION}] == []
