# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a node module that may go on in the background, and show its progress until it ends."""

from __future__ import annotations

import json
import shlex
import time
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

POLL_SECONDS = 0.7


def run_and_follow(
    action: ActionBase, module: str, args: dict[str, Any], task_vars: dict[str, Any], title: str, timeout: float
) -> dict[str, Any]:
    """Run `module` and return its result, also when the work goes on after the module has ended.

    title: what the lines on the screen begin with. timeout: seconds for the whole. Raises AnsibleActionFail when the
    work does not end in time or dies without a word.
    """
    host = str(task_vars.get("inventory_hostname", ""))
    deadline = time.monotonic() + timeout
    while True:
        result: dict[str, Any] = action._execute_module(module_name=module, module_args=args, task_vars=task_vars)
        background = result.get("background")
        if result.get("failed") or not background:
            return result
        if background.get("busy"):
            Display().display(f"  [{host}] {title}: waiting for an earlier run's work on this host")
        ended = _follow(action, background, host, title, deadline)
        if not background.get("busy"):
            return ended


def _follow(action: ActionBase, background: dict[str, Any], host: str, title: str, deadline: float) -> dict[str, Any]:
    """Show each new line of the progress file; return the result that its last line holds."""
    path, pid = background.get("follow"), background.get("pid")
    alive = f"if [ -d /proc/{int(pid or 0)} ]; then echo alive; else echo gone; fi"
    command = f"{alive}; cat {shlex.quote(str(path))} 2>/dev/null"
    seen = 0
    while time.monotonic() < deadline:
        lines = str(action._low_level_execute_command(command)["stdout"]).splitlines()
        state, events = (lines or ["unknown"])[0], [json.loads(line) for line in lines[1:] if line.endswith("}")]
        for event in events[seen:]:
            if "result" in event:
                return dict(event["result"])
            Display().display(f"  [{host}] {title}: {event['text']} ({event['seconds']:.0f} s)")
        seen = len(events)
        if state == "gone":
            if background.get("busy"):
                return {}
            guess = "was the host restarted? Run the playbook again."
            return {"failed": True, "msg": f"{title}: the work on the host ended without a result; {guess}"}
        time.sleep(POLL_SECONDS)
    raise AnsibleActionFail(
        f"{title}: not finished in time; the work goes on on the host, the next run waits for it. Progress: {path}"
    )
