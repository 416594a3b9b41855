# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of jobs: reads their file, shows them while they move, writes the report."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.job import JobAction
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.jobs_file import read_jobs
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.report_file import write_report


class ActionModule(JobAction):
    """Runs the module of the same name."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        args = dict(self._task.args)
        path, report = args.pop("file", None), args.pop("report_file", None)
        if path:
            if args.get("jobs") is not None:
                rule, way_out = "stands beside a list of jobs", "Give the jobs in one of the two"
                raise AnsibleActionFail(Problem("file", str(path), rule, way_out).line())
            jobs, defaults = read_jobs(str(path))
            args.update(jobs=jobs, defaults={**(args.get("defaults") or {}), **defaults})
        self._task = self._task.copy()
        self._task.args = args
        result = super().run(tmp, task_vars)
        if report and not self._task.check_mode:
            good = not result.get("failed")
            write_report(str(report), {"jobs": result.get("jobs") or [], "ok": good, "msg": result.get("msg", "")})
        return result
