# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of packages below the programs of images."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build import base as bundle_base
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build import images as bundle_images
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.deb import Apt, Package
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.layer import unpack
from tests.unit.plugins.plugin_utils._bundle_build.built_items import build

CONTROL = "Package: {name}\nVersion: 1.0\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"


class FewPackages(Apt):
    """Package sources with a package of certificate authorities."""

    def fetch(self, names: Sequence[str], dependencies: bool) -> list[Package]:
        folder = self._root / "tree"
        authorities = folder / "usr/share/ca-certificates/mozilla"
        authorities.mkdir(parents=True, exist_ok=True)
        (authorities / "B.crt").write_text("two\n")
        (authorities / "A.crt").write_text("one\n")
        (folder / "DEBIAN").mkdir(exist_ok=True)
        (folder / "DEBIAN/control").write_text(CONTROL.format(name=names[0]))
        path = self._root / "ca-certificates_1.0_all.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", folder, path], check=True, capture_output=True)
        return [Package(names[0], "1.0", path)]


def test_a_package_layer_has_users_a_place_for_files_links_and_authorities(tmp_path: Path) -> None:
    recipe = {"packages": ["ca-certificates"], "links": {"usr/local/bin/python": "/usr/bin/python3"}}
    made = build(tmp_path, bundle_base.package_layer_item("static", recipe, FewPackages(tmp_path), "debian 12"))
    root = tmp_path / "root"
    root.mkdir()
    unpack(made.path, root)
    assert (root / "etc/ssl/certs/ca-certificates.crt").read_text() == "one\ntwo\n"
    assert (root / "etc/passwd").read_text().startswith("root:x:0:0:")
    assert (root / "usr/local/bin/python").readlink() == Path("/usr/bin/python3")
    assert (root / "lib").readlink() == Path("usr/lib")
    assert (root / "tmp").stat().st_mode & 0o777 == 0o777
    assert json.loads(made.facts["packages"]) == {"ca-certificates": "1.0"}


def test_a_layer_depends_on_its_recipe_and_on_the_controllers_system(tmp_path: Path) -> None:
    recipe = {"packages": ["iptables"]}
    layers = [
        bundle_base.package_layer_item("iptables", recipe, Apt(tmp_path), "debian 12"),
        bundle_base.package_layer_item("iptables", recipe, Apt(tmp_path), "ubuntu 24.04"),
        bundle_base.package_layer_item("iptables", {**recipe, "links": {"a": "b"}}, Apt(tmp_path), "debian 12"),
    ]
    assert len({layer.key({}) for layer in layers}) == 3


def test_every_part_of_the_code_that_writes_layers_is_in_their_keys() -> None:
    assert len(set(bundle_base.sources(bundle_images.__file__).split(","))) == 3
