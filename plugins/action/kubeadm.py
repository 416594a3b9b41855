# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of kubeadm: show its phases while they happen."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow


class ActionModule(ActionBase):
    """Run the step on the node and follow it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        args = dict(self._task.args)
        title = f"kubeadm {args.get('step', '')}"
        return run_and_follow(
            self, "trainyard.mlstack.kubeadm", args, task_vars or {}, title, float(args.get("timeout", 600))
        )
