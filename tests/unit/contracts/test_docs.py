"""What the documentation takes from the code is up to date, and one variable has one default."""

from __future__ import annotations

import re
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

from dev import docs as make_docs
from tests.unit.contracts import tree

LINK = re.compile(r"\]\(([^)\s]+)\)")
ARCHITECTURE = (tree.ROOT / "docs" / "architecture.md").read_text()
IGNORED = tree.load(tree.ROOT / "galaxy.yml")["build_ignore"]
USE = re.compile(r"\b(mlstack_\w+) \| default\(('[^'~]*'|\[\]|\{\}|\d+|true|false)\)")


def test_pages_are_up_to_date() -> None:
    stale = [path for path, text in make_docs.pages().items() if not path.exists() or path.read_text() != text]
    assert not stale, f"run dev/docs.py: {tree.names(stale)}"


def test_a_variable_has_the_same_default_everywhere() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for path in tree.files():
        if path.suffix in (".yml", ".j2") and path.is_relative_to(tree.ROOT / "roles"):
            for name, default in USE.findall(path.read_text()):
                found[name].add(default)
    assert found
    assert {name: sorted(defaults) for name, defaults in found.items() if len(defaults) > 1} == {}


def test_architecture_names_each_role_and_playbook() -> None:
    missing = [name for name in [*tree.ROLES, *tree.PLAYBOOKS] if f"`{name}`" not in ARCHITECTURE]
    assert not missing, f"docs/architecture.md does not say what these do: {missing}"


def test_architecture_names_each_package_and_no_other_private_name() -> None:
    packages = {path.parent.name for path in tree.files() if re.search(r"plugins/(module|plugin)_utils/_", str(path))}
    named = set(re.findall(r"(?<![\w.>])_[a-z]\w*", ARCHITECTURE))
    rows = set(re.findall(r"^\| `(_\w+)` \|", ARCHITECTURE, re.MULTILINE))
    assert packages
    assert rows == named == packages


def test_architecture_is_short() -> None:
    assert len(ARCHITECTURE.split()) <= 1600


def in_artifact(path: Path) -> bool:
    """Return True if the built collection has the file."""
    parts = path.relative_to(tree.ROOT).parts
    names = {str(Path(*parts[: count + 1])) for count in range(len(parts))}
    return not any(fnmatch(name, pattern) for name in names for pattern in IGNORED)


def test_links_of_the_artifact_lead_to_files_of_the_artifact() -> None:
    files = {path for path in tree.files() if in_artifact(path)}
    known = files | {folder for path in files for folder in path.parents}
    pages = [path for path in files if path.suffix == ".md"]
    assert tree.ROOT / "README.md" in pages
    assert tree.ROOT / "CONTRIBUTING.md" not in pages
    dead = {
        f"{page.relative_to(tree.ROOT)}: {link}"
        for page in pages
        for link in LINK.findall(page.read_text())
        if "://" not in link and not link.startswith("#")
        if (page.parent / link.partition("#")[0]).resolve() not in known
    }
    assert dead == set()


def test_readme_has_a_table_of_public_modules_and_roles() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (module|role) \|", (tree.ROOT / "README.md").read_text(), re.MULTILINE)
    assert rows == [(name, kind) for name, kind, _does in make_docs.public()]
    assert {("tfjob", "module"), ("node", "role")} <= set(rows)
    assert not {("node_info", "module"), ("preflight", "role")} & set(rows)


def test_contributing_names_files_that_exist() -> None:
    text = (tree.ROOT / "CONTRIBUTING.md").read_text()
    named = {re.sub(r"<\w+>", "*", path) for path in re.findall(r"`(plugins/[\w/<>]+\.py)`", text)}
    named.remove("plugins/*/_*/*.py")
    assert len(named) >= 5
    assert [path for path in sorted(named) if not list(tree.ROOT.glob(path))] == []
    assert [link for link in LINK.findall(text) if not (tree.ROOT / link).exists()] == []
