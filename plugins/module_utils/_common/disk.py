# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Room on a host's disks, and what to say when there is none. Python 3.8, standard library only."""

from __future__ import annotations

import os
from typing import Callable, Dict, Mapping, Optional

_MEGABYTE = 1_000_000


def mount_of(path: str) -> str:
    """Return the mount point of the file system on which a path lies, or would lie once it was made."""
    path = os.path.abspath(path)
    while not os.path.ismount(path):
        path = os.path.dirname(path)
    return path


def free_bytes(path: str) -> int:
    """Return what root can still write on the file system of a path."""
    found = os.statvfs(mount_of(path))
    return found.f_bfree * found.f_frsize


def full_disk(path: str, needed: int, what: str, free: Optional[int] = None) -> str:
    """Return the sentence for a disk without room. needed: bytes. free: bytes, looked up when None."""
    return no_room(mount_of(path), needed, what, free_bytes(path) if free is None else free)


def no_room(mount: str, needed: int, what: str, free: int) -> str:
    """Return the sentence for a disk, given by its mount point, that has less than `needed` of its bytes free."""
    return (
        f"no room for {what} on the disk at {mount}: {free // _MEGABYTE} MB are free, "
        f"at least {-(-needed // _MEGABYTE)} MB are needed. Make room there and run the playbook again"
    )


def lacking_room(needs: Mapping[str, int], what: str, free: Callable[[str], int] = free_bytes) -> Optional[str]:
    """Return the sentence for the first disk that cannot take what it shall, None when all can.

    needs: path -> bytes; paths on one file system are counted together.
    """
    wanted: Dict[str, int] = {}
    for path, size in needs.items():
        mount = mount_of(path)
        wanted[mount] = wanted.get(mount, 0) + size
    for mount, size in sorted(wanted.items()):
        left = free(mount)
        if left < size:
            return no_room(mount, size, what, left)
    return None
