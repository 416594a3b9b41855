"""What the collection says of itself agrees with what it is."""

from __future__ import annotations

import re

from tests.unit.contracts import tree

GALAXY = tree.load(tree.ROOT / "galaxy.yml")
DEVELOPMENT = (".ansible", ".ci", ".config", "benchmarks", "molecule", "tests", "Makefile", "pyproject.toml")
REQUIREMENTS = (
    "requirements.txt",
    "requirements-dev.txt",
    "benchmarks/requirements.txt",
    "tests/lab/support/hardening/requirements.txt",
)


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


def test_python_requirements_are_pinned() -> None:
    for name in REQUIREMENTS:
        lines = (tree.ROOT / name).read_text().splitlines()
        entries = [line for line in lines if line and not line.startswith(("#", "-r "))]
        loose = [entry for entry in entries if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][\w.]*", entry)]
        assert not loose, f"{name}: {loose}"


def test_each_pinned_dependency_is_explained() -> None:
    explained = (tree.ROOT / "docs" / "dependencies.md").read_text()
    pinned = [
        line.partition("==")[0]
        for name in REQUIREMENTS
        for line in (tree.ROOT / name).read_text().splitlines()
        if "==" in line
    ]
    missing = [name for name in [*pinned, *GALAXY["dependencies"]] if f"`{name}`" not in explained]
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
