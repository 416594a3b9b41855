# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle is made of: items that are built once and kept by content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._common.command import BuildError


@dataclass(frozen=True)
class Made:
    """An item that lies in the store.

    path: the one file that it is.
    sha256, size: of that file; size in bytes.
    facts: what dependents and the index need to know about it, for example an image's digest.
    seconds: how long it took to build.
    """

    path: Path
    sha256: str
    size: int
    facts: Mapping[str, str]
    seconds: float


Build = Callable[[Path, Mapping[str, Made]], Mapping[str, str]]
"""Builds an item: gets the path to write and the made needs by name; returns the item's facts. Raises BuildError."""


@dataclass(frozen=True)
class Item:
    """Something that can be built.

    name: unique, for example `program kubelet`.
    inputs: everything that determines the output, as text; the needs' outputs are added by `key`.
    needs: the items whose outputs go into it.
    download: it waits for other machines, so that several are made at a time.
    """

    name: str
    inputs: Mapping[str, str]
    build: Build = field(repr=False, compare=False)
    needs: tuple[Item, ...] = ()
    download: bool = field(default=False, compare=False)

    def key(self, needs: Mapping[str, Made]) -> str:
        """Return the name of the item's place in the store.

        The needs enter by the sum of their output, not by their own key: what did not change in them rebuilds nothing.
        """
        sums = {need.name: needs[need.name].sha256 for need in self.needs}
        text = json.dumps({"name": self.name, "inputs": dict(self.inputs), "needs": sums}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:40]


def in_order(items: tuple[Item, ...]) -> list[Item]:
    """Return the items and all that they need, each once, needs first, otherwise in the given order."""
    ordered: dict[str, Item] = {}

    def visit(item: Item) -> None:
        for need in item.needs:
            visit(need)
        ordered.setdefault(item.name, item)

    for item in items:
        visit(item)
    return list(ordered.values())


@dataclass(frozen=True)
class Target:
    """A file of the bundle and the item that it is a copy of. Fields as in the index.

    download: the item of the download that it is or that it was taken from.
    """

    item: Item
    kind: str
    name: str
    path: str
    mode: str
    ref: str | None = None
    source: str = "build"
    download: Item | None = None


def recipe_of(release: Mapping[str, Any], recipes: Mapping[str, Any], section: str, name: str) -> Mapping[str, Any]:
    """Return one recipe of a section of recipes.yml. Raises BuildError when a release names one that is not there."""
    known: Mapping[str, Mapping[str, Any]] = recipes[section]
    if name not in known:
        raise BuildError(
            f"release {release['release']} names {section}.{name}, which has no recipe; there is: {', '.join(known)}"
        )
    return known[name]
