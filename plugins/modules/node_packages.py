#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_packages
short_description: Install and hold Debian packages on a bare host
description:
  - Installs the packages that are missing and holds those that must not be upgraded, in one step.
  - Needs no python3-apt, so that check mode and diff work on a bare host.
  - Waits for the locks of apt and dpkg, and finishes the work of a dpkg that was killed.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Asks dpkg only.
  diff_mode:
    support: full
    description: Shows each package that would be installed or held.
options:
  packages:
    description: Packages that shall be installed, in whatever version is there.
    type: list
    elements: str
    required: true
  held:
    description: Packages that shall not be upgraded. Those that are not installed are left alone.
    type: list
    elements: str
    default: []
  cache_valid_time:
    description:
      - Age in seconds up to which the package lists are not fetched again.
      - They are fetched only when a package is missing.
    type: int
    default: 86400
  lock_timeout:
    description: Seconds to wait for another process that holds a lock of apt or dpkg.
    type: int
    default: 300
  allow_removal:
    description: Whether apt may remove packages that conflict with a wanted one.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Install what kubelet needs
  trainyard.mlstack.node_packages:
    packages: [conntrack, socat]
    held: [conntrack]
"""

RETURN = r"""
installed:
  description: Packages that were installed, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [conntrack]
held:
  description: Packages that were held, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: []
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._node_packages import (
    ENVIRONMENT,
    carry_out,
    interrupted,
    make_plan,
    query,
)

SPEC = {
    "packages": {"type": "list", "elements": "str", "required": True},
    "held": {"type": "list", "elements": "str", "default": []},
    "cache_valid_time": {"type": "int", "default": 86400},
    "lock_timeout": {"type": "int", "default": 300},
    "allow_removal": {"type": "bool", "default": False},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    module.run_command_environ_update = ENVIRONMENT
    options, run = module.params, module.run_command
    found = query(run, options["packages"] + options["held"])
    plan = make_plan(found, options["packages"], options["held"], interrupted(run))
    if not (plan.empty or module.check_mode):
        try:
            carry_out(run, plan, options["cache_valid_time"], options["lock_timeout"], options["allow_removal"])
        except CommandError as error:
            names = ", ".join(plan.install)
            way_out = "Correct the names, or the host's apt sources"
            module.fail_json(msg=f"packages {names} were not all installed: {error}. {way_out}")
    module.exit_json(changed=not plan.empty, installed=plan.install, held=plan.hold, diff=plan.diff(found))


if __name__ == "__main__":
    main()
