# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of node_info: tell how far the host's clock is from the controller's."""

from __future__ import annotations

import time
from typing import Any

from ansible.plugins.action import ActionBase

MODULE = "trainyard.mlstack.node_info"
# A first connection takes a second or more; what is measured again over the open one is known to a fraction of it.
PRECISE_SECONDS = 1.0


def offset(asked: float, clock: float, answered: float) -> dict[str, float]:
    """Return between which bounds a host's clock is ahead of ours, having been read between two moments of ours."""
    return {"low": clock - answered, "high": clock - asked}


class ActionModule(ActionBase):
    """Run the module and add `clock_offset`."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        asked = time.time()
        result: dict[str, Any] = self._execute_module(
            module_name=MODULE, module_args=dict(self._task.args), task_vars=task_vars or {}
        )
        answered = time.time()
        if result.get("node"):
            result["node"]["clock_offset"] = self._best(offset(asked, result["node"]["clock"], answered))
            result["ansible_facts"] = {"mlstack_node": result["node"]}
        return result

    def _best(self, first: dict[str, float]) -> dict[str, float]:
        """Return the narrower one of the first measure and, where that is wide, a second."""
        if first["high"] - first["low"] <= PRECISE_SECONDS:
            return first
        asked = time.time()
        told = self._low_level_execute_command("date +%s.%N")
        answered = time.time()
        try:
            second = offset(asked, float(str(told["stdout"]).split()[-1]), answered)
        except (IndexError, ValueError):
            return first
        return min(first, second, key=lambda bounds: bounds["high"] - bounds["low"])
