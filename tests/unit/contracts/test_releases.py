"""What roles and plugins ask of a release is in each release."""

from __future__ import annotations

import re

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    OPTIONAL_SECTIONS,
    load_release,
    lookup_path,
)
from tests.unit.contracts import tree

LOOKUP = re.compile(r"lookup\(\s*'trainyard\.mlstack\.release'\s*,\s*'([^'~]+)'\s*\)")
IN_BUNDLE = {
    "programs": re.compile(r"\bbin/([a-z][\w.-]*)"),
    "images": re.compile(r"\bimages/([a-z][\w-]*)\.tar\b"),
    "manifests": re.compile(r"\bmanifests/([a-z][\w-]*)\.yaml\b"),
    "data": re.compile(r"\bdata/([a-z][\w.-]*)"),
}


def role_texts() -> list[str]:
    """Return the YAML of all roles that take something from a bundle; role bundle makes it."""
    return [
        path.read_text()
        for role in tree.ROLES
        if role not in ("bundle", "lab")
        for folder in ("defaults", "vars", "tasks")
        for path in (tree.ROOT / "roles" / role / folder).glob("*.yml")
    ]


@pytest.mark.parametrize("name", tree.RELEASES)
def test_loads(name: str) -> None:
    assert load_release(name)["release"] == name


@pytest.mark.parametrize("name", tree.RELEASES)
def test_has_what_the_lookups_name(name: str) -> None:
    release = load_release(name)
    paths = {path for text in role_texts() for path in LOOKUP.findall(text)}
    assert paths, "no role asks the release for anything: has the lookup another name?"
    for path in sorted(paths):
        assert lookup_path(release, path) or path in OPTIONAL_SECTIONS


@pytest.mark.parametrize("name", tree.RELEASES)
@pytest.mark.parametrize("section", sorted(IN_BUNDLE))
def test_has_what_is_taken_from_the_bundle(name: str, section: str) -> None:
    release = load_release(name)
    asked = {found for text in role_texts() for found in IN_BUNDLE[section].findall(_without_host_paths(text))}
    assert asked <= set(release[section])


@pytest.mark.parametrize("name", tree.RELEASES)
def test_has_the_images_that_the_roles_import(name: str) -> None:
    images = set(load_release(name)["images"])
    by_role = tree.load(tree.ROOT / "roles" / "kubernetes" / "vars" / "main.yml")["__kubernetes_images"]
    assert {image for names in by_role.values() for image in names} <= images


def _without_host_paths(text: str) -> str:
    """Drop absolute paths: /usr/local/bin/x is a place on a node."""
    return re.sub(r"(?<![\w}])/[\w./-]+", "", text)
