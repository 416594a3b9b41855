# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""podman as a client: what belongs to a lab, read as data. All that a lab makes carries the lab's name as a label."""

from __future__ import annotations

import json
import shutil
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

LABEL = "trainyard.mlstack.lab"
SPEC_LABEL = "trainyard.mlstack.spec"

Run = Callable[[List[str]], Tuple[int, str, str]]


class PodmanError(Exception):
    """podman refused; the text is what it said."""


class Container(NamedTuple):
    """A container. lab: the lab it belongs to, or empty. spec: what it was made from. state: podman's word for it."""

    name: str
    lab: str
    spec: str
    state: str


class Network(NamedTuple):
    """A network. subnets: as text, like 10.70.3.0/24. interface: the bridge on this machine."""

    name: str
    lab: str
    subnets: Tuple[str, ...]
    interface: str


class Volume(NamedTuple):
    """A named volume."""

    name: str
    lab: str


class Podman:
    """Runs podman. run: takes an argument list, returns status, output and errors."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def call(self, *argv: str) -> str:
        """Run `podman` with these arguments and return its output; raise PodmanError when it fails."""
        status, out, errors = self._run(["podman"] + list(argv))
        if status != 0:
            raise PodmanError("podman {}: {}".format(" ".join(argv[:2]), errors.strip() or out.strip()))
        return out

    def status(self, *argv: str) -> Tuple[int, str]:
        """Run `podman` with these arguments and return its status and output."""
        return self._run(["podman"] + list(argv))[:2]

    def remove_containers(self, names: Sequence[str]) -> None:
        """Remove these containers at once, running or not."""
        if names:
            self.call("rm", "--force", "--time", "0", *names)

    def remove_volumes(self, names: Sequence[str]) -> None:
        """Remove these volumes."""
        if names:
            self.call("volume", "rm", *names)

    def remove_networks(self, names: Sequence[str]) -> None:
        """Remove these networks."""
        if names:
            self.call("network", "rm", *names)

    def _list(self, *argv: str) -> List[Dict[str, Any]]:
        if shutil.which("podman") is None:
            return []
        return list(json.loads(self.call(*argv, "--format", "json") or "[]") or [])

    def containers(self) -> List[Container]:
        """Return all containers of this machine, stopped ones too."""
        return [
            Container(
                name=row["Names"][0],
                lab=_label(row.get("Labels"), LABEL),
                spec=_label(row.get("Labels"), SPEC_LABEL),
                state=row["State"].lower(),
            )
            for row in self._list("ps", "--all")
        ]

    def networks(self) -> List[Network]:
        """Return all networks of this machine."""
        return [
            Network(
                name=row["name"],
                lab=_label(row.get("labels"), LABEL),
                subnets=tuple(item["subnet"] for item in row.get("subnets") or []),
                interface=row.get("network_interface", ""),
            )
            for row in self._list("network", "ls")
        ]

    def volumes(self) -> List[Volume]:
        """Return all named volumes of this machine."""
        return [Volume(row["Name"], _label(row.get("Labels"), LABEL)) for row in self._list("volume", "ls")]


def _label(labels: Any, name: str) -> str:
    return str((labels or {}).get(name, ""))
