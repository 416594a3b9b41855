# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module with programs that play dpkg and apt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.conftest import RunModule

QUERY = """#!/bin/sh
echo "socat install ok installed 1.7"
exit 1
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder of programs; each apt program that is run leaves a line in `log`."""
    (tmp_path / "dpkg-query").write_text(QUERY)
    (tmp_path / "dpkg").write_text("#!/bin/sh\n")
    for name in ("apt-get", "apt-mark"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $@" >> {tmp_path}/log\n[ "$1" != fail ]\n')
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    return tmp_path


def test_nothing_to_do(programs: Path, run_module: RunModule) -> None:
    result = run_module("node_packages", env={"PATH": f"{programs}:/usr/bin:/bin"}, packages=["socat"])
    assert (result["changed"], result["installed"], result["held"]) == (False, [], [])
    assert not (programs / "log").exists()


def test_check_mode_asks_only(programs: Path, run_module: RunModule) -> None:
    env = {"PATH": f"{programs}:/usr/bin:/bin"}
    result = run_module("node_packages", check=True, env=env, packages=["socat", "jq"], held=["socat"])
    assert (result["changed"], result["installed"], result["held"]) == (True, ["jq"], ["socat"])
    assert result["diff"]["before"] == "jq absent\nsocat not held\n"
    assert not (programs / "log").exists()


def test_holds_without_installing(programs: Path, run_module: RunModule) -> None:
    env = {"PATH": f"{programs}:/usr/bin:/bin"}
    assert run_module("node_packages", env=env, packages=["socat"], held=["socat"])["held"] == ["socat"]
    assert (programs / "log").read_text() == "apt-mark hold socat\n"
