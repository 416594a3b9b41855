"""Count tasks and time per role and per host, as JSON in the file that TASK_COSTS_FILE names."""

from __future__ import annotations

DOCUMENTATION = r"""
name: task_costs
type: aggregate
short_description: Count tasks and time per role and per host
description:
  - Writes one JSON document at the end of the run.
options:
  file:
    description: Where the document goes.
    type: path
    required: true
    env:
      - name: TASK_COSTS_FILE
"""

import json
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    """Time runs from the start of a task to the start of the next: what a user waits for."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "task_costs"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._begun = time.monotonic()
        self._role = "(before the first task)"
        self._task = ""
        self._task_begun = self._begun
        self._roles: dict[str, dict[str, float]] = defaultdict(lambda: {"tasks": 0, "seconds": 0.0})
        self._tasks: list[dict[str, Any]] = []
        # host > role > outcome > how often
        self._hosts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        self._close_task()
        self._role = task._role.get_name().rsplit(".", 1)[-1] if task._role else "(playbook)"
        self._task = task.name
        self._roles[self._role]["tasks"] += 1

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        self.v2_playbook_on_task_start(task, is_conditional=False)

    def v2_runner_on_ok(self, result: Any) -> None:
        self._count(result, "changed" if result.is_changed() else "ok")

    def v2_runner_on_skipped(self, result: Any) -> None:
        self._count(result, "skipped")

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._count(result, "ignored" if ignore_errors else "failed")

    def v2_runner_on_unreachable(self, result: Any) -> None:
        self._count(result, "unreachable")

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self._close_task()
        roles = {
            role: {"tasks": int(cost["tasks"]), "seconds": round(cost["seconds"], 2)}
            for role, cost in self._roles.items()
        }
        hosts = {
            host: {role: dict(counts) for role, counts in by_role.items()}
            for host, by_role in sorted(self._hosts.items())
        }
        document = {
            "seconds": round(time.monotonic() - self._begun, 2),
            "recap": {host: stats.summarize(host) for host in sorted(stats.processed)},
            "roles": roles,
            "hosts": hosts,
            "tasks": self._tasks,
        }
        Path(self.get_option("file")).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    def _count(self, result: Any, outcome: str) -> None:
        self._hosts[result._host.get_name()][self._role][outcome] += 1

    def _close_task(self) -> None:
        now = time.monotonic()
        seconds = now - self._task_begun
        self._roles[self._role]["seconds"] += seconds
        self._tasks.append({"role": self._role, "task": self._task, "seconds": round(seconds, 2)})
        self._task_begun = now
