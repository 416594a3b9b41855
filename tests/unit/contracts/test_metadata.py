"""What the collection says of itself agrees with what it is."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.unit.contracts import tree

GALAXY = tree.load(tree.ROOT / "galaxy.yml")
DEVELOPMENT = (
    ".ansible",
    ".ci",
    ".config",
    "CONTRIBUTING.md",
    "Makefile",
    "benchmarks",
    "constraints.txt",
    "molecule",
    "pyproject.toml",
    "requirements-dev.txt",
    "tests",
)
# Requirements of other environments than .venv, each with its exact versions.
PINNED = ("constraints.txt", "benchmarks/requirements.txt", "tests/lab/support/hardening/requirements.txt")


def entries(name: str) -> list[str]:
    """Return the lines of a requirements file that name a package."""
    lines = (tree.ROOT / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-r "))]


def package(entry: str) -> str:
    """Return the package of a line as it is spelt."""
    return re.split(r"[<>=!~]", entry, maxsplit=1)[0]


def pins() -> dict[str, str]:
    """Return the version of each package in constraints.txt, by its normalized name."""
    return {canonicalize_name(package(entry)): entry.partition("==")[2] for entry in entries("constraints.txt")}


def test_artifact_leaves_out_what_is_for_development() -> None:
    missing = [name for name in DEVELOPMENT if name not in GALAXY["build_ignore"]]
    assert not missing, f"build_ignore lacks {missing}"


def test_artifact_keeps_what_a_run_reads() -> None:
    assert not {"releases", "roles", "plugins", "playbooks", "meta"} & set(GALAXY["build_ignore"])


def test_licence_is_named_and_there() -> None:
    assert GALAXY["license"] == ["GPL-3.0-or-later"]
    assert "GNU GENERAL PUBLIC LICENSE" in (tree.ROOT / "LICENSE").read_text()


def test_core_version_is_the_pinned_one() -> None:
    assert tree.load(tree.ROOT / "meta" / "runtime.yml")["requires_ansible"] == ">=2.19.0"


@pytest.mark.parametrize("name", PINNED)
def test_development_has_exact_versions(name: str) -> None:
    loose = [entry for entry in entries(name) if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][\w.]*", entry)]
    assert entries(name)
    assert not loose, f"{name}: {loose}"


def test_constraints_hold_each_package_of_development() -> None:
    wanted = {canonicalize_name(package(entry)) for entry in entries("requirements-dev.txt")}
    assert wanted
    assert sorted(wanted - set(pins())) == []


def test_users_have_ranges_that_hold_the_tested_versions() -> None:
    ranges = [Requirement(entry) for entry in entries("requirements.txt")]
    assert ranges
    for requirement in ranges:
        assert {part.operator for part in requirement.specifier} == {">=", "<"}, requirement
        assert requirement.specifier.contains(pins()[canonicalize_name(requirement.name)]), requirement


def test_execution_environment_names_files_of_the_artifact() -> None:
    named = tree.load(tree.ROOT / "meta" / "execution-environment.yml")["dependencies"]
    assert named == {"python": "requirements.txt", "system": "bindep.txt"}
    assert all((tree.ROOT / name).is_file() and name not in GALAXY["build_ignore"] for name in named.values())


def test_each_direct_dependency_is_explained() -> None:
    explained = (tree.ROOT / "docs" / "dependencies.md").read_text()
    files = ("requirements.txt", "requirements-dev.txt", *PINNED[1:])
    named = [package(entry) for name in files for entry in entries(name)]
    missing = [name for name in [*named, *GALAXY["dependencies"]] if f"`{name}`" not in explained]
    assert not missing, f"docs/dependencies.md does not say why: {missing}"


def test_collections_in_use_are_declared() -> None:
    call = re.compile(r"^\s+([a-z_]+\.[a-z_]+)\.[a-z_0-9]+:", re.MULTILINE)
    used = {
        name
        for path in tree.files()
        if path.suffix == ".yml" and path.relative_to(tree.ROOT).parts[0] in ("roles", "playbooks")
        for name in call.findall(path.read_text())
        if "tasks" in path.parts or "handlers" in path.parts or "playbooks" in path.parts
    }
    assert used - {"ansible.builtin", "trainyard.mlstack"} <= set(GALAXY["dependencies"])
