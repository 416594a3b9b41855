# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scheduler that knows gangs is told: one row for each of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from .._kube.resource import Manifest

KIND = "PodGroup"


@dataclass(frozen=True)
class Group:
    """What a PodGroup says, whatever the scheduler.

    least: pods that start together. priority: name of their priority class, or empty. resources: what so many of the
    pods ask for at the very least.
    """

    least: int
    priority: str = ""
    timeout: Optional[int] = None
    queue: str = ""
    resources: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True)
class Backend:
    """One scheduler that knows gangs.

    name: in option gang.backend. title: for people. api_version, kind: of its PodGroup; a Queue, where it has them, is
    of the same version. spec: of its PodGroup. mark: where in a pod template the group is named. marked: what stands
    there for a group of this name. least: where a PodGroup says how many pods start together. way_out: how a cluster
    without it gets it. scheduler: schedulerName of the pods; empty when the default one does it. extras: the options
    beyond min_available that it has. fixed: keys of the spec that a live PodGroup does not change. longest: how long
    its name may be.
    """

    name: str
    title: str
    api_version: str
    spec: Callable[[Group], Manifest]
    mark: Tuple[str, ...]
    marked: Callable[[str], Any]
    least: Tuple[str, ...]
    way_out: str
    kind: str = KIND
    scheduler: str = ""
    extras: Tuple[str, ...] = ()
    fixed: Tuple[str, ...] = ()
    longest: int = 253

    @property
    def identity(self) -> Tuple[str, str]:
        """Return what its PodGroups are to the API server."""
        return self.api_version, self.kind

    def manifest(self, name: str, namespace: str, group: Group) -> Manifest:
        """Return a PodGroup."""
        metadata = {"name": name, "namespace": namespace}
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, "spec": self.spec(group)}


def given(**fields: Any) -> Dict[str, Any]:
    """Return those fields that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", {})}


def quantities(resources: Mapping[str, Decimal]) -> Dict[str, str]:
    """Return amounts as an object holds them; nothing asked for is nothing said."""
    return {name: format(value.normalize(), "f") for name, value in sorted(resources.items()) if value}
