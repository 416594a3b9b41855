# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests made by kustomize from the sources of the program that they install."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .._common.command import run
from .download_item import unpack_folder
from .item import Item, Made

MODULE = "module"


def downloaded_manifest_item(
    name: str, archive: Item, kubectl: Item, folder: str, overlay: str, images: Mapping[str, str]
) -> Item:
    """Return the item of a manifest made by kustomize from a downloaded source archive.

    kubectl: one that runs on the controller. folder, overlay: below the archive, and below that folder.
    images: name of an image in the manifests to the full name with tag that the release has for it.
    """

    def build(output: Path, needs: Mapping[str, Made]) -> Mapping[str, str]:
        with tempfile.TemporaryDirectory(dir=output.parent) as temporary:
            unpack_folder(needs[archive.name].path, folder, Path(temporary))
            Path(temporary, folder).rename(Path(temporary, MODULE))
            kubectl_here = Path(temporary, "kubectl")
            shutil.copy(needs[kubectl.name].path, kubectl_here)
            kubectl_here.chmod(0o755)
            output.write_text(render(Path(temporary), overlay, images, kubectl_here))
        return {}

    inputs = {"where": json.dumps([folder, overlay]), "images": json.dumps(dict(images), sort_keys=True)}
    return Item(name=f"manifest {name}", inputs=inputs, build=build, needs=(archive, kubectl))


def render(root: Path, overlay: str, images: Mapping[str, str], kubectl: Path) -> str:
    """Return what kustomize makes of the overlay in folder `module` of the root, with the release's images."""
    document = kustomization(f"{MODULE}/{overlay}", images)
    (root / "kustomization.yaml").write_text(json.dumps(document))
    return run([str(kubectl), "kustomize", str(root)])


def kustomization(resource: str, images: Mapping[str, str]) -> dict[str, object]:
    """Return a kustomization that takes a folder as it is, but for the names of images."""
    renamed = []
    for name, ref in images.items():
        new_name, _colon, tag = ref.rpartition(":")
        renamed.append({"name": name, "newName": new_name, "newTag": tag})
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [resource],
        "images": renamed,
    }
