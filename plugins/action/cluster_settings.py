# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of cluster_settings: show what is stored."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow

# Ten thousand secrets take some minutes.
TIMEOUT = 1800.0


class ActionModule(ActionBase):
    """Run the module on the node and follow it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        args = dict(self._task.args)
        name = "trainyard.mlstack.cluster_settings"
        return run_and_follow(self, name, args, task_vars or {}, "cluster settings", TIMEOUT)
