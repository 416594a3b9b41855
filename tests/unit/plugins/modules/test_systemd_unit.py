# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SHOW = """UnitFileState={enabled}
ActiveState={active}
ExecMainStartTimestampMonotonic={started}
NeedDaemonReload={reload}
FragmentPath={unit}
DropInPaths=
"""


@pytest.fixture
def systemd(tmp_path: Path) -> Any:
    """Return a function that makes a systemctl which shows a unit and remembers what it is told; it gives the PATH."""
    (tmp_path / "unit").write_text("", encoding="utf-8")

    def make(enabled: str = "enabled", active: str = "active", started: int = 0, reload: str = "no") -> dict[str, str]:
        (tmp_path / "show").write_text(
            SHOW.format(enabled=enabled, active=active, started=started, reload=reload, unit=tmp_path / "unit"),
            encoding="utf-8",
        )
        program = tmp_path / "systemctl"
        program.write_text(
            f'#!/bin/sh\nif [ "$1" = show ]; then cat {tmp_path}/show; else echo "$@" >> {tmp_path}/calls; fi\n',
            encoding="utf-8",
        )
        program.chmod(0o755)
        return {"PATH": f"{tmp_path}:/usr/bin:/bin"}

    return make


def calls(tmp_path: Path) -> list[str]:
    path = tmp_path / "calls"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


# Started in the far future of the monotonic clock: newer than every file.
FUTURE = 10**15


def test_a_unit_that_is_newer_than_its_files_is_left_alone(run_module: Any, systemd: Any, tmp_path: Path) -> None:
    done = run_module("systemd_unit", env=systemd(started=FUTURE), name="a.service", files=[str(tmp_path / "unit")])
    assert (done["changed"], calls(tmp_path)) == (False, [])


def test_a_unit_older_than_a_file_is_restarted_even_when_nobody_remembers_the_change(
    run_module: Any, systemd: Any, tmp_path: Path
) -> None:
    done = run_module("systemd_unit", env=systemd(started=1), name="a.service", files=[str(tmp_path / "un*")])
    assert (done["changed"], calls(tmp_path)) == (True, ["restart a.service"])
    assert "started after its files: False" in done["diff"]["before"]


def test_a_stopped_unit_is_enabled_and_started_but_not_in_check_mode(
    run_module: Any, systemd: Any, tmp_path: Path
) -> None:
    path = systemd(enabled="disabled", active="inactive", reload="yes")
    told = run_module("systemd_unit", env=path, check=True, name="a.service")
    assert (told["changed"], told["actions"], calls(tmp_path)) == (True, ["daemon-reload", "enable", "start"], [])
    run_module("systemd_unit", env=path, name="a.service")
    assert calls(tmp_path) == ["daemon-reload", "enable a.service", "start a.service"]


@pytest.mark.parametrize(
    ("pending", "expected"),
    [
        ("{folder}/conf.d/a.conf", ["restart"]),
        ("{folder}/unit", ["daemon-reload", "restart"]),
        ("{folder}/other.conf", []),
    ],
)
def test_check_mode_foresees_what_files_do_that_are_not_written_yet(
    run_module: Any, systemd: Any, tmp_path: Path, pending: str, expected: list[str]
) -> None:
    path = systemd(started=FUTURE)
    options: dict[str, Any] = {"name": "a.service", "files": [f"{tmp_path}/conf.d/*.conf"]}
    options["pending"] = [pending.format(folder=tmp_path)]
    told = run_module("systemd_unit", env=path, check=True, **options)
    assert (told["actions"], told["changed"]) == (expected, bool(expected))
    # Otherwise they are there, and their time tells.
    assert not run_module("systemd_unit", env=path, **options)["changed"]
    assert calls(tmp_path) == []


def test_a_stopped_unit_is_not_said_to_restart(run_module: Any, systemd: Any, tmp_path: Path) -> None:
    path = systemd(active="inactive", started=FUTURE)
    told = run_module("systemd_unit", env=path, check=True, name="a.service", files=["/x"], pending=["/x"])
    assert told["actions"] == ["start"]


def test_without_running_it_is_only_enabled(run_module: Any, systemd: Any, tmp_path: Path) -> None:
    run_module("systemd_unit", env=systemd(enabled="disabled", active="inactive"), name="a.service", running=False)
    assert calls(tmp_path) == ["enable a.service"]
