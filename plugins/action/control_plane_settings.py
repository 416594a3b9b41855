# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of control_plane_settings: show which component is waited for."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow

# Each component may take its time twice, once with the new settings and once more with the old ones.
COMPONENTS_TWICE = 8


class ActionModule(ActionBase):
    """Run the module on the node and follow it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        args = dict(self._task.args)
        timeout = float(args.get("timeout", 180)) * COMPONENTS_TWICE
        name = "trainyard.mlstack.control_plane_settings"
        return run_and_follow(self, name, args, task_vars or {}, "settings", timeout)
