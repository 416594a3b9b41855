# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files that the collection owns whole on a host. Python 3.8, standard library only."""

from __future__ import annotations

import glob
import os
import stat
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

HIDDEN = "(secret)\n"


@dataclass(frozen=True)
class FileState:
    """Content and permission bits (four octal digits) of a file."""

    content: str
    mode: str


@dataclass(frozen=True)
class FileChange:
    """What is to be done with one path.

    before: what is there, None for nothing.
    after: what shall be there, None for nothing.
    secret: whether the contents must not be shown.
    """

    path: str
    before: Optional[FileState]
    after: Optional[FileState]
    secret: bool = False

    def diff(self) -> Dict[str, str]:
        """Return the change in the form that Ansible shows."""
        shown = {"before_header": self.path, "after_header": self.path}
        for key, state in (("before", self.before), ("after", self.after)):
            shown[key] = "" if state is None else f"mode {state.mode}\n{self._content(key, state)}"
        return shown

    def _content(self, key: str, state: FileState) -> str:
        if not self.secret:
            return state.content
        same = self.before is not None and self.after is not None and self.before.content == self.after.content
        return HIDDEN if same else HIDDEN.replace(")", ", %s)" % ("old" if key == "before" else "new"))


def read_state(path: str) -> Optional[FileState]:
    """Return the state of the file, None when there is none.

    A link is no file of ours: its mode reads as `link`, which no wanted mode equals.
    Raises OSError when it cannot be read, IsADirectoryError for a folder.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    mode = "link" if stat.S_ISLNK(found.st_mode) else f"{stat.S_IMODE(found.st_mode):04o}"
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as handle:
            return FileState(handle.read(), mode)
    except FileNotFoundError:
        return FileState("", mode)


def plan(files: Sequence[Mapping[str, Any]], prune: Sequence[str] = ()) -> List[FileChange]:
    """Return the changes that bring the host to the wanted state, none when it is there already.

    files: each with `path` and either `content` and `mode`, or `state: absent`; `secret` hides the contents.
    prune: patterns; files that match one and are not named in `files` are removed.
    """
    changes = []
    for item in files:
        before = read_state(item["path"])
        gone = item.get("state") == "absent"
        after = None if gone else FileState(item.get("content") or "", item.get("mode") or "0644")
        if before != after:
            changes.append(FileChange(item["path"], before, after, bool(item.get("secret"))))
    named = {item["path"] for item in files}
    for pattern in prune:
        found = [path for path in sorted(glob.glob(pattern)) if path not in named and not os.path.isdir(path)]
        changes += [FileChange(path, read_state(path), None) for path in found]
    return changes


def apply(changes: Sequence[FileChange]) -> None:
    """Carry the changes out; each file has its old content or its new one at any moment, also after a loss of power."""
    for change in changes:
        if change.after is None:
            os.unlink(change.path)
        else:
            write(change.path, change.after)


def write(path: str, state: FileState) -> None:
    """Write a file whole or not at all, its folder too if there is none. Raises OSError."""
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    temporary = f"{path}.mlstack-new"
    # A file that was left by a killed run may have wider permissions than this one shall get.
    if os.path.lexists(temporary):
        os.unlink(temporary)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="") as handle:
        handle.write(state.content)
        handle.flush()
        os.fchmod(descriptor, int(state.mode, 8))
        os.fsync(descriptor)
    os.replace(temporary, path)
