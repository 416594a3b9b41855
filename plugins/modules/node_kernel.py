#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_kernel
short_description: Load kernel modules and set kernel settings, now and for the next boot
description:
  - Owns the files C(/etc/modules-load.d/mlstack.conf) and C(/etc/sysctl.d/99-zz-mlstack.conf) whole.
  - Loads a module only when the kernel neither has it loaded nor built in, and writes a setting only when its running
    value differs; so it also puts right what was changed by hand since the last run.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Compares only.
  diff_mode:
    support: full
    description: Shows modules, running values and files before and after.
options:
  modules:
    description: Kernel modules. One that the kernel does not have is an error.
    type: list
    elements: str
    default: []
  sysctls:
    description: Kernel settings by key. One that is not there after the modules are loaded is an error.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Let the host forward and filter the traffic of pods
  trainyard.mlstack.node_kernel:
    modules: [br_netfilter]
    sysctls:
      net.ipv4.ip_forward: "1"
      net.bridge.bridge-nf-call-iptables: "1"
"""

RETURN = r"""
loaded:
  description: Modules that were loaded, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [br_netfilter]
set:
  description: Keys whose running value was changed, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [net.ipv4.ip_forward]
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.kernel_settings import (
    KernelError,
    carry_out,
    make_plan,
    normal,
)

SPEC = {
    "modules": {"type": "list", "elements": "str", "default": []},
    "sysctls": {"type": "dict", "default": {}},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    host = Host()
    wanted = {key: normal(value) for key, value in module.params["sysctls"].items()}
    try:
        plan = make_plan(host, module.params["modules"], wanted)
        if not module.check_mode:
            carry_out(host, module.run_command, plan, wanted)
    except (CommandError, KernelError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=not plan.empty, loaded=plan.load, set=sorted(plan.values), diff=plan.diff(wanted))


if __name__ == "__main__":
    main()
