# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from tests.support.volcano_jobs import options, tasks

POLICIES: list[tuple[list[dict[str, Any]], list[str]]] = [
    ([], []),
    ([{"event": "PodEvicted", "action": "RestartJob"}, {"event": "TaskFailed", "action": "AbortJob"}], []),
    ([{"event": "*", "action": "RestartJob"}, {"exit_code": 3, "action": "AbortJob"}], []),
    ([{"action": "RestartJob"}], ["[0] = neither: says either what happens"]),
    ([{"event": "PodFailed", "exit_code": 1, "action": "RestartJob"}], ["[0] = both: says either"]),
    ([{"exit_code": 0, "action": "RestartJob"}], ["[0].exit_code = 0: 0 is no error"]),
    ([{"event": "PodPending", "action": "RestartJob", "timeout": "10"}], ["[0].timeout = 10: must be a time"]),
    ([{"event": "PodPending", "action": "RestartJob", "timeout": "1h30m"}], []),
    (
        [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}, {"event": "PodFailed", "action": "AbortJob"}],
        ["[1] = PodFailed: {0}[0] says already what then happens"],
    ),
    (
        [{"exit_code": 3, "action": "RestartJob"}, {"exit_code": 3, "action": "AbortJob"}],
        ["[1] = exit code 3: {0}[0] says already"],
    ),
    (
        [{"event": "*", "action": "RestartJob"}, {"event": "PodFailed", "action": "AbortJob"}],
        ["[0] = *: stands for all events, and there are others beside it (PodFailed)"],
    ),
]


@pytest.mark.parametrize(("wanted", "problems"), POLICIES)
def test_policies_of_a_job_and_of_a_task(wanted: list[dict[str, Any]], problems: list[str]) -> None:
    for field, given in (
        ("policies", {"policies": wanted}),
        ("tasks.worker.policies", {"tasks": tasks(policies=wanted)}),
    ):
        _made, found = VOLCANO_JOB.render(options(**given))
        lines = [problem.line() for problem in found]
        assert len(lines) == len(problems), lines
        for line, problem in zip(lines, problems):
            assert line.startswith(f"{field}{problem.replace('{0}', field)}")
