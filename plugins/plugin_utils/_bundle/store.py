# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where built items are kept, by content: nothing is built twice, and nothing half-made is ever taken for made."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ...module_utils._bundle.index import sha256_of
from .._common.lock import locked
from .item import Item, Made

_OUTPUT = "output"
_META = "meta.json"


class Store:
    """A folder with one folder for each item, named by the item's key."""

    def __init__(self, root: Path) -> None:
        """root: the store's folder; made when something is put into it."""
        self._root = root

    def find(self, key: str) -> Made | None:
        """Return the item that is kept under a key, None when there is none."""
        try:
            return self._read(key)
        except FileNotFoundError:
            return None

    def _read(self, key: str) -> Made:
        folder = self._root / key
        meta = json.loads((folder / _META).read_text())
        return Made(folder / _OUTPUT, meta["sha256"], meta["size"], meta["facts"], meta["seconds"])

    def make(
        self,
        item: Item,
        needs: Mapping[str, Made],
        on_start: Callable[[], None] = lambda: None,
        on_wait: Callable[[], None] = lambda: None,
    ) -> tuple[Made, bool]:
        """Return the item, built when it is not kept yet, and whether it was built now.

        on_start: called before it is built. on_wait: called when another run is building it and this one waits.
        Raises BuildError.
        """
        key = item.key(needs)
        kept = self.find(key)
        if kept is not None:
            return kept, False
        self._root.mkdir(parents=True, exist_ok=True)
        with locked(self._root / f"{key}.lock", on_wait):
            kept = self.find(key)
            if kept is not None:
                return kept, False
            on_start()
            return self._build(key, item, needs), True

    def sweep(self) -> None:
        """Remove what killed runs left half-made; what a live run is building stays."""
        for unfinished in self._root.glob("*.unfinished"):
            with open(unfinished.with_suffix(".lock"), "a") as stream:
                try:
                    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                shutil.rmtree(unfinished, ignore_errors=True)

    def drop(self, made: Made) -> None:
        """Forget an item whose file is no longer what was built."""
        (made.path.parent / _META).unlink(missing_ok=True)
        shutil.rmtree(made.path.parent, ignore_errors=True)

    def _build(self, key: str, item: Item, needs: Mapping[str, Made]) -> Made:
        unfinished = self._root / f"{key}.unfinished"
        # Left by a run that was killed; the lock says that nobody works in it any more.
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        started = time.monotonic()
        output = unfinished / _OUTPUT
        facts = dict(item.build(output, needs))
        seconds = round(time.monotonic() - started, 1)
        meta = {
            "name": item.name,
            "inputs": dict(item.inputs),
            "sha256": sha256_of(str(output)),
            "size": output.stat().st_size,
            "facts": facts,
            "seconds": seconds,
        }
        (unfinished / _META).write_text(json.dumps(meta, indent=2, sort_keys=True))
        for name in (_OUTPUT, _META):
            _sync(unfinished / name)
        final = self._root / key
        # Only an item without its meta file can be in the way: one that was dropped while a file of it was open.
        shutil.rmtree(final, ignore_errors=True)
        unfinished.rename(final)
        _sync(self._root)
        return self._read(key)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
