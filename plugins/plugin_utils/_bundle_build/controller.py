# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller: its architecture, and what it has to build with."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

from .._common.command import BuildError
from .deb import Apt
from .go import Go, find_go, minimum_go, read_groups
from .plan import Tools

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def controller_architecture() -> str:
    """Return the architecture of this machine, as Go names it. Raises BuildError."""
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise BuildError(f"bundles are made on {' and '.join(_ARCHITECTURES)}, this controller is {machine}")
    return _ARCHITECTURES[machine]


def find_tools(
    go: Sequence[str], pip: Sequence[str], recipes: Path, cache: Path, architecture: str, predicted: bool
) -> Tools:
    """Return what builds for an architecture, which must be the controller's own. Raises BuildError.

    go: names or paths of `go` programs. predicted: whether nothing is built, so that Go need not be there.
    """
    controller = controller_architecture()
    if architecture != controller:
        raise BuildError(
            f"a bundle for {architecture} cannot be built on {controller}: set mlstack_bundle_source: upstream,"
            f" or run this on a machine with {architecture}"
        )
    return Tools(go=_go(go, recipes, architecture, predicted), apt=Apt(cache / "apt"), pip=pip, system=_system())


def _go(candidates: Sequence[str], recipes: Path, architecture: str, predicted: bool) -> Go:
    try:
        return find_go(candidates, minimum_go(read_groups(recipes / "go")), architecture)
    except BuildError:
        if not predicted:
            raise
        # What would install it was only predicted, too: with an unknown Go everything would be built.
        return Go(path="", version="unknown", architecture=architecture)


def _system() -> str:
    """Return the distribution and version: another one has other packages."""
    about = platform.freedesktop_os_release()
    return f"{about.get('ID', '')} {about.get('VERSION_ID', '')}"
