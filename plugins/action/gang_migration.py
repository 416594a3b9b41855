# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of gang_migration: shows its steps and what becomes of each job."""

from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.api import ApiAction


class ActionModule(ApiAction):
    """Runs the module of the same name."""

    MODULE = "trainyard.mlstack.gang_migration"

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        if result.get("table"):
            self.show_table(result)
        return result
