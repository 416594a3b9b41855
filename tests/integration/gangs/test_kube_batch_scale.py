# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fifty gangs of eight on a hundred nodes by the real kube-batch, by one task. Its speed is in benchmarks/."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import run_module
from tests.integration.support.gang_scale import SIZE, await_placed
from tests.integration.support.kube_batch_scale import JOBS, crowd, jobs


@pytest.mark.long
def test_all_gangs_are_placed_whole(tmp_path: Path) -> None:
    with crowd(tmp_path) as (kube_batch, seen):
        made = run_module(kube_batch.server, "ps_job", jobs=jobs(gangs=True), diff=False)
        assert made.get("changed"), made
        await_placed(seen, JOBS)
        assert {seen.holding(f"scale-{number}") for number in range(JOBS)} == {SIZE}
