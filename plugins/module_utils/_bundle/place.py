# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put files from a bundle in place on a node, whole or not at all. Python 3.8, standard library only."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import Optional

CHUNK = 4 * 1024 * 1024


def sha256_of(path: str) -> Optional[str]:
    """Return the file's sha256 in hex, or None when there is no such file."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as handle:
            for chunk in iter(lambda: handle.read(CHUNK), b""):
                digest.update(chunk)
    except FileNotFoundError:
        return None
    return digest.hexdigest()


def mode_of(path: str) -> Optional[str]:
    """Return the permission bits as four octal digits, or None when there is no such file."""
    try:
        return "%04o" % (os.stat(path).st_mode & 0o7777)
    except FileNotFoundError:
        return None


def install(source: str, dest: str, sha256: str, mode: str) -> None:
    """Copy `source` to `dest` while its sum is checked; `dest` changes in one step, after it is safely on disk.

    Raises ValueError when the content is not the one that the bundle's index names, OSError when the disk is full;
    `dest` is then what it was and nothing else is left.
    """
    os.makedirs(os.path.dirname(dest), exist_ok=True)
    temporary = dest + ".mlstack-new"
    try:
        found = _copy(source, temporary)
        if found != sha256:
            raise ValueError(f"{dest}: sha256 is {found} after the transfer, the bundle's index says {sha256}")
        os.chmod(temporary, int(mode, 8))
        os.chown(temporary, 0, 0)
        os.rename(temporary, dest)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _copy(source: str, dest: str) -> str:
    """Copy a file onto the disk and return its sum."""
    digest = hashlib.sha256()
    with open(source, "rb") as reader, open(dest, "wb") as writer:
        for chunk in iter(lambda: reader.read(CHUNK), b""):
            digest.update(chunk)
            writer.write(chunk)
        writer.flush()
        os.fsync(writer.fileno())
    return digest.hexdigest()
