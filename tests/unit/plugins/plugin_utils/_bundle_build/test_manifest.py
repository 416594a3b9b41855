# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that are made of the sources of a Go module."""

from __future__ import annotations

import json
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.go import Go, Group
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.manifest import manifest_item

IMAGES = {"upstream/operator": "registry.example.org:5000/operator:v1"}


def script(path: Path, text: str) -> Path:
    """Write a program and return its path."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def group(folder: Path, sums: str = "sums") -> Group:
    folder.mkdir(exist_ok=True)
    (folder / "go.sum").write_text(sums)
    return Group(folder, {}, {}, {}, (), False, ())


def item(go: Go, own: Group, images: dict[str, str] | None = None, overlay: str = "overlay") -> tuple[Item, Item]:
    """Return the items of a manifest and of its kubectl."""
    images = IMAGES if images is None else images
    kubectl = Item("program kubectl", {}, lambda _output, _needs: {})
    return manifest_item("operator", go, own, kubectl, "example.org/op", "manifests", overlay, images), kubectl


def test_kustomize_renders_a_copy_of_the_modules_folder(tmp_path: Path) -> None:
    module = tmp_path / "module"
    (module / "manifests/overlay").mkdir(parents=True)
    (module / "manifests/overlay/x.yaml").write_text("x: 1\n")
    (module / "manifests/overlay/x.yaml").chmod(0o444)
    asked = tmp_path / "asked"
    answer = json.dumps({"Dir": str(module)})
    go = script(tmp_path / "go", f"pwd > {asked}; echo \"$@\" >> {asked}; echo '{answer}'")
    # It shows what it is to render.
    kubectl = script(
        tmp_path / "kubectl",
        'test "$1" = kustomize && test $1 = kustomize; cat $2/kustomization.yaml $2/module/overlay/x.yaml',
    )
    own = group(tmp_path / "group")
    manifest, needed = item(Go(str(go), "go1.27", "amd64"), own)
    manifest.build(tmp_path / "output", {needed.name: Made(kubectl, "", 1, {}, 0.0)})
    document, rest = json.JSONDecoder().raw_decode((tmp_path / "output").read_text())
    assert (tmp_path / "output").read_text()[rest:] == "x: 1\n"
    assert document["resources"] == ["module/overlay"]
    assert document["images"] == [
        {"name": "upstream/operator", "newName": "registry.example.org:5000/operator", "newTag": "v1"}
    ]
    assert asked.read_text() == f"{own.folder}\nmod download -json example.org/op\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asked", "go", "group", "kubectl", "module", "output"]


def test_whatever_determines_a_manifest_changes_its_key(tmp_path: Path) -> None:
    go, own = Go("/go", "go1.27", "amd64"), group(tmp_path / "a")
    kubectl = {"program kubectl": Made(tmp_path, "1", 1, {}, 0.0)}
    keys = [
        item(go, own)[0].key(kubectl),
        item(go, own, {})[0].key(kubectl),
        item(go, own, overlay="other")[0].key(kubectl),
        item(go, group(tmp_path / "b", "other"))[0].key(kubectl),
        item(go, own)[0].key({"program kubectl": Made(tmp_path, "2", 1, {}, 0.0)}),
    ]
    assert len(set(keys)) == len(keys)
    assert item(Go("/other", "go1.28", "amd64"), own)[0].key(kubectl) == keys[0], "Go only brings the sources"
