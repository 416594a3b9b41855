# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a pod on a KWOK node ends: annotations for pods, played by the stages in kwok_stages.

A pod that says nothing runs on and on. ends: exit, evicted, lost (its node is gone: nobody ends it), image, stuck.
after: how long it runs first. index: only the replica of this number ends so. exit-code: of the container that trains.
sidecar: exit code of every other container; they run on without.
"""

from __future__ import annotations

from typing import Any

_PREFIX = "test.trainyard.mlstack"
LOST_NODE = f"{_PREFIX}/lost"


def exits(code: int, after: str = "1s") -> dict[str, Any]:
    """All containers end with this status; where the pod's policy says so they are started again in the same pod."""
    return _annotations(ends="exit", after=after, **{"exit-code": str(code)})


def evicted(after: str = "1s") -> dict[str, Any]:
    """The kubelet evicts the pod for want of memory."""
    return _annotations(ends="evicted", after=after)


def only(index: int, play: dict[str, Any]) -> dict[str, Any]:
    """Only the replica of this number ends like this; the others run on."""
    return {"pod_annotations": {**play["pod_annotations"], f"{_PREFIX}/index": str(index)}}


def lost() -> dict[str, Any]:
    """Nobody ends the pod when it is deleted: its node is gone."""
    return _annotations(ends="lost")


def no_image() -> dict[str, Any]:
    """The image cannot be pulled."""
    return _annotations(ends="image")


def stuck() -> dict[str, Any]:
    """The kubelet never says a word about the pod."""
    return _annotations(ends="stuck")


def sidecar_exits(code: int) -> dict[str, Any]:
    """Every container but the one that trains ends; that one runs on."""
    return _annotations(sidecar=str(code))


def _annotations(**values: str) -> dict[str, Any]:
    return {"pod_annotations": {f"{_PREFIX}/{key}": value for key, value in values.items()}}
