# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Go module groups, the toolchain that builds them, and the keys of programs."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    load_release,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build import go as bundle_go
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.go import (
    Go,
    find_go,
    group_of,
    minimum_go,
    program_item,
    read_groups,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from tests.unit.plugins.plugin_utils._bundle_build.recipes import GO, RECIPES, TESTS


def test_what_only_tests_run_is_no_recipe_of_the_product() -> None:
    programs = {program for group in read_groups(RECIPES / "go") for program in group.programs}
    assert not programs & {program for group in read_groups(TESTS) for program in group.programs}


@pytest.mark.parametrize(
    "group",
    read_groups(RECIPES / "go") + read_groups(TESTS),
    ids=lambda group: f"{group.folder.parent.name}-{group.folder.name}",
)
def test_a_module_group_pins_what_its_recipe_names(group: bundle_go.Group) -> None:
    pins = (group.folder / "go.mod").read_text()
    block = re.search(r"^tool (?:\((.*?)^\)|(\S+))$", pins, re.MULTILINE | re.DOTALL)
    assert block
    assert sorted((block[1] or block[2]).split()) == sorted(group.programs.values())
    assert group.components[group.folder.parent.name] == group.folder.name
    for version in group.components.values():
        assert f" v{version}\n" in pins


@pytest.mark.parametrize(
    "change", ["go.mod", "go.sum", "version", "architecture", "tags", "stamps", "cgo", "linker_flags"]
)
def test_whatever_determines_a_program_changes_its_key(tmp_path: Path, change: str) -> None:
    [original] = [group for group in read_groups(RECIPES / "go") if "runc" in group.programs]
    for name in ("go.mod", "go.sum"):
        (tmp_path / name).write_text((original.folder / name).read_text())
    group = dataclasses.replace(original, folder=tmp_path)
    before = program_item(GO, group, "runc").key({})
    assert program_item(dataclasses.replace(GO, path="/opt/go"), group, "runc").key({}) == before
    go = GO
    if change in ("version", "architecture"):
        go = dataclasses.replace(GO, **{change: "other"})
    elif change == "tags":
        group = dataclasses.replace(group, tags=("seccomp",))
    elif change == "stamps":
        group = dataclasses.replace(group, stamps={"main.version": "1"})
    elif change == "linker_flags":
        group = dataclasses.replace(group, linker_flags=("-checklinkname=0",))
    elif change == "cgo":
        group = dataclasses.replace(group, cgo=False)
    else:
        (tmp_path / change).write_text((tmp_path / change).read_text() + "\n")
    assert program_item(go, group, "runc").key({}) != before


def test_the_group_is_the_one_with_the_releases_versions() -> None:
    groups = read_groups(RECIPES / "go")
    versions = load_release("2026.11")["components"]
    assert group_of(groups, "crictl", versions).folder.parent.name == "kubernetes"


def test_go_must_be_as_new_as_the_newest_go_mod_asks() -> None:
    assert minimum_go(read_groups(RECIPES / "go")) == (1, 26, 8)


def fake_go(folder: Path, version: str) -> str:
    path = folder / f"go-{version}"
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return str(path)


def test_the_first_go_that_is_new_enough_is_used(tmp_path: Path) -> None:
    old, new, newer = (fake_go(tmp_path, version) for version in ("go1.19.8", "go1.26.8", "go1.27.3"))
    assert find_go(["no-such-go", old, new, newer], (1, 26, 8), "amd64") == Go(new, "go1.26.8", "amd64")


def test_without_a_go_that_is_new_enough_the_error_says_what_there_is(tmp_path: Path) -> None:
    old = fake_go(tmp_path, "go1.19.8")
    with pytest.raises(BuildError, match=r"Go 1\.26\.8 or newer is needed \(no-such-go: not there; .*: go1\.19\.8\)"):
        find_go(["no-such-go", old], (1, 26, 8), "amd64")
