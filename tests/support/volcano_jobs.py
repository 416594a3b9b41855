# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volcano Jobs from options: a parameter server and two workers when none are given."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.replicas import told_once
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import identity_options

TWO: list[dict[str, Any]] = [{"name": "ps"}, {"name": "worker", "replicas": 2}]


def options(**given: Any) -> dict[str, Any]:
    """Return options as the argument spec returns them."""
    raw = {"name": "j", "namespace": "n", "image": "i:1", "tasks": TWO, **given}
    result = ArgumentSpecValidator({**identity_options(), **VOLCANO_JOB.job_options()}).validate(raw)
    assert not result.error_messages
    return dict(result.validated_parameters)


def job(**given: Any) -> Job:
    """Return the job that these options make."""
    made, problems = VOLCANO_JOB.render(options(**given))
    assert [problem.line() for problem in problems] == []
    assert made is not None
    return made


def spec(**given: Any) -> dict[str, Any]:
    """Return the spec of the Volcano Job that these options make."""
    return dict(job(**given).root["spec"])


def refusals(**given: Any) -> list[str]:
    """Return what is wrong with these options, line by line."""
    made, problems = VOLCANO_JOB.render(options(**given))
    assert made is None
    return [problem.line() for problem in told_once(problems)]


def tasks(**more: Any) -> list[dict[str, Any]]:
    """Return a parameter server and two workers with options of their own."""
    return [TWO[0], {**TWO[1], **more}]
