# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images: layers below, one program on top."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .._bundle.item import Item, Made
from .._common.command import run
from . import oci as bundle_oci
from .base import sources
from .layer import MEDIA_TYPE, LayerWriter
from .oci import Config, Layer

_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin"


@dataclass(frozen=True)
class Recipe:
    """How an image is put together.

    layers: items, lowest first. program: the item that is laid on top of them at `path`, None when there is none.
    entrypoint: whether that program is what the image runs. cmd, env: as in an image's configuration.
    """

    layers: tuple[Item, ...]
    program: Item | None = None
    path: str = ""
    entrypoint: bool = False
    cmd: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


def image_item(name: str, ref: str, recipe: Recipe, architecture: str) -> Item:
    """Return the item of an image, an OCI archive; its `digest` fact is what containerd shows once it is imported."""
    entrypoint = [f"/{recipe.path}"] if recipe.entrypoint else []
    # Static pods call their program by name.
    config = Config(env=[_PATH, *recipe.env], entrypoint=entrypoint, cmd=recipe.cmd)

    def build(output: Path, needs: Mapping[str, Made]) -> Mapping[str, str]:
        layers = [_layer(needs[item.name]) for item in recipe.layers]
        if recipe.program is not None:
            layers.append(_program_layer(output.with_suffix(".layer"), recipe.path, needs[recipe.program.name]))
        digest = bundle_oci.write_archive(output, ref, architecture, layers, config)
        output.with_suffix(".layer").unlink(missing_ok=True)
        return {"digest": digest}

    inputs = {
        "ref": ref,
        "architecture": architecture,
        "path": recipe.path,
        "config": json.dumps([config.env, config.entrypoint, config.cmd]),
        "writer": sources(__file__, bundle_oci.__file__),
    }
    program = (recipe.program,) if recipe.program is not None else ()
    return Item(name=f"image {name}", inputs=inputs, build=build, needs=recipe.layers + program)


def pause_item(source: Path) -> Item:
    """Return the item of the pause program, which is a page of C."""
    argv = ["gcc", "-Os", "-Wall", "-Werror", "-static", "-s"]

    def build(output: Path, _needs: Mapping[str, Made]) -> Mapping[str, str]:
        run([*argv, "-o", str(output), str(source)])
        output.chmod(0o755)
        return {}

    return Item(name="program pause", inputs={"source": source.read_text(), "argv": json.dumps(argv)}, build=build)


def _layer(made: Made) -> Layer:
    return Layer(made.path, made.sha256, made.size, made.facts["diff_id"], MEDIA_TYPE)


def _program_layer(path: Path, place: str, program: Made) -> Layer:
    with LayerWriter(path) as layer:
        layer.file(place, program.path, 0o755)
    return Layer.of(path, layer.diff_id, MEDIA_TYPE)
