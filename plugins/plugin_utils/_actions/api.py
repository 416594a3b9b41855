# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run an API module and show its steps while it works."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ...module_utils._common.columns import columns

POLL_SECONDS = 0.5


class ApiAction(ActionBase):
    """Base of the action plugins of modules on the API host.

    One plugin serves several modules, see plugin_routing in meta/runtime.yml: it runs the one that the task names.
    """

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the module; its result is the action's."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        args = dict(self._task.args)
        # The module writes its arguments to the system log, and objects may hold Secrets. The task is shown all the
        # same: the executor goes by its own copy.
        self._task = self._task.copy()
        self._task.no_log = True
        # Only a module on this very machine, run by this very user, writes a file that can be followed here.
        if self._connection.transport != "local" or self._connection.become:
            return {**result, **self._execute_module(module_args=args, task_vars=task_vars)}
        title = self.title(args)
        with tempfile.TemporaryDirectory(prefix="trainyard-") as folder:
            args["progress_file"] = os.path.join(folder, "progress")
            with _Follower(args["progress_file"], title):
                outcome = self._execute_module(module_args=args, task_vars=task_vars)
        return {**result, **outcome}

    def title(self, args: dict[str, Any]) -> str:
        """Return what the lines of the progress begin with."""
        return str(args.get("name") or self._task.action.rpartition(".")[2])

    def show_table(self, result: dict[str, Any]) -> None:
        """Display the table of a result; a failure would show it once more, so it is taken out of that."""
        Display().display(columns(result.pop("table") if result.get("failed") else result["table"]))


class _Follower:
    """Displays each line of a progress file as it comes."""

    def __init__(self, path: str, title: str) -> None:
        self._path = path
        self._title = title
        self._shown = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> _Follower:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._ended.wait(POLL_SECONDS):
            self._show()
        self._show()

    def _show(self) -> None:
        try:
            with open(self._path, encoding="utf-8") as handle:
                lines = handle.read().splitlines(keepends=True)
        except FileNotFoundError:
            return
        # A line without its end is still being written.
        whole = [line for line in lines if line.endswith("\n")]
        for line in whole[self._shown :]:
            step = json.loads(line)
            first, *table = step["text"].splitlines() or [""]
            Display().display(
                "\n".join([f"  {self._title}: {first} ({step['seconds']:.0f} s)", *(f"    {row}" for row in table)])
            )
        self._shown = len(whole)
