# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every release of the collection has all its recipes, and a program's key holds what determines it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import in_order
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.manifest import kustomization
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    known_releases,
    load_release,
    of_gang_scheduler,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build import go as bundle_go
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.deb import Apt
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.go import (
    Go,
    find_go,
    group_of,
    minimum_go,
    program_item,
    read_groups,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.plan import Plan, Tools
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.python import (
    platform_tags,
    python_version,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from tests.support.paths import ROOT

RECIPES = ROOT / "builds"
TESTS = ROOT / "tests" / "programs"
GO = Go("/usr/bin/go", "go1.26.8", "amd64")


def plan(release: dict[str, Any]) -> Plan:
    tools = Tools(go=GO, apt=Apt(Path("/nowhere")), pip=["pip"], system="debian 12")
    return Plan(release, RECIPES, tools, TESTS)


@pytest.mark.parametrize("name", known_releases())
def test_a_bundle_holds_all_that_its_release_names(name: str) -> None:
    release = of_gang_scheduler(load_release(name), "")
    targets = plan(release).bundle()
    for kind in ("program", "image", "manifest"):
        built = release["built_images"] if kind == "image" else {}
        assert [target.name for target in targets if target.kind == kind] == [*release[f"{kind}s"], *built]
    assert [target.path for target in targets if target.kind == "data"] == [f"data/{name}" for name in release["data"]]
    assert {target.name: target.ref for target in targets if target.kind == "image"} == {
        **release["images"],
        **release["built_images"],
    }


@pytest.mark.parametrize("tier", ["api", "long"])
@pytest.mark.parametrize("name", known_releases())
def test_each_program_of_a_tier_can_be_built_at_the_versions_of_each_release(name: str, tier: str) -> None:
    programs = yaml.safe_load((TESTS / f"{tier}.yml").read_text())["bundle_test_programs"]
    targets = plan(load_release(name)).tests(programs)
    assert [target.path for target in targets] == [f"bin/{program}" for program in programs]
    assert ("bin/kube-batch" in [target.path for target in targets]) == (tier == "long")


def test_what_only_tests_run_is_no_recipe_of_the_product() -> None:
    programs = {program for group in read_groups(RECIPES / "go") for program in group.programs}
    assert not programs & {program for group in read_groups(TESTS) for program in group.programs}


def test_a_program_that_lies_in_an_image_and_in_the_test_programs_is_one_item() -> None:
    release_plan = plan(of_gang_scheduler(load_release("2026.11"), ""))
    items = in_order(tuple(target.item for target in release_plan.bundle() + release_plan.tests(["etcd"])))
    assert [item.name for item in items].count("program etcd") == 1


@pytest.mark.parametrize("name", known_releases())
def test_image_tags_are_those_that_the_release_versions_say(name: str) -> None:
    release = load_release(name)
    images, components = release["images"], release["components"]
    for program in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"):
        assert images[program].endswith(f":v{components['kubernetes']}")
    assert images["etcd"].endswith(f":{components['etcd']}-0")
    assert images["coredns"].endswith(f":v{components['coredns']}")
    assert images["flannel"].endswith(f":v{components['flannel']}")
    for image in ("vc-scheduler", "vc-controller-manager", "vc-webhook-manager"):
        assert images[image].endswith(f":v{components['volcano']}")
    assert f"{components['kube_batch']}.".startswith(release["pulled_images"]["kube-batch"].rpartition(":v")[2] + ".")
    assert images["busybox"].endswith(f":{components['busybox']}")
    assert images["tensorflow"].endswith(f":{components['tensorflow']}")


@pytest.mark.parametrize(
    ("section", "name", "expected"),
    [
        ("images", "volcano", "names images.volcano, which has no recipe; there is: kube-apiserver"),
        ("manifests", "volcano", "names manifests.volcano, which has no recipe"),
        ("programs", "vcctl", "no Go module group builds vcctl"),
    ],
)
def test_a_release_that_names_what_has_no_recipe_is_refused(section: str, name: str, expected: str) -> None:
    release = of_gang_scheduler(load_release("2026.11"), "")
    release[section] = {**release[section], name: "kubernetes"}
    with pytest.raises(BuildError, match=re.escape(expected)):
        plan(release).bundle()


def test_a_version_without_a_module_group_is_refused_with_those_that_have_one() -> None:
    release = of_gang_scheduler(load_release("2026.11"), "")
    release["components"] = {**release["components"], "runc": "9.9.9"}
    with pytest.raises(BuildError, match=r"builds runc at the release's versions; there is: runc 1\.4\.3"):
        plan(release).bundle()


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


def test_a_kustomization_renames_images_registry_ports_included() -> None:
    document = kustomization("module/overlay", {"a/b": "registry:5000/c/d:v1"})
    assert document["images"] == [{"name": "a/b", "newName": "registry:5000/c/d", "newTag": "v1"}]


def test_python_and_wheel_platforms_follow_the_packages() -> None:
    assert python_version({"bash": "5", "python3.11-minimal": "3.11.2-6"}) == "3.11"
    tags = platform_tags("2.36-9+deb12u14", "amd64")
    assert tags[0] == "manylinux_2_36_x86_64"
    assert {"manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"} <= set(tags)
    assert platform_tags("2.39-0ubuntu8", "arm64")[0] == "manylinux_2_39_aarch64"
    with pytest.raises(BuildError, match="no Python among the packages: bash"):
        python_version({"bash": "5"})
