# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a release to the items of its bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.module_utils.common.yaml import yaml_load

from ...module_utils._common.problem import Problem, report
from .._bundle.item import Item, Target, recipe_of
from .._common.command import BuildError
from .base import package_layer_item
from .deb import Apt
from .go import Go, Group, group_of, program_item, read_groups
from .images import Recipe, image_item, pause_item
from .manifest import manifest_item
from .python import Command, data_item, wheel_layer_item

# Gang scheduler -> why no bundle that is built can hold it.
NOT_BUILT = {"volcano": "Volcano's Go module cannot be compiled alone, so that its images come from upstream"}


@dataclass(frozen=True)
class Tools:
    """What builds: the Go toolchain, the controller's packages, pip; and the controller's system with its version."""

    go: Go
    apt: Apt
    pip: Command
    system: str


class Plan:
    """The items of one release. Raises BuildError when a recipe is missing."""

    def __init__(self, release: Mapping[str, Any], recipes: Path, tools: Tools, tests: Path | None = None) -> None:
        """recipes: the folder with recipes.yml, go/, python/ and pause.c. tests: more module groups, for `tests`."""
        self._release = release
        self._folder = recipes
        self._tools = tools
        self._recipes = yaml_load((recipes / "recipes.yml").read_text())
        self._groups = read_groups(recipes / "go") + (read_groups(tests) if tests else [])
        self._layers: dict[str, Item] = {}

    def bundle(self) -> list[Target]:
        """Return the files of the bundle, in the order in which they are built."""
        targets = [self._program(name) for name in self._release["programs"]]
        images = {**self._release["images"], **self._release["built_images"]}
        targets += [self._image(name, ref) for name, ref in images.items()]
        targets += [self._manifest(name) for name in self._release["manifests"]]
        targets += [self._data(name) for name in self._release["data"]]
        return targets

    def tests(self, programs: Sequence[str]) -> list[Target]:
        """Return the files of the folder with the programs that tests run as plain processes."""
        return [self._program(name) for name in programs]

    def _program(self, name: str) -> Target:
        return Target(self._program_item(name), "program", name, f"bin/{name}", "0755")

    def _program_item(self, name: str) -> Item:
        if name == "pause":
            return pause_item(self._folder / "pause.c")
        return program_item(self._tools.go, self._group(name), name)

    def _group(self, program: str) -> Group:
        return group_of(self._groups, program, self._release["components"])

    def _image(self, name: str, ref: str) -> Target:
        recipe = self._recipe("images", name)
        program = recipe.get("program")
        parts = Recipe(
            layers=tuple(self._layer(layer) for layer in recipe["layers"]),
            program=self._program_item(program) if program else None,
            path=recipe.get("path", ""),
            entrypoint=recipe.get("entrypoint", False),
            cmd=tuple(recipe.get("cmd", ())),
            env=tuple(recipe.get("env", ())),
        )
        item = image_item(name, ref, parts, self._tools.go.architecture)
        return Target(item, "image", name, f"images/{name}.tar", "0644", ref)

    def _layer(self, name: str) -> Item:
        if name not in self._layers:
            recipe = self._recipe("layers", name)
            self._layers[name] = (
                self._wheel_layer(name, recipe) if "requirements" in recipe else self._deb_layer(name, recipe)
            )
        return self._layers[name]

    def _deb_layer(self, name: str, recipe: Mapping[str, Any]) -> Item:
        return package_layer_item(name, recipe, self._tools.apt, f"{self._tools.system} {self._tools.go.architecture}")

    def _wheel_layer(self, name: str, recipe: Mapping[str, Any]) -> Item:
        return wheel_layer_item(
            name,
            self._requirements(recipe["requirements"]),
            list(recipe["imports"]),
            self._layer(recipe["python"]),
            self._tools.pip,
            self._tools.go.architecture,
        )

    def _manifest(self, name: str) -> Target:
        recipe = self._recipe("manifests", name)
        item = manifest_item(
            name,
            self._tools.go,
            self._group(recipe["program"]),
            self._program_item("kubectl"),
            recipe["module"],
            recipe["folder"],
            recipe["overlay"],
            {image: self._release["images"][ours] for image, ours in recipe["images"].items()},
        )
        return Target(item, "manifest", name, f"manifests/{name}.yaml", "0644")

    def _data(self, name: str) -> Target:
        recipe = self._recipe("data", name)
        item = data_item(name, self._requirements(recipe["requirements"]), recipe["member"], self._tools.pip)
        return Target(item, "data", name, f"data/{name}", "0644")

    def _requirements(self, component: str) -> Path:
        version = str(self._release["components"][component])
        path = self._folder / "python" / component / version / "requirements.txt"
        if not path.is_file():
            raise BuildError(f"no requirements for {component} {version}: {path} is missing")
        return path

    def _recipe(self, section: str, name: str) -> Mapping[str, Any]:
        return recipe_of(self._release, self._recipes, section, name)


def check_buildable(gang_scheduler: str) -> None:
    """Raise BuildError when a bundle that is built cannot hold what was chosen."""
    if gang_scheduler in NOT_BUILT:
        way_out = (
            "Make the bundle with mlstack_bundle_source: upstream, on a machine that reaches it; or choose another "
            "gang scheduler: mlstack_gang_scheduler: native"
        )
        problem = Problem("mlstack_bundle_source", "build", NOT_BUILT[gang_scheduler], way_out)
        raise BuildError(report([problem]))
