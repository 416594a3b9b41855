"""Filters are thin doors to tested functions, and ansible-doc knows each of them."""

from __future__ import annotations

import importlib

import pytest

from tests.unit.contracts import tree

FOLDER = tree.ROOT / "plugins" / "filter"
PLUGINS = sorted(path.stem for path in FOLDER.glob("*.py"))


def names(plugin: str) -> set[str]:
    """Return the filters of one file."""
    module = importlib.import_module(f"ansible_collections.trainyard.mlstack.plugins.filter.{plugin}")
    return set(module.FilterModule().filters())


@pytest.mark.parametrize("plugin", PLUGINS)
def test_each_filter_is_documented(plugin: str) -> None:
    for name in names(plugin):
        documented = tree.load(FOLDER / f"{name}.yml")
        assert documented["DOCUMENTATION"]["name"] == name
        assert f"trainyard.mlstack.{name}" in documented["EXAMPLES"]


def test_each_document_has_its_filter() -> None:
    documented = {path.stem for path in FOLDER.glob("*.yml")}
    assert documented == {name for plugin in PLUGINS for name in names(plugin)}
