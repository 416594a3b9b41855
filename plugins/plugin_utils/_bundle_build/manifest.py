# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that lie in the Go module of the program that they install."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .._bundle.item import Item, Made
from .._bundle.manifest import MODULE, render
from .go import Go, Group, module_folder


def manifest_item(
    name: str, go: Go, group: Group, kubectl: Item, module: str, folder: str, overlay: str, images: Mapping[str, str]
) -> Item:
    """Return the item of a manifest made by kustomize.

    group, module: where the manifests lie. folder, overlay: below the module, and below that folder.
    images: name of an image in the manifests to the full name with tag that the release has for it.
    """

    def build(output: Path, needs: Mapping[str, Made]) -> Mapping[str, str]:
        with tempfile.TemporaryDirectory(dir=output.parent) as temporary:
            # kustomize only reads below its own root, and the module cache is not writable.
            shutil.copytree(
                module_folder(go, group, module) / folder, Path(temporary, MODULE), copy_function=shutil.copy
            )
            output.write_text(render(Path(temporary), overlay, images, needs[kubectl.name].path))
        return {}

    inputs = {
        "pins": (group.folder / "go.sum").read_text(),
        "where": json.dumps([module, folder, overlay]),
        "images": json.dumps(dict(images), sort_keys=True),
    }
    return Item(name=f"manifest {name}", inputs=inputs, build=build, needs=(kubectl,))
