#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: systemd_unit
short_description: "Internal: Keep a systemd unit enabled, running and newer than its files"
description:
  - Enables and starts a systemd unit, and restarts it when one of the files it reads is newer than its main process.
  - A handler is lost when a run is killed between the change and the end of the play; this state is read from the
    host, so the next run restarts what the killed one did not.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description:
      - Says what would be done; on a host without the unit everything would be. What earlier tasks would write is not
        on the host, so it is named in O(pending).
  diff_mode:
    support: full
    description: Shows enablement, activity and staleness before and after.
options:
  name:
    description: Name of the unit, such as C(containerd.service).
    type: str
    required: true
  files:
    description:
      - Files that the unit's process reads at its start, shell patterns allowed.
      - The unit's own files and drop-ins need not be listed.
    type: list
    elements: str
    default: []
  pending:
    description:
      - Files that earlier tasks of the run have written, or would in check mode. In check mode those of them that the
        unit reads count as newer than its process; otherwise the host itself tells.
    type: list
    elements: str
    default: []
  reload_files:
    description:
      - Files that the unit reads again when it is reloaded, which is enough for them. Shell patterns allowed.
    type: list
    elements: str
    default: []
  running:
    description: Whether the unit must run now. Without it the unit is only enabled.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: Run containerd with its present configuration
  trainyard.mlstack.systemd_unit:
    name: containerd.service
    files: [/etc/containerd/config.toml, /usr/local/bin/containerd]
    pending: "{{ written.changed_files }}"
"""

RETURN = r"""
actions:
  description: What was done, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [daemon-reload, restart]
"""

import fnmatch
import glob
import os
import time
from typing import Any, Dict, List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.unit import PROPERTIES, Unit, actions, parse_show

SPEC = {
    "name": {"type": "str", "required": True},
    "files": {"type": "list", "elements": "str", "default": []},
    "pending": {"type": "list", "elements": "str", "default": []},
    "reload_files": {"type": "list", "elements": "str", "default": []},
    "running": {"type": "bool", "default": True},
}


def newest_change(patterns: List[str]) -> float:
    """Return the latest change time of the files, as seconds since the epoch; 0 when there is none."""
    paths = [path for pattern in patterns for path in glob.glob(pattern)]
    return max([os.stat(path).st_mtime for path in paths] or [0.0])


def read_by(paths: List[str], patterns: List[str]) -> bool:
    """Tell whether one of the paths matches one of the patterns."""
    return any(fnmatch.fnmatchcase(path, pattern) for path in paths for pattern in patterns)


def describe(unit: Unit, stale: bool) -> str:
    """Return the unit's state as lines for a diff."""
    return f"enabled: {unit.enabled}\nactive: {unit.active}\nstarted after its files: {not stale}\n"


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    name, running = module.params["name"], module.params["running"]
    _status, out, _errors = module.run_command(["systemctl", "show", name, "--property", ",".join(PROPERTIES)])
    unit = parse_show(out, boot_time=time.time() - time.clock_gettime(time.CLOCK_MONOTONIC))
    changed_at = newest_change(module.params["files"] + unit.files)
    pending = module.params["pending"] if module.check_mode else []
    stale = unit.active and (changed_at > unit.started_at or read_by(pending, module.params["files"] + unit.files))
    unit = unit._replace(reload=unit.reload or read_by(pending, unit.files))
    again = newest_change(module.params["reload_files"]) > unit.changed_at
    outdated = unit.active and (again or read_by(pending, module.params["reload_files"]))
    todo = actions(unit, stale, running, outdated)
    result: Dict[str, Any] = {"changed": bool(todo), "actions": todo, "diff": {"before": "", "after": ""}}
    if todo:
        result["diff"] = {
            "before": describe(unit, stale or outdated),
            "after": describe(unit._replace(enabled=True, active=unit.active or running), False),
        }
    if not module.check_mode:
        for action in todo:
            command = ["systemctl", action] + ([] if action == "daemon-reload" else [name])
            status, _out, errors = module.run_command(command)
            if status != 0:
                _status, log, _errors = module.run_command(
                    ["journalctl", "--unit", name, "--lines", "15", "--no-pager", "--output", "cat"]
                )
                module.fail_json(
                    msg=f"systemctl {action} {name} failed: {errors.strip()} Last lines of its log:\n{log}", **result
                )
    module.exit_json(**result)


if __name__ == "__main__":
    main()
