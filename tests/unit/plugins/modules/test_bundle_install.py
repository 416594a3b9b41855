# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

CONTENT = b"a program"
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    (incoming / SUM).write_bytes(CONTENT)
    return {
        "bundle": str(tmp_path),
        "files": [{"path": "bin/p", "dest": str(tmp_path / "p"), "mode": "0755", "sha256": SUM, "size": 9}],
    }


def test_it_names_what_it_lacks_and_installs_what_came(
    run_module: Any, arguments: dict[str, Any], tmp_path: Path
) -> None:
    asked = run_module("bundle_install", **arguments)
    assert (asked["changed"], asked["missing"]) == (False, ["bin/p"])
    done = run_module("bundle_install", incoming=str(tmp_path / "incoming"), **arguments)
    assert (done["changed"], done["installed"]) == (True, [str(tmp_path / "p")])
    assert done["diff"]["before"] == f"{tmp_path}/p absent\n"
    assert done["diff"]["after"] == f"{tmp_path}/p {SUM} 0755\n"
    again = run_module("bundle_install", **arguments)
    assert (again["changed"], again["installed"]) == (False, [])


def test_check_mode_tells_and_asks_for_nothing(run_module: Any, arguments: dict[str, Any], tmp_path: Path) -> None:
    told = run_module("bundle_install", check=True, **arguments)
    assert told["changed"] is True
    assert "missing" not in told
    assert not (tmp_path / "p").exists()


def test_a_wrong_mode_is_mended_without_a_transfer(run_module: Any, arguments: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(CONTENT)
    (tmp_path / "p").chmod(0o600)
    done = run_module("bundle_install", **arguments)
    assert done["changed"] is True
    assert (tmp_path / "p").stat().st_mode & 0o7777 == 0o755


def test_a_file_altered_on_the_way_fails_and_leaves_nothing(
    run_module: Any, arguments: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "incoming" / SUM).write_bytes(b"something else")
    failed = run_module("bundle_install", incoming=str(tmp_path / "incoming"), **arguments)
    assert failed["failed"] is True
    assert "bin/p was not installed" in failed["msg"]
    assert SUM in failed["msg"]
    assert not (tmp_path / "p").exists()
