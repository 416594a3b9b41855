# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests made by kustomize."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.manifest import kustomization


def test_a_kustomization_renames_images_registry_ports_included() -> None:
    document = kustomization("module/overlay", {"a/b": "registry:5000/c/d:v1"})
    assert document["images"] == [{"name": "a/b", "newName": "registry:5000/c/d", "newTag": "v1"}]
