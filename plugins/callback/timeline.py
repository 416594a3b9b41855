# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show a run as a timeline of phases."""

from __future__ import annotations

DOCUMENTATION = r"""
name: timeline
type: aggregate
short_description: Show phases with their times
description:
  - A phase is a role within a play.
  - When one begins, a line tells the time since the start of the run and what the phase before it took.
  - The run ends with a table of all phases, with seconds, tasks and changed results.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
requirements:
  - enabled by name in the configuration, C(callbacks_enabled = trainyard.mlstack.timeline)
"""

import time
from typing import Any

from ansible.plugins.callback import CallbackBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.timeline import Timeline


class CallbackModule(CallbackBase):
    """Translate Ansible's events for the timeline, and its lines for the screen."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "trainyard.mlstack.timeline"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timeline = Timeline(time.monotonic)
        self._play = ""

    def v2_playbook_on_play_start(self, play: Any) -> None:
        self._play = play.get_name().strip()

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        self._begin(task)

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        self._begin(task)

    def v2_runner_on_ok(self, result: Any) -> None:
        self._timeline.add_result(changed=result.is_changed())

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._timeline.add_result(failed=not ignore_errors)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        self._timeline.add_result(failed=True)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self._timeline.end()
        if self._timeline.phases:
            self._display.banner("TIMELINE")
            for line in self._timeline.table():
                self._display.display(line)

    def _begin(self, task: Any) -> None:
        # Roles of a collection are known by their full name; the last part is enough to read.
        role = task._role.get_name().rsplit(".", 1)[-1] if task._role else ""
        line = self._timeline.begin_task(self._play, role)
        if line:
            self._display.display(f"==> {line}", color="bright cyan")
