# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a release to the items of its bundle, downloaded from upstream."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.common.yaml import yaml_load

from .._download.download import Downloader
from . import upstream
from .download_item import download_item, gunzip_item, member_item
from .item import Item, Target, recipe_of
from .manifest import downloaded_manifest_item
from .progress import Progress
from .pull import pulled_image_item

UPSTREAM = "upstream"


class UpstreamPlan:
    """The items of one release for one architecture. Raises BuildError that names all that the release lacks."""

    def __init__(
        self,
        release: Mapping[str, Any],
        recipes: Path,
        architecture: str,
        controller: str,
        downloader: Downloader,
        progress: Progress,
    ) -> None:
        """recipes: the folder with recipes.yml. architecture, controller: what runs on the nodes, and here."""
        upstream.check(release)
        self._release = release
        self._section = release["upstream"]
        self._recipes = yaml_load((recipes / "recipes.yml").read_text())
        self._architecture = architecture
        self._controller = controller
        self._downloader = downloader
        self._progress = progress

    def bundle(self) -> list[Target]:
        """Return the files of the bundle."""
        targets = [self._program(name) for name in self._release["programs"]]
        targets += [self._image(name, ref) for name, ref in self._release["images"].items()]
        targets += [self._manifest(name) for name in self._release["manifests"]]
        targets += [self._data(name) for name in self._release["data"]]
        return targets

    def _program(self, name: str) -> Target:
        item, download = self._program_items(name, self._architecture)
        return Target(item, "program", name, f"bin/{name}", "0755", None, UPSTREAM, download)

    def _program_items(self, name: str, architecture: str) -> tuple[Item, Item]:
        holder = self._section["programs"][name]
        other = "" if architecture == self._architecture else f" for {architecture}"
        if "member" not in holder:
            item = self._download(f"program {name}{other}", holder["download"], architecture)
            return item, item
        archive = self._download(f"archive {holder['download']}{other}", holder["download"], architecture)
        return member_item(f"program {name}{other}", archive, holder["member"]), archive

    def _image(self, name: str, ref: str) -> Target:
        digest = upstream.image_pin(self._release, name, self._architecture)
        item = pulled_image_item(name, ref, self._architecture, digest, self._downloader, self._progress)
        return Target(item, "image", name, f"images/{name}.tar", "0644", ref, UPSTREAM, item)

    def _manifest(self, name: str) -> Target:
        download = self._section["manifests"][name]["download"]
        if not self._section["downloads"][download].get("tree"):
            # Not sources that a manifest is made from, but the manifest itself.
            item = self._download(f"manifest {name}", download, self._architecture)
            return Target(item, "manifest", name, f"manifests/{name}.yaml", "0644", None, UPSTREAM, item)
        archive = self._download(f"archive {download}", download, self._architecture)
        # It renders the manifest here, whatever the nodes are.
        kubectl, _download = self._program_items("kubectl", self._controller)
        recipe = recipe_of(self._release, self._recipes, "manifests", name)
        images = {image: self._release["images"][ours] for image, ours in recipe["images"].items()}
        item = downloaded_manifest_item(name, archive, kubectl, recipe["folder"], recipe["overlay"], images)
        return Target(item, "manifest", name, f"manifests/{name}.yaml", "0644", None, UPSTREAM, archive)

    def _data(self, name: str) -> Target:
        holder = self._section["data"][name]
        packed = holder.get("unpack") == "gzip"
        download = self._download(f"{'archive' if packed else 'data'} {name}", holder["download"], self._architecture)
        item = gunzip_item(f"data {name}", download) if packed else download
        return Target(item, "data", name, f"data/{name}", "0644", None, UPSTREAM, download)

    def _download(self, item_name: str, name: str, architecture: str) -> Item:
        source = upstream.source(self._release, name, architecture)
        return download_item(item_name, source, self._downloader, self._progress)
