# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of job_info: shows people what the module returns to programs."""

from __future__ import annotations

from typing import Any

from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.api import ApiAction


class ActionModule(ApiAction):
    """Runs the module of the same name."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        for key in ("table", "details", "queues_table", "logs"):
            # A failure would show it once more.
            shown = result.pop(key, "") if result.get("failed") else result.get(key)
            if shown:
                Display().display(shown)
        return result
