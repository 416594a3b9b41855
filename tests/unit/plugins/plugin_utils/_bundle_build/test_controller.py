# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller has to build with, and what it cannot build."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.controller import (
    controller_architecture,
    find_tools,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.go import Go
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError

MODULE = "module x\n\ngo 1.26.8\n"
RECIPE = "components: {x: '1'}\nprograms: {x: example.org/x}\n"


@pytest.fixture(autouse=True)
def debian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "debian", "VERSION_ID": "12"})


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    """A folder with one Go module."""
    folder = tmp_path / "recipes" / "go" / "x" / "1"
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text(MODULE)
    (folder / "build.yml").write_text(RECIPE)
    return tmp_path / "recipes"


def go(folder: Path, version: str) -> str:
    """Return the path of a program that plays Go."""
    path = folder / "go"
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(("machine", "architecture"), [("x86_64", "amd64"), ("aarch64", "arm64")])
def test_a_machine_is_named_as_go_names_it(monkeypatch: pytest.MonkeyPatch, machine: str, architecture: str) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert controller_architecture() == architecture


def test_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(BuildError, match=r"made on x86_64 and aarch64, this controller is riscv64"):
        controller_architecture()


def test_the_tools_are_go_and_the_system(recipes: Path, tmp_path: Path) -> None:
    path = go(tmp_path, "go1.27.0")
    tools = find_tools([path], ["pip"], recipes, tmp_path, "amd64", predicted=False)
    assert (tools.go, tools.pip, tools.system) == (Go(path, "go1.27.0", "amd64"), ["pip"], "debian 12")


def test_another_architecture_cannot_be_built(recipes: Path, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"arm64 cannot be built on amd64: set mlstack_bundle_source: upstream"):
        find_tools([], [], recipes, tmp_path, "arm64", predicted=False)


def test_go_may_be_missing_only_where_nothing_is_built(recipes: Path, tmp_path: Path) -> None:
    old = go(tmp_path, "go1.19.8")
    with pytest.raises(BuildError, match=r"Go 1\.26\.8 or newer is needed"):
        find_tools([old], [], recipes, tmp_path, "amd64", predicted=False)
    assert find_tools([old], [], recipes, tmp_path, "amd64", predicted=True).go == Go("", "unknown", "amd64")
