# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of cluster_checks: shows the table and writes the report."""

from __future__ import annotations

from typing import Any

from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.api import ApiAction
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.report_file import write_report


class ActionModule(ApiAction):
    """Runs the module of the same name."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        # Without the module's own word (no Python client there, no way to the API host) that is the one problem.
        unasked = {"field": "mlstack_api_host", "value": "", "rule": str(result.get("msg")), "way_out": ""}
        found = result.get("problems", [unasked])
        if result.get("table"):
            cluster = result["cluster"]
            Display().display(f"cluster: Kubernetes {cluster['version']}, user {cluster['user'] or '(not told)'}")
            self.show_table(result)
        if self._task.args.get("report_file"):
            problems = [{"host": "", **problem} for problem in found]
            write_report(
                self._task.args["report_file"], {"check": "cluster", "ok": not problems, "problems": problems}
            )
        return result
