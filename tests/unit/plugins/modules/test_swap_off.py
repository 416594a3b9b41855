# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module on the machine that runs the tests, in check mode only."""

from __future__ import annotations

from pathlib import Path

from tests.unit.conftest import RunModule


def test_check_mode_names_the_areas_in_use(run_module: RunModule) -> None:
    areas = [line.split()[0] for line in Path("/proc/swaps").read_text().splitlines()[1:]]
    result = run_module("swap_off", check=True)
    assert result["areas"] == areas
    assert [line.split()[0] for line in Path("/proc/swaps").read_text().splitlines()[1:]] == areas
