"""What the documentation takes from the code is up to date, and one variable has one default."""

from __future__ import annotations

import re
from collections import defaultdict

from dev import docs as make_docs
from tests.unit.contracts import tree

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


def test_readme_names_each_role_and_playbook() -> None:
    text = (tree.ROOT / "docs" / "architecture.md").read_text()
    missing = [name for name in [*tree.ROLES, *tree.PLAYBOOKS] if f"`{name}`" not in text]
    assert not missing, f"docs/architecture.md does not say what these do: {missing}"
