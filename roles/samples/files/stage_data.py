# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put one file on the shared volume, once: `stage_data.py SOURCE DESTINATION`.

Runs as the init container of every pod of a job, so several copies of it may run at the same time on different nodes.
The file appears under its name complete or not at all, and an equal one is left as it is.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import sys
import tempfile
from pathlib import Path


def stage(source: Path, destination: Path) -> bool:
    """Copy `source` to `destination` unless an equal file is there; return whether it was copied."""
    if destination.is_file() and filecmp.cmp(source, destination, shallow=False):
        return False
    destination.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, because a rename is atomic only inside one file system.
    handle, name = tempfile.mkstemp(prefix=f".{destination.name}.", dir=destination.parent)
    try:
        with os.fdopen(handle, "wb") as target, source.open("rb") as origin:
            shutil.copyfileobj(origin, target)
            target.flush()
            os.fsync(target.fileno())
        os.chmod(name, 0o644)
        os.replace(name, destination)
    except BaseException:
        os.unlink(name)
        raise
    return True


def main(arguments: list[str]) -> int:
    """Stage the file that the command line names."""
    if len(arguments) != 2:
        print("usage: stage_data.py SOURCE DESTINATION", file=sys.stderr)
        return 2
    source, destination = Path(arguments[0]), Path(arguments[1])
    copied = stage(source, destination)
    print(f"{destination}: {'copied' if copied else 'already there'}, {destination.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
