# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every release of the collection has all its recipes, and a program's key holds what determines it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import in_order
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    known_releases,
    load_release,
    of_gang_scheduler,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.deb import Apt
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.plan import Plan, Tools
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from tests.unit.plugins.plugin_utils._bundle_build.recipes import GO, RECIPES, TESTS


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
