# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what it refuses before any request."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"logs": {}}, "logs = given: is about one job, and no job is named. Give its name"),
        ({"name": "j", "logs": {"lines": 0}}, "logs.lines = 0: must be at least 1"),
        ({"states": ["failed", "pending"]}, "states[1] = pending: there is no such one. Write one of created, queued"),
        ({"kinds": ["job"]}, "kinds[0] = job: there is no such one. Write one of tfjob, pytorchjob, ps_job"),
        ({"kinds": []}, "kinds = []: names no kind of job"),
    ],
)
def test_problems_come_before_the_cluster(run_module: Any, options: dict[str, Any], problem: str) -> None:
    assert problem in run_module("job_info", kubeconfig="/not/there", **options)["msg"]


def test_a_kubeconfig_that_is_not_there(run_module: Any) -> None:
    assert (
        "kubeconfig = /not/there: must be a usable kubeconfig" in run_module("job_info", kubeconfig="/not/there")["msg"]
    )
