# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module on the machine that runs the tests, in check mode only."""

from __future__ import annotations

from tests.unit.conftest import RunModule


def test_check_mode_predicts_files_and_values(run_module: RunModule) -> None:
    result = run_module("node_kernel", check=True, sysctls={"kernel.ostype": "Linux", "kernel.pid_max": 1})
    assert (result["changed"], result["loaded"], result["set"]) == (True, [], ["kernel.pid_max"])
    assert "kernel.pid_max = 1" in result["diff"][0]["after"]


def test_an_absent_module_fails_with_the_rule(run_module: RunModule) -> None:
    result = run_module("node_kernel", check=True, modules=["no_such_module"])
    assert result["failed"]
    assert "no_such_module: the running kernel does not have it" in result["msg"]
