# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the sums and digests that a release lacks into its file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.pin import missing_pins
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    ReleaseError,
    load_release,
    release_path,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release_pins import NoPlace, with_pins
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download import options as network_options


class ActionModule(ActionBase):
    """Runs on the controller only; nothing is sent to the host of the task."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask upstream, write the file, and return what was written."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _checked, options = self.validate_argument_spec(
            argument_spec={
                "release": {"type": "raw", "required": True},
                "release_dirs": {"type": "list", "elements": "path", "default": []},
                "cache": {"type": "path", "required": True},
                "network": network_options.SPEC,
            }
        )
        try:
            release = load_release(options["release"], options["release_dirs"])
            path = Path(release_path(options["release"], options["release_dirs"]))
            cache = Path(options["cache"])
            pins = missing_pins(release, network_options.downloader(options, cache), cache)
            before = path.read_text()
            after = with_pins(before, pins)
        except (ReleaseError, BuildError, NoPlace) as error:
            raise AnsibleActionFail(str(error)) from error
        if after != before and not self._task.check_mode:
            _write(path, after)
        result.update(
            changed=after != before,
            path=str(path),
            pins={".".join(place): value for place, value in pins.items()},
            diff={"before_header": str(path), "after_header": str(path), "before": before, "after": after},
        )
        return result


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.unfinished")
    with open(temporary, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.chmod(path.stat().st_mode & 0o777)
    temporary.replace(path)
