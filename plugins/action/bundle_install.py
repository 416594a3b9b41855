# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of bundle_install: what the node lacks travels, the rest stays; or the node fetches it by itself."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.transfer import clear, send
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.entries import pick

MODULE = "trainyard.mlstack.bundle_install"


class ActionModule(ActionBase):
    """Fill in sums and modes from the index, ask the node, send what is missing, install."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        task_vars = task_vars or {}
        _validated, args = self.validate_argument_spec(
            {
                "bundle": {"type": "path", "required": True},
                "files": {"type": "list", "elements": "dict", "required": True},
                "url": {"type": "str", "default": ""},
                "timeout": {"type": "int", "default": 1200},
            }
        )
        known = {entry.path: entry for entry in read_index(args["bundle"]).files}
        entries = pick(args["bundle"], known, [str(item.get("path")) for item in args["files"]])
        files = [
            dict(item, sha256=entry.sha256, size=entry.size, mode=item.get("mode") or entry.mode)
            for item, entry in zip(args["files"], entries)
        ]
        module_args = dict(args, files=files)
        result = run_and_follow(self, MODULE, module_args, task_vars, "files", args["timeout"])
        missing = result.get("missing")
        if not missing:
            return result
        folder = send(
            self, args["bundle"], [e for e in entries if e.path in missing], str(task_vars["inventory_hostname"])
        )
        installed: dict[str, Any] = self._execute_module(
            module_name=MODULE, module_args=dict(module_args, incoming=folder), task_vars=task_vars
        )
        clear(self, folder)
        return installed
