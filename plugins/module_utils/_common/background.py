# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work on a node: it goes on by itself, one at a time, and tells how far it is.

A module starts the work in a process of its own and ends at once; the action plugin of the same name follows the
progress file. When the controller dies the work still runs to its end, and the next run follows it before it starts
its own. Python 3.8, standard library only.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
import traceback
from typing import Any, Callable, Dict, Optional

RUN_DIR = "/run/trainyard"


class Progress:
    """Writes what a piece of work does, line by line, for whoever follows it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._start = time.monotonic()

    def say(self, text: str) -> None:
        """Add one line: what is being done now."""
        self._write({"text": text})

    def end(self, result: Dict[str, Any]) -> None:
        """Add the last line: the module's result."""
        self._write({"result": result})

    def _write(self, line: Dict[str, Any]) -> None:
        line["seconds"] = round(time.monotonic() - self._start, 1)
        with open(self._path, "a", encoding="utf-8") as handle:
            handle.write(json.dumps(line) + "\n")


class WorkError(Exception):
    """The work failed for a reason that the user can read as it stands."""


Work = Callable[[Progress], Dict[str, Any]]


def start(name: str, work: Work, run_dir: str = RUN_DIR) -> Dict[str, Any]:
    """Start `work` in the background and return what the follower needs.

    Returns {"follow": path of the progress file, "pid": int}. When other work holds the node's lock, the returned
    dict is that work's, with "busy": true: follow it, then call again.
    """
    os.makedirs(run_dir, mode=0o700, exist_ok=True)
    lock = os.open(os.path.join(run_dir, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = _read_holder(lock)
        os.close(lock)
        return dict(holder, busy=True)
    path = os.path.join(run_dir, f"{name}-{time.time_ns()}.progress")
    _remove_old(run_dir)
    with open(path, "w", encoding="utf-8"):
        pass  # there before the follower looks
    pid = os.fork()
    if pid == 0:
        _child(path, work)
    holder = {"follow": path, "pid": pid}
    # The lock file names its holder; the lock itself lives on in the child, which inherited the descriptor.
    os.ftruncate(lock, 0)
    os.pwrite(lock, json.dumps(holder).encode(), 0)
    os.close(lock)
    return holder


def running(run_dir: str = RUN_DIR) -> Optional[Dict[str, Any]]:
    """Return what `start` would for work that holds the node's lock now, None when there is none."""
    try:
        lock = os.open(os.path.join(run_dir, "lock"), os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return dict(_read_holder(lock), busy=True)
    finally:
        os.close(lock)
    return None


def _child(path: str, work: Work) -> None:
    """Do the work without a terminal, a session or the module's pipes; never return into the module."""
    progress = Progress(path)
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        progress.end(work(progress))
    except WorkError as error:
        progress.end({"failed": True, "msg": str(error)})
    except BaseException:  # the follower must hear of every end, whatever it is
        progress.end({"failed": True, "msg": "unexpected error on the node", "exception": traceback.format_exc()})
    finally:
        os._exit(0)


def _read_holder(lock: int) -> Dict[str, Any]:
    """Return the holder's line; it is empty for the moment between lock and write."""
    for _attempt in range(50):
        text = os.pread(lock, 4096, 0)
        if text:
            return dict(json.loads(text.decode()))
        time.sleep(0.1)
    return {"follow": None, "pid": None}


def _remove_old(run_dir: str, keep: int = 20) -> None:
    """Keep the newest progress files for whoever reads them after a failure."""
    names = sorted((n for n in os.listdir(run_dir) if n.endswith(".progress")), key=lambda n: n.rsplit("-", 1)[-1])
    for name in names[:-keep]:
        os.unlink(os.path.join(run_dir, name))
