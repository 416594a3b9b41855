# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of node_packages: with a bundle, look whether it has what the host lacks, and send that."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Entry
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.transfer import clear, send
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.repository import repository

MODULE = "trainyard.mlstack.node_packages"


class ActionModule(ActionBase):
    """The host says what it lacks; only that travels, and only when something must be installed."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        task_vars = task_vars or {}
        args = dict(self._task.args)

        def call(**more: Any) -> dict[str, Any]:
            timeout = float(args.get("timeout") or 1200)
            return run_and_follow(self, MODULE, {**args, **more}, task_vars, "packages", timeout)

        result = call()
        if result.get("failed") or not result.get("system"):
            return result
        bundle = str(args["bundle"])
        found = repository(bundle, result.pop("system"), result["installed"])
        if not result.get("asks"):
            return result
        system = found[0].path.rsplit("/", 1)[0]
        files = {system: [[entry.path, entry.sha256, entry.size] for entry in found]}
        return self._install(bundle, found, files, call, str(task_vars["inventory_hostname"]))

    def _install(
        self, bundle: str, found: list[Entry], files: dict[str, Any], call: Any, host: str
    ) -> dict[str, Any]:
        result: dict[str, Any] = call(files=files)
        folder = ""
        while result.get("missing"):
            # First apt's lists, then the packages that apt chooses by them.
            folder = send(self, bundle, [entry for entry in found if entry.path in result["missing"]], host)
            result = call(files=files, incoming=folder)
        if folder:
            clear(self, folder)
        return result
