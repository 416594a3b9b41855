# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers below the programs of images: users, certificate authorities, Debian packages."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module_utils._bundle.index import sha256_of
from .._bundle.item import Item, Made
from .._common.command import run
from . import deb as bundle_deb
from . import layer as bundle_layer
from .deb import Apt, Package
from .layer import LayerWriter

_USERS = b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
_GROUPS = b"root:x:0:\nnogroup:x:65534:\n"
_NAME_SERVICES = b"passwd: files\ngroup: files\nhosts: files dns\n"
_AUTHORITIES = "usr/share/ca-certificates/mozilla/"


def package_layer_item(name: str, recipe: Mapping[str, Any], apt: Apt, system: str) -> Item:
    """Return the item of a layer made of Debian packages.

    recipe: `packages`, `dependencies` (default true), `without` (packages that would come with them and are not used)
    and `links` (path to target), as in recipes.yml.
    system: the controller's distribution, version and architecture: other ones have other packages.

    The packages' versions are those of the day it is built; they enter the images by the sum of this layer, and its
    `packages` fact names them.
    """
    packages = list(recipe["packages"])
    dependencies = bool(recipe.get("dependencies", True))
    links: Mapping[str, str] = recipe.get("links", {})
    without = set(recipe.get("without", ()))

    def build(output: Path, _needs: Mapping[str, Made]) -> Mapping[str, str]:
        fetched = [package for package in apt.fetch(packages, dependencies) if package.name not in without]
        with LayerWriter(output) as layer:
            _add_base(layer)
            for package in fetched:
                bundle_deb.add_package(layer, package)
            for path, target in links.items():
                layer.link(path, target)
            _add_authorities(layer, fetched)
        versions = {package.name: package.version for package in fetched}
        return {"diff_id": layer.diff_id, "packages": json.dumps(versions, sort_keys=True)}

    inputs = {"recipe": json.dumps(dict(recipe), sort_keys=True), "system": system, "writer": sources(__file__)}
    return Item(name=f"layer {name}", inputs=inputs, build=build)


def sources(*more: str) -> str:
    """Return one sum over the code that writes layers, and `more` files: what they write changes with them."""
    own = [bundle_deb.__file__, bundle_layer.__file__]
    return ",".join(sha256_of(path) for path in [*own, *more])


def _add_base(layer: LayerWriter) -> None:
    bundle_deb.add_merged_links(layer)
    layer.data("etc/passwd", _USERS)
    layer.data("etc/group", _GROUPS)
    layer.data("etc/nsswitch.conf", _NAME_SERVICES)
    layer.directory("root", 0o700)
    layer.directory("tmp", 0o1777)
    layer.directory("run")
    layer.directory("var/lib")


def _add_authorities(layer: LayerWriter, packages: list[Package]) -> None:
    """Add the one file that programs read, which the package itself only makes when it is installed."""
    certificates = next((package for package in packages if package.name == "ca-certificates"), None)
    if certificates is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        run(["dpkg-deb", "--extract", str(certificates.path), folder])
        parts = [path.read_bytes() for path in sorted(Path(folder, _AUTHORITIES).glob("*.crt"))]
    layer.data("etc/ssl/certs/ca-certificates.crt", b"".join(parts))
