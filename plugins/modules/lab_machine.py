#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: lab_machine
short_description: "Internal: Check whether a machine can run a lab"
description:
  - Reads once what decides how the lab's containers are run on this machine, and what is there already.
  - Fails with all problems together, before anything is changed.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Only reads.
  diff_mode:
    support: none
    description: Changes nothing.
options:
  name:
    description: Name of the lab.
    type: str
    required: true
  networks:
    description:
      - All networks of the lab, as in M(trainyard.mlstack.lab_nodes). The nodes' addresses are of the first subnet of
        the first one, which is of IPv4.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the network.
        type: str
        required: true
      subnets:
        description: Its subnets, one of IPv4, one of IPv6 or both.
        type: list
        elements: str
        required: true
      default_route:
        description: Whether it is the nodes' way to everywhere else.
        type: bool
        default: true
  folder:
    description: Where the lab's keys go, an absolute path.
    type: path
    required: true
  nodes:
    description: The lab's hosts, name to address.
    type: dict
    required: true
  packages:
    description: The programs that the lab needs, each with the package that brings it.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: See whether this machine can hold the lab
  trainyard.mlstack.lab_machine:
    name: demo
    networks:
      - {name: demo, subnets: [10.70.3.0/24]}
    folder: /root/.cache/trainyard/labs/demo
    nodes: {cp-1: 10.70.3.11}
    packages: {podman: podman}
"""

RETURN = r"""
machine:
  description: What was found.
  type: dict
  returned: success
  contains:
    cgroup: {type: str, description: C(unified) for version 2 and C(legacy) for version 1 or both., sample: unified}
    runtime: {type: str, description: The container runtime that works with these cgroups., sample: crun}
    limits: {type: dict, description: Resource limits that a container cannot exceed here., sample: {nofile: 20000}}
    kernel_modules: {type: bool, description: Whether the kernel's modules lie in C(/lib/modules).}
    missing_packages: {type: list, elements: str, description: Packages that must be installed first.}
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import report
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.checks import Wanted, checks
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.machine import read
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.nodes import networks
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.podman import Podman, PodmanError

SPEC = {
    "name": {"type": "str", "required": True},
    "networks": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "subnets": {"type": "list", "elements": "str", "required": True},
            "default_route": {"type": "bool", "default": True},
        },
    },
    "folder": {"type": "path", "required": True},
    "nodes": {"type": "dict", "required": True},
    "packages": {"type": "dict", "required": True},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    wanted = Wanted(**{**module.params, "networks": networks(module.params["networks"])})
    try:
        machine = read(Podman(module.run_command), list(wanted.packages))
    except PodmanError as error:
        module.fail_json(msg=f"podman does not work on this machine. {error}")
    problems = checks(machine, wanted)
    if problems:
        module.fail_json(msg=report(problems))
    module.exit_json(
        changed=False,
        machine={
            "cgroup": machine.cgroup,
            "runtime": machine.runtime,
            "limits": machine.limits,
            "kernel_modules": machine.kernel_modules,
            "missing_packages": sorted(set(machine.missing(wanted.packages).values())),
        },
    )


if __name__ == "__main__":
    main()
