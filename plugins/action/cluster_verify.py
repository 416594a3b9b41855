# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of cluster_verify: shows the steps, the table and the summary, and writes the report."""

from __future__ import annotations

from typing import Any

from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.api import ApiAction
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.report_file import write_report


class ActionModule(ApiAction):
    """Runs the module of the same name."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        path = self._task.args.get("report_file")
        result = super().run(tmp, task_vars)
        if self._task.check_mode:
            Display().display(str(result.get("note", "")))
            return result
        checks = result.get("checks")
        if checks is None:
            # The way to the cluster failed: for whoever reads the report that is the one check that was made.
            checks = [{"name": "api", "ok": False, "detail": str(result.get("msg")), "way_out": "", "seconds": 0.0}]
        else:
            self.show_table(result)
            Display().display("\n".join(result.get("summary", [])))
        if path:
            ok = all(check["ok"] for check in checks)
            write_report(path, {"check": "verify", "ok": ok, "checks": checks})
        return result
