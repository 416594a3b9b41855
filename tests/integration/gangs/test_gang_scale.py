# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Five hundred gangs of eight on a thousand nodes of eight GPUs, submitted by one task. Its speed is in benchmarks/."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import run_module
from tests.integration.support.gang_scale import JOBS, SIZE, Crowd, await_placed, jobs


@pytest.mark.long
def test_all_gangs_are_placed_and_none_in_part(tmp_path: Path) -> None:
    with Crowd(tmp_path, with_jobs=True) as crowd, crowd.watched() as seen:
        crowd.start_scheduler()
        made = run_module(crowd.server, "tfjob", jobs=jobs(JOBS, gangs=True), diff=False)
        assert made["changed"], made
        await_placed(seen, JOBS)
        names = [f"scale-{number}" for number in range(JOBS)]
        assert {name: seen.partly(name, SIZE) for name in names if seen.partly(name, SIZE) > 5} == {}
        assert {seen.holding(name) for name in names} == {SIZE}
