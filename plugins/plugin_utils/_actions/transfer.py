# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring files of a bundle to a node, under their sums, into a folder that the connection's own user can write."""

from __future__ import annotations

import os
import shlex
import time
from typing import Iterable

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ...module_utils._bundle.index import Entry
from ...module_utils._common.disk import no_room

# A fixed folder, so that a killed run leaves nothing that the next one does not overwrite or remove.
INCOMING = ".cache/trainyard-incoming"
SHOWN_FROM_BYTES = 64 * 1024 * 1024


def send(action: ActionBase, bundle: str, entries: Iterable[Entry], host: str) -> str:
    """Transfer `entries` to the node and return the folder there that holds them, each named by its sha256.

    Raises AnsibleActionFail when they do not fit there; SFTP would only say that it failed.
    """
    once = {entry.sha256: entry for entry in entries}
    # What a killed run has left is sent again, so the room that it takes is free.
    made = action._low_level_execute_command(
        f"umask 077 && rm -rf ~/{INCOMING} && mkdir -p ~/{INCOMING} && cd ~/{INCOMING} && df -Pk . && pwd",
        sudoable=False,
    )
    if made["rc"] != 0:
        raise AnsibleActionFail(f"cannot make ~/{INCOMING} on the host: {made['stderr'].strip()}")
    *_header, disk, folder = str(made["stdout"]).strip().splitlines()
    problem = lacking_room_in_df(disk, sum(entry.size for entry in once.values()))
    if problem:
        raise AnsibleActionFail(f"nothing was sent: {problem}")
    for entry in once.values():
        start = time.monotonic()
        action._connection.put_file(os.path.join(bundle, entry.path), f"{folder}/{entry.sha256}")
        if entry.size >= SHOWN_FROM_BYTES:
            Display().display(
                f"  [{host}] {entry.path}: {entry.size / 1e6:.0f} MB sent ({time.monotonic() - start:.0f} s)"
            )
    return folder


def lacking_room_in_df(line: str, needed: int) -> str | None:
    """Return what is wrong with the disk that a line of `df -Pk` describes, None when it can take `needed` bytes."""
    # The mount point comes last and may hold blanks.
    _device, _blocks, _used, free_kib, _percent, mount = line.split(maxsplit=5)
    free = int(free_kib) * 1024
    return None if free >= needed else no_room(mount, needed, "what the bundle sends", free)


def clear(action: ActionBase, folder: str) -> None:
    """Remove the folder that `send` made."""
    action._low_level_execute_command(f"rm -rf {shlex.quote(folder)}", sudoable=False)
