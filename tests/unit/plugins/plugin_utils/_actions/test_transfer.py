# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a bundle are sent once, under their sums, where they fit."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleActionFail
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Entry
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions import transfer
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.transfer import (
    INCOMING,
    clear,
    lacking_room_in_df,
    send,
)

HEADER = "Filesystem 1024-blocks Used Available Capacity Mounted on"


def entry(name: str, size: int = 10) -> Entry:
    return Entry(f"images/{name}.tar", "image", name, name * 4, size, "0644", "build")


class FakeAction:
    """An action on a host whose disk has some KiB free. sent: path here and there. asked: commands."""

    def __init__(self, free_kib: int = 1000, rc: int = 0) -> None:
        self.asked: list[str] = []
        self.sent: list[tuple[str, str]] = []
        self._connection = MagicMock()
        self._connection.put_file = lambda path, there: self.sent.append((path, there))
        disk = f"/dev/sda1 9000 8000 {free_kib} 90% /home dir"
        stdout = "\n".join([HEADER, disk, "/home dir/me/in"]) if not rc else ""
        self.answer = {"rc": rc, "stdout": stdout, "stderr": "read-only\n"}

    def _low_level_execute_command(self, command: str, sudoable: bool = True) -> dict[str, Any]:
        assert sudoable is False, "the folder is the connection's own user's"
        self.asked.append(command)
        return self.answer


def test_each_content_is_sent_once_under_its_sum() -> None:
    action: Any = FakeAction()
    folder = send(action, "/bundle", [entry("a"), entry("b"), entry("a")], "gpu-1")
    assert folder == "/home dir/me/in"
    assert action.sent == [(f"/bundle/images/{name}.tar", f"{folder}/{name * 4}") for name in "ab"]
    assert f"rm -rf ~/{INCOMING} && mkdir -p ~/{INCOMING}" in action.asked[0]


def test_what_does_not_fit_is_refused_before_anything_is_sent() -> None:
    action: Any = FakeAction(free_kib=1)
    with pytest.raises(AnsibleActionFail, match=r"^nothing was sent: no room for what the bundle sends .* /home dir:"):
        send(action, "/bundle", [entry("a", 1000), entry("b", 1000)], "gpu-1")
    assert action.sent == []
    assert send(action, "/bundle", [entry("a", 1000), entry("a", 1000)], "gpu-1"), "the same content takes room once"


def test_a_folder_that_cannot_be_made_is_told() -> None:
    action: Any = FakeAction(rc=1)
    with pytest.raises(AnsibleActionFail, match=rf"^cannot make ~/{INCOMING} on the host: read-only$"):
        send(action, "/bundle", [entry("a")], "gpu-1")


def test_only_large_files_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(transfer, "Display", lambda: MagicMock(display=shown.append))
    action: Any = FakeAction(free_kib=1 << 30)
    send(action, "/bundle", [entry("a", transfer.SHOWN_FROM_BYTES - 1), entry("b", 100_000_000)], "gpu-1")
    assert shown == ["  [gpu-1] images/b.tar: 100 MB sent (0 s)"]


@given(free_kib=st.integers(0, 10**9), needed=st.integers(0, 10**12))
def test_room_is_counted_in_bytes(free_kib: int, needed: int) -> None:
    problem = lacking_room_in_df(f"tmpfs 9 9 {free_kib} 1% /mnt/a b", needed)
    assert (problem is None) == (needed <= free_kib * 1024)
    assert problem is None or "on the disk at /mnt/a b:" in problem


def test_the_folder_is_removed_whatever_its_name() -> None:
    action: Any = FakeAction()
    clear(action, "/home dir/me")
    assert action.asked == ["rm -rf '/home dir/me'"]
