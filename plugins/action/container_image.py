# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of container_image: send what the node lacks, or let it fetch that; follow the import."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.transfer import send
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.entries import pick

MODULE = "trainyard.mlstack.container_image"


class ActionModule(ActionBase):
    """Fill in references and digests from the index, ask the node, send, import."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        task_vars = task_vars or {}
        _validated, args = self.validate_argument_spec(
            {
                "bundle": {"type": "path", "required": True},
                "images": {"type": "list", "elements": "str", "required": True},
                "pinned": {"type": "bool", "default": True},
                "timeout": {"type": "int", "default": 1200},
                "url": {"type": "str", "default": ""},
            }
        )
        known = {entry.name: entry for entry in read_index(args["bundle"]).files if entry.kind == "image"}
        entries = pick(args["bundle"], known, args["images"], noun="image")
        fields = ("name", "ref", "digest", "path", "sha256", "size")
        images = [{field: getattr(entry, field) for field in fields} for entry in entries]
        module_args = dict(args, images=images)

        def call(**more: Any) -> dict[str, Any]:
            return run_and_follow(self, MODULE, dict(module_args, **more), task_vars, "images", args["timeout"])

        result = call()
        missing = result.get("missing")
        if not missing:
            return result
        lacking = [entry for entry in entries if entry.name in missing]
        return call(incoming=send(self, args["bundle"], lacking, str(task_vars["inventory_hostname"])))
