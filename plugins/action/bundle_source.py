# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide where the contents of a bundle come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.folder import present_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.probe import unreachable
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    ReleaseError,
    load_release,
    of_gang_scheduler,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.plan import check_buildable
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download import options as network_options
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Timeouts

_TIMEOUTS = Timeouts(connect_s=5.0, read_s=5.0)


class ActionModule(ActionBase):
    """Runs on the controller only; nothing is sent to the host of the task."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the source, asked for or found out."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _checked, options = self.validate_argument_spec(
            argument_spec={
                "source": {"type": "str", "choices": ["upstream", "build", "auto"], "required": True},
                "release": {"type": "raw", "required": True},
                "release_dirs": {"type": "list", "elements": "path", "default": []},
                "gang_scheduler": {"type": "str", "default": ""},
                "architecture": {"type": "str", "choices": ["amd64", "arm64"], "required": True},
                "cache": {"type": "path", "required": True},
                "bundle": {"type": "path", "required": True},
                "network": network_options.SPEC,
            }
        )
        source, reason = options["source"], "asked for"
        try:
            if source == "auto":
                source, reason = self._find(options)
                self._display.display(f"bundle  source is {source}: {reason}")
            if source == "build":
                check_buildable(options["gang_scheduler"])
        except (ReleaseError, BuildError) as error:
            raise AnsibleActionFail(str(error)) from error
        result.update(changed=False, source=source, reason=reason)
        return result

    def _find(self, options: dict[str, Any]) -> tuple[str, str]:
        release = load_release(options["release"], options["release_dirs"])
        release = of_gang_scheduler(release, options["gang_scheduler"])
        index = present_index(Path(options["bundle"]))
        # A bundle that is there stays what it is: a network that comes and goes must not change what runs on the nodes.
        if index and index.release == release["release"] and index.architecture == options["architecture"]:
            sources = {entry.source for entry in index.files if entry.kind == "program"}
            if len(sources) == 1:
                return sources.pop(), f"that is what {options['bundle']} is made of"
        downloader = network_options.downloader(options, Path(options["cache"]), _TIMEOUTS)
        why_not = unreachable(release, options["architecture"], downloader)
        return ("build", why_not) if why_not else ("upstream", "all its servers answer")
