# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What systemd says of a unit, and what must be done about it. Python 3.8, standard library only."""

from __future__ import annotations

from typing import List, NamedTuple

PROPERTIES = (
    "UnitFileState",
    "ActiveState",
    "ExecMainStartTimestampMonotonic",
    "StateChangeTimestampMonotonic",
    "NeedDaemonReload",
    "FragmentPath",
    "DropInPaths",
)


class Unit(NamedTuple):
    """enabled, active: as systemd sees them. started_at: seconds since the epoch of the main process, 0 when none.

    reload: whether unit files changed since systemd read them. files: the unit's own file and its drop-ins.
    changed_at: seconds since the epoch of the last start or reload, 0 when none.
    """

    enabled: bool
    active: bool
    started_at: float
    reload: bool
    files: List[str]
    changed_at: float = 0.0


def parse_show(text: str, boot_time: float) -> Unit:
    """Read the output of `systemctl show --property`; a unit that does not exist is neither enabled nor active.

    boot_time: the wall clock at boot, in seconds since the epoch; systemd gives the start in microseconds since then.
    """
    values = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    started = int(values.get("ExecMainStartTimestampMonotonic") or 0)
    changed = int(values.get("StateChangeTimestampMonotonic") or 0)
    return Unit(
        enabled=values.get("UnitFileState") in ("enabled", "static", "generated", "alias"),
        active=values.get("ActiveState") in ("active", "activating", "reloading"),
        started_at=boot_time + started / 1e6 if started else 0.0,
        reload=values.get("NeedDaemonReload") == "yes",
        files=[path for path in [values.get("FragmentPath", "")] + values.get("DropInPaths", "").split() if path],
        changed_at=boot_time + changed / 1e6 if changed else 0.0,
    )


def actions(unit: Unit, stale: bool, running: bool, outdated: bool = False) -> List[str]:
    """Return the systemctl verbs to run, in order.

    stale: the process is older than what it reads. outdated: it has not read again what a reload makes it read.
    """
    todo = []
    if unit.reload or not unit.files:
        todo.append("daemon-reload")
    if not unit.enabled:
        todo.append("enable")
    if running and not unit.active:
        todo.append("start")
    elif running and stale:
        todo.append("restart")
    elif running and outdated:
        todo.append("reload")
    return todo
