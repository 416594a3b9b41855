# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a module for jobs: the steps while it works, the jobs as a table at the end."""

from __future__ import annotations

from typing import Any

from ansible.utils.display import Display

from .api import ApiAction
from .jobs_table import table


class JobAction(ApiAction):
    """Base of the action plugins of modules for jobs."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the module; its result is the action's."""
        result = super().run(tmp, task_vars)
        jobs = result.get("jobs") or []
        # One job's end is in the last line of its progress, or in the failure.
        if len(jobs) > 1:
            Display().display(table(jobs))
        if result.get("failed"):
            # Ansible shows a failure whole: what was sent is in the user's own task.
            result.pop("manifest", None)
            for job in jobs:
                job.pop("manifests", None)
        return result

    def title(self, args: dict[str, Any]) -> str:
        """Return what the lines of the progress begin with: the name of the only job, else that of the module."""
        jobs = args.get("jobs")
        only = jobs[0] if isinstance(jobs, list) and len(jobs) == 1 and isinstance(jobs[0], dict) else {}
        return str(only.get("name") or super().title(args))
