#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: swap_off
short_description: Turn swap off, now and for the next boot
description:
  - Turns off every swap area in use, makes comments of the swap lines in C(/etc/fstab), and masks the units by which
    systemd would turn swap on again, those for partitions found by their type and for compressed memory among them.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Looks only.
  diff_mode:
    support: full
    description: Shows areas, units and C(/etc/fstab) before and after.
options: {}
"""

EXAMPLES = r"""
- name: Turn swap off for good
  trainyard.mlstack.swap_off:
"""

RETURN = r"""
areas:
  description: Areas that were turned off, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [/dev/sda2]
units:
  description: Units that were masked, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [dev-zram0.swap]
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.swap import carry_out, make_plan


def main() -> None:
    module = AnsibleModule(argument_spec={}, supports_check_mode=True)
    plan = make_plan(Host())
    if not module.check_mode:
        try:
            carry_out(module.run_command, plan)
        except CommandError as error:
            module.fail_json(msg=f"swap was not turned off: {error}")
    module.exit_json(changed=not plan.empty, areas=plan.areas, units=plan.units, diff=plan.diff())


if __name__ == "__main__":
    main()
