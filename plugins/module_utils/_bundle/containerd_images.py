# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What containerd holds of the images that a bundle brings. Python 3.8, standard library only."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Tuple

PINNED = "io.cri-containerd.pinned=pinned"

Run = Callable[[List[str]], Tuple[int, str, str]]


class Held(NamedTuple):
    """An image that containerd has: its digest, and whether the kubelet's garbage collection leaves it alone."""

    digest: str
    pinned: bool


def parse_list(text: str) -> Dict[str, Held]:
    """Read the output of `ctr images ls`: reference -> what is held under it."""
    held = {}
    for line in text.splitlines()[1:]:
        columns = line.split()
        if len(columns) >= 3:
            held[columns[0]] = Held(digest=columns[2], pinned=PINNED in columns[-1].split(","))
    return held


def differing(
    images: List[Dict[str, Any]], held: Dict[str, Held], pinned: bool
) -> Tuple[List[Dict[str, Any]], List[Dict[str, Any]]]:
    """Return the images to import and, of those that are there, the ones that still have to be pinned."""
    lacking = [image for image in images if image["ref"] not in held or held[image["ref"]].digest != image["digest"]]
    unpinned = [image for image in images if pinned and image not in lacking and not held[image["ref"]].pinned]
    return lacking, unpinned
