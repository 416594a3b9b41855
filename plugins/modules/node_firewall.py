#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_firewall
short_description: "Internal: Open the ports of a node in ufw or firewalld"
description:
  - Opens the ports on which a node listens in ufw or firewalld, whichever is active, and lets packets of pods pass.
  - All rules bear the name C(mlstack). Others are neither changed nor removed, and a rule that the site has made itself
    is not made twice.
  - Does nothing where neither of the two is active.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Predicts every change.
  diff_mode:
    support: full
    description: Shows the rules of ufw, or the files of firewalld.
options:
  state:
    description: Whether the ports are V(open), or V(closed), which takes all rules of the collection away again.
    type: str
    choices: [open, closed]
    default: open
  control_plane:
    description: Whether the host is a control plane.
    type: bool
    default: false
  control_planes:
    description: How many control planes the cluster has. From two on, their etcd must reach each other.
    type: int
    default: 1
  pod_network:
    description: The pod network; for V(flannel) the port of vxlan is opened.
    type: str
    default: flannel
  vxlan_port:
    description: UDP port of vxlan.
    type: int
    default: 8472
  node_ports:
    description: Whether the ports of services of type NodePort are opened.
    type: bool
    default: false
  addresses:
    description: Addresses of the node in the cluster.
    type: list
    elements: str
    default: []
  sources:
    description: Networks of the nodes. Those in which O(addresses) lie when empty.
    type: list
    elements: str
    default: []
  pods:
    description: Networks of the pods.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Open the ports of a worker
  trainyard.mlstack.node_firewall:
    addresses: [192.0.2.11]
    pods: [10.244.0.0/16]

- name: Take the rules away
  trainyard.mlstack.node_firewall:
    state: closed
"""

RETURN = r"""
manager:
  description: Which firewall is active, V(ufw) or V(firewalld); empty for none of the two.
  type: str
  returned: success
  sample: ufw
sources:
  description: Networks for which the ports that only nodes use are open.
  type: list
  elements: str
  returned: success
  sample: [192.0.2.0/24]
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_network import networks
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.open_ports import (
    carry_out,
    make_plan,
    own_networks,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.ports import needed

SPEC = {
    "state": {"type": "str", "choices": ["open", "closed"], "default": "open"},
    "control_plane": {"type": "bool", "default": False},
    "control_planes": {"type": "int", "default": 1},
    "pod_network": {"type": "str", "default": "flannel"},
    "vxlan_port": {"type": "int", "default": 8472},
    "node_ports": {"type": "bool", "default": False},
    "addresses": {"type": "list", "elements": "str", "default": []},
    "sources": {"type": "list", "elements": "str", "default": []},
    "pods": {"type": "list", "elements": "str", "default": []},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    host, options = Host(), module.params
    is_open = options["state"] == "open"
    sources = (options["sources"] or own_networks(networks(host), options["addresses"])) if is_open else []
    try:
        plan = make_plan(
            module.run_command,
            host,
            needed(options) if is_open else [],
            sources,
            options["pods"] if is_open else [],
        )
        if not module.check_mode:
            carry_out(module.run_command, plan)
    except CommandError as error:
        module.fail_json(msg=f"the firewall was not changed as wanted: {error}")
    module.exit_json(changed=not plan.empty, manager=plan.manager, sources=sources, diff=plan.diff())


if __name__ == "__main__":
    main()
