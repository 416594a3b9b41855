#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_kernel
short_description: "Internal: Load kernel modules, set kernel parameters and disable swap persistently"
description:
  - Owns the files C(/etc/modules-load.d/mlstack.conf) and C(/etc/sysctl.d/99-zz-mlstack.conf) whole.
  - Loads a module only when the kernel neither has it loaded nor built in, and writes a setting only when its running
    value differs; so it also repairs what was changed by hand since the last run.
  - Turns off every swap area in use, makes comments of the swap lines in C(/etc/fstab), and masks the units by which
    systemd would turn swap on again, those for partitions found by their type and for compressed memory among them.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Compares only.
  diff_mode:
    support: full
    description: Shows modules, running values, files, swap areas and units before and after.
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
  swap_off:
    description: Whether swap is turned off.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Let the host forward and filter the traffic of pods
  trainyard.mlstack.node_kernel:
    modules: [br_netfilter]
    sysctls:
      net.ipv4.ip_forward: "1"
      net.bridge.bridge-nf-call-iptables: "1"
    swap_off: true
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
swap_areas:
  description: Swap areas that were turned off, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [/dev/sda2]
swap_units:
  description: Units that were masked, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [dev-zram0.swap]
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import swap
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.kernel_settings import (
    KernelError,
    carry_out,
    make_plan,
    normal,
)

SPEC = {
    "modules": {"type": "list", "elements": "str", "default": []},
    "sysctls": {"type": "dict", "default": {}},
    "swap_off": {"type": "bool", "default": False},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    host = Host()
    wanted = {key: normal(value) for key, value in module.params["sysctls"].items()}
    try:
        plan = make_plan(host, module.params["modules"], wanted)
        swapping = swap.make_plan(host) if module.params["swap_off"] else swap.SwapPlan()
        if not module.check_mode:
            carry_out(host, module.run_command, plan, wanted)
            swap.carry_out(module.run_command, swapping)
    except (CommandError, KernelError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(
        changed=not (plan.empty and swapping.empty),
        loaded=plan.load,
        set=sorted(plan.values),
        swap_areas=swapping.areas,
        swap_units=swapping.units,
        diff=[*plan.diff(wanted), *swapping.diff()],
    )


if __name__ == "__main__":
    main()
