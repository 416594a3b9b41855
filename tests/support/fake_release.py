# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small release whose upstream is played by a file server and a registry in this process."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.support.fake_registry import FakeRegistry
from tests.support.fake_upstream import Upstream, certificate

NAME = "2027.01"
ARCHITECTURES = ("amd64", "arm64")
MANIFEST = "overlays/standalone/all.yaml"
# It prints the kustomization that it is to render, so that the manifest shows what it was made of.
KUBECTL = f"#!/bin/sh\ncat $2/kustomization.yaml $2/module/{MANIFEST}\n".encode()


class FakeRelease:
    """The release's folder and servers. `pinned`: whether sums and digests stand in the release."""

    def __init__(self, folder: Path, pinned: bool = True) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        key, self.authority = certificate(folder)
        self.server = Upstream(key)
        self.registry = FakeRegistry(key)
        self.registries = {"registry.example.org": self.registry.address}
        self.document = self._document()
        if pinned:
            self._pin()
        self.write()

    def write(self) -> None:
        """Write the release as it is now."""
        (self.folder / f"{NAME}.yml").write_text(yaml.safe_dump(self.document, sort_keys=False))

    def options(self) -> dict[str, Any]:
        """Return the option `network` of the tasks that reach it."""
        return {"ca_certificates": [str(self.authority)], "registries": self.registries}

    def variables(self) -> dict[str, Any]:
        """Return what a user's inventory would say."""
        return {
            "mlstack_release": NAME,
            "mlstack_release_dirs": [str(self.folder)],
            "mlstack_ca_certificates": [str(self.authority)],
            "mlstack_bundle_registries": self.registries,
        }

    def _document(self) -> dict[str, Any]:
        downloads = {
            "kubectl": self._program("kubectl", dict.fromkeys(ARCHITECTURES, KUBECTL)),
            "tool": self._program("tool.tgz", {name: archive({"bin/tool": name.encode()}) for name in ARCHITECTURES}),
            "operator": self._one("operator.tar.gz", archive({f"op-1/manifests/{MANIFEST}": b"x: 1\n"})),
            "digits": self._one("digits.csv.gz", gzip.compress(b"1,2,3\n", mtime=0)),
        }
        downloads["operator"] |= {"tree": "manifests", "sha256": {"any": _tree_sum(MANIFEST, b"x: 1\n")}}
        self.images = {name: self.registry.image("pause", "", name) for name in ARCHITECTURES}
        self.registry.index("pause", "3.10", {f"linux/{name}": image for name, image in self.images.items()})
        return {
            "release": NAME,
            "components": {"kubernetes": "1.0.0", "training_operator": "1.0.0"},
            "programs": {"kubectl": "kubernetes", "tool": "kubernetes"},
            "images": dict.fromkeys(("pause", "training-operator"), "registry.example.org/pause:3.10"),
            "manifests": {"training-operator": "training_operator"},
            "data": {"digits.csv": "training_operator"},
            "upstream": {
                "downloads": downloads,
                "programs": {"kubectl": {"download": "kubectl"}, "tool": {"download": "tool", "member": "bin/tool"}},
                "manifests": {"training-operator": {"download": "operator"}},
                "data": {"digits.csv": {"download": "digits", "unpack": "gzip"}},
                "images": {},
            },
        }

    def _program(self, name: str, content: dict[str, bytes]) -> dict[str, Any]:
        for architecture, data in content.items():
            self.server.put(f"/v1.0.0/{architecture}/{name}", data)
            listed = f"{'0' * 64}  other\n{hashlib.sha256(data).hexdigest()}  {name}\n"
            self.server.put(f"/v1.0.0/{architecture}/{name}.sha256", listed.encode())
        address = f"{self.server.address}/v{{version}}/{{arch}}/{name}"
        return {"component": "kubernetes", "address": address, "published": "{address}.sha256"}

    def _one(self, name: str, content: bytes) -> dict[str, Any]:
        address = self.server.put(f"/{name}", content)
        sums = {"any": hashlib.sha256(content).hexdigest()}
        return {"component": "training_operator", "address": address, "sha256": sums}

    def _pin(self) -> None:
        upstream = self.document["upstream"]
        for name in ("kubectl", "tool"):
            path = upstream["downloads"][name]["address"].removeprefix(self.server.address)
            files = {arch: path.format(version="1.0.0", arch=arch) for arch in ARCHITECTURES}
            upstream["downloads"][name]["sha256"] = {
                arch: self.server.files[file].sha256 for arch, file in files.items()
            }
        upstream["images"] = {"pause": dict(self.images), "training-operator": dict(self.images)}


@contextmanager
def fake_release(folder: Path, pinned: bool = True) -> Iterator[FakeRelease]:
    """Serve a release while the block runs."""
    release = FakeRelease(folder, pinned)
    release.server.start()
    release.registry.start()
    try:
        yield release
    finally:
        release.server.stop()
        release.registry.stop()


def archive(files: dict[str, bytes]) -> bytes:
    """Return a tar archive with these files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as packed:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _tree_sum(path: str, content: bytes) -> str:
    return hashlib.sha256(f"{hashlib.sha256(content).hexdigest()}  {path}\n".encode()).hexdigest()
