"""Programs of the bundle's images, as programs of this machine: the image's files, unpacked once and kept."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import sha256_of
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.layer import unpack
from tests.support.paths import ARCHITECTURE, CACHE, bundle_dir

_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_LOADERS = {"amd64": "lib64/ld-linux-x86-64.so.2", "arm64": "lib/ld-linux-aarch64.so.1"}


def python_of(image: str) -> Path:
    """Return a program that is the image's python3. image: its name in the release."""
    archive = bundle_dir() / f"images/{image}.tar"
    assert archive.is_file(), f"{archive} is missing: run `make bundle`"
    root = unpacked(archive)
    program = root / "python"
    if not program.is_file():
        program.write_text(_script(root))
        program.chmod(0o755)
    return program


def unpacked(archive: Path) -> Path:
    """Return the folder with the files of an image."""
    root = CACHE / "tests" / f"{archive.stem}-{sha256_of(str(archive))[:12]}"
    whole = root / "unpacked"
    if not whole.is_file():
        shutil.rmtree(root, ignore_errors=True)
        _unpack_archive(archive, root)
        whole.touch()
    return root


def _unpack_archive(archive: Path, root: Path) -> None:
    blobs = root / "unpacking"
    blobs.mkdir(parents=True)
    with tarfile.open(archive) as layout:
        layout.extractall(blobs, filter="data")

    def blob(digest: str) -> Path:
        return blobs / "blobs" / digest.replace(":", "/")

    index = json.loads((blobs / "index.json").read_bytes())
    manifest = json.loads(blob(index["manifests"][0]["digest"]).read_bytes())
    for layer in manifest["layers"]:
        unpack(blob(layer["digest"]), root)
    shutil.rmtree(blobs)


def _script(root: Path) -> str:
    """Return a script that runs it through the image's own loader, so with its own libraries; no root is needed."""
    libraries = f"{root}/usr/lib/{_MACHINES[ARCHITECTURE]}-linux-gnu:{root}/usr/lib"
    settings = f"PYTHONHOME={root}/usr PYTHONPATH={root}/usr/lib/python3/dist-packages"
    loader = f"{root}/{_LOADERS[ARCHITECTURE]} --library-path {libraries}"
    return f'#!/bin/sh\n{settings} exec {loader} {root}/usr/bin/python3 "$@"\n'
