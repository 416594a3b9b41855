# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.unit import Unit, actions, parse_show

RUNNING = """UnitFileState=enabled
ActiveState=active
ExecMainStartTimestampMonotonic=5000000
StateChangeTimestampMonotonic=7000000
NeedDaemonReload=no
FragmentPath=/etc/systemd/system/containerd.service
DropInPaths=/etc/systemd/system/containerd.service.d/proxy.conf /run/a.conf
"""
ABSENT = """UnitFileState=
ActiveState=inactive
ExecMainStartTimestampMonotonic=0
NeedDaemonReload=no
FragmentPath=
DropInPaths=
"""


def test_a_running_unit() -> None:
    unit = parse_show(RUNNING, boot_time=1000.0)
    assert unit == Unit(
        enabled=True,
        active=True,
        started_at=1005.0,
        reload=False,
        files=[
            "/etc/systemd/system/containerd.service",
            "/etc/systemd/system/containerd.service.d/proxy.conf",
            "/run/a.conf",
        ],
        changed_at=1007.0,
    )


def test_an_absent_unit() -> None:
    unit = parse_show(ABSENT, boot_time=1000.0)
    assert unit == Unit(enabled=False, active=False, started_at=0.0, reload=False, files=[])


GOOD = Unit(enabled=True, active=True, started_at=5.0, reload=False, files=["/f"])


@pytest.mark.parametrize(
    ("unit", "stale", "running", "expected"),
    [
        (GOOD, False, True, []),
        (GOOD, True, True, ["restart"]),
        (GOOD, True, False, []),
        (GOOD._replace(reload=True), True, True, ["daemon-reload", "restart"]),
        (GOOD._replace(active=False), False, True, ["start"]),
        (GOOD._replace(active=False), False, False, []),
        (GOOD._replace(enabled=False, active=False), False, True, ["enable", "start"]),
        (Unit(False, False, 0.0, False, []), False, True, ["daemon-reload", "enable", "start"]),
    ],
)
def test_actions(unit: Unit, stale: bool, running: bool, expected: list[str]) -> None:
    assert actions(unit, stale, running) == expected


@pytest.mark.parametrize(
    ("stale", "outdated", "running", "expected"),
    [(False, True, True, ["reload"]), (True, True, True, ["restart"]), (False, True, False, [])],
)
def test_a_reload_is_enough_where_nothing_else_changed(
    stale: bool, outdated: bool, running: bool, expected: list[str]
) -> None:
    assert actions(GOOD, stale, running, outdated) == expected
