# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module on the machine that runs the tests, in check mode only."""

from __future__ import annotations

from pathlib import Path

from tests.unit.conftest import RunModule


def test_check_mode_predicts_files_and_values(run_module: RunModule) -> None:
    result = run_module("node_kernel", check=True, sysctls={"kernel.ostype": "Linux", "kernel.pid_max": 1})
    assert (result["changed"], result["loaded"], result["set"]) == (True, [], ["kernel.pid_max"])
    assert "kernel.pid_max = 1" in result["diff"][0]["after"]


def test_an_absent_module_fails_with_the_rule(run_module: RunModule) -> None:
    result = run_module("node_kernel", check=True, modules=["no_such_module"])
    assert result["failed"]
    assert "no_such_module: the running kernel does not have it" in result["msg"]


def swap_areas() -> list[str]:
    return [line.split()[0] for line in Path("/proc/swaps").read_text().splitlines()[1:]]


def test_check_mode_names_the_swap_areas_in_use(run_module: RunModule) -> None:
    areas = swap_areas()
    result = run_module("node_kernel", check=True, swap_off=True)
    assert result["swap_areas"] == areas
    assert [each["before_header"] for each in result["diff"]][-1] in ("swap", "/etc/fstab")
    assert swap_areas() == areas


def test_swap_is_left_alone_unless_asked(run_module: RunModule) -> None:
    result = run_module("node_kernel", check=True)
    assert (result["swap_areas"], result["swap_units"]) == ([], [])
