#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: lab_nodes
short_description: "Internal: Create or remove the nodes of a lab"
description:
  - Makes one container with systemd for each host, all at the same time, and waits until SSH answers in each.
  - A stopped node is started. One that was made from another image or with other flags is replaced by a bare one.
    A node that is made or replaced starts with empty volumes.
  - Raises the machine's limit of inotify instances, which all nodes share, until the machine restarts.
  - With O(state=absent) everything that carries the lab's label is removed, whatever the inventory says.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Says what would be done to each node.
  diff_mode:
    support: full
    description: Shows what is there before and after.
options:
  name:
    description: Name of the lab. It prefixes all that is made and is written on it as a label.
    type: str
    required: true
  state:
    description: Whether the lab shall be there.
    type: str
    choices: [present, absent]
    default: present
  nodes:
    description: The lab's hosts, name to address. Needed with O(state=present).
    type: dict
  networks:
    description:
      - The lab's networks; each node has a card on each of them. Needed with O(state=present).
      - The first one is that of the addresses in O(nodes). A node has the same number in all of them.
    type: list
    elements: dict
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
  image:
    description: Image of the nodes. Needed with O(state=present).
    type: str
  authorized_key:
    description: Path of the public key that opens the nodes to root. Needed with O(state=present).
    type: path
  runtime:
    description: The container runtime.
    type: str
    choices: [crun, runc]
    default: crun
  limits:
    description: Resource limits of the nodes, name to number, where podman must not set its own.
    type: dict
    default: {}
  kernel_modules:
    description: Show the nodes the kernel's modules in C(/lib/modules).
    type: bool
    default: false
  shared_path:
    description: Folder that all nodes share.
    type: path
    default: /srv/mlstack
  shown:
    description: Folders of the machine that the nodes see at the same place, and cannot write to.
    type: list
    elements: path
    default: []
  timeout:
    description: How long a node may take until SSH answers, in seconds.
    type: int
    default: 90
"""

EXAMPLES = r"""
- name: Make a lab of two nodes
  trainyard.mlstack.lab_nodes:
    name: demo
    networks:
      - {name: demo, subnets: [10.70.3.0/24]}
    nodes: {cp-1: 10.70.3.11, node-1: 10.70.3.21}
    image: localhost/trainyard/lab-node:0123456789ab
    authorized_key: /root/.cache/trainyard/labs/demo/id_ed25519.pub

- name: Remove it
  trainyard.mlstack.lab_nodes:
    name: demo
    state: absent
"""

RETURN = r"""
nodes:
  description: What was done to each node, C(created), C(started), C(replaced) or C(unchanged).
  type: dict
  returned: with O(state=present)
  sample: {cp-1: created, node-1: unchanged}
host_keys:
  description:
    - The SSH host keys of each node, as lines of the node's own public key files, read inside the node.
    - In check mode only those of nodes that are running.
  type: dict
  returned: with O(state=present)
  sample: {cp-1: [ssh-ed25519 AAAA]}
removed:
  description: What was removed.
  type: list
  elements: str
  returned: with O(state=absent)
  sample: [container demo-cp-1, volume demo-shared, network demo]
"""

import os

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.keeper import Keeper, NodeError, remove
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.nodes import KEEP, Lab, describe, networks
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.podman import Podman, PodmanError

SPEC = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "nodes": {"type": "dict"},
    "networks": {
        "type": "list",
        "elements": "dict",
        "options": {
            "name": {"type": "str", "required": True},
            "subnets": {"type": "list", "elements": "str", "required": True},
            "default_route": {"type": "bool", "default": True},
        },
    },
    "image": {"type": "str"},
    # Not a secret: a public key's path.
    "authorized_key": {"type": "path", "no_log": False},
    "runtime": {"type": "str", "choices": ["crun", "runc"], "default": "crun"},
    "limits": {"type": "dict", "default": {}},
    "kernel_modules": {"type": "bool", "default": False},
    "shared_path": {"type": "path", "default": "/srv/mlstack"},
    "shown": {"type": "list", "elements": "path", "default": []},
    "timeout": {"type": "int", "default": 90},
}


def present(module: AnsibleModule, podman: Podman) -> None:
    """Make the lab and end the module."""
    want = module.params
    lab = Lab(
        want["name"],
        want["image"],
        want["runtime"],
        want["limits"],
        want["kernel_modules"],
        want["shared_path"],
        networks(want["networks"]),
        tuple(want["shown"]),
    )
    keeper = Keeper(podman, lab, want["nodes"], want["timeout"])
    settings = keeper.settings_too_low()
    missing = keeper.networks_missing()
    steps = keeper.steps()
    public_key = read_key(want["authorized_key"])
    if module.check_mode:
        access = keeper.look(steps, public_key)
    else:
        keeper.raise_settings(settings)
        keeper.make_networks(missing)
        access = keeper.make(steps, public_key)
    new_key = any(access[host].new for host, step in steps.items() if step == KEEP and host in access)
    module.exit_json(
        changed=bool(settings) or bool(missing) or new_key or set(steps.values()) != {KEEP},
        nodes=steps,
        host_keys={host: found.host_keys for host, found in access.items()},
        diff={"before": describe(steps, settings, before=True), "after": describe(steps, settings, before=False)},
    )


def read_key(path: str) -> str:
    """Return the public key in this file; empty when it is not there yet, as in check mode."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as handle:
        return handle.read().strip()


def absent(module: AnsibleModule, podman: Podman) -> None:
    """Remove the lab and end the module."""
    removed = remove(podman, module.params["name"], really=not module.check_mode)
    before = "".join(f"{line}\n" for line in removed)
    module.exit_json(changed=bool(removed), removed=removed, diff={"before": before, "after": ""})


def main() -> None:
    module = AnsibleModule(
        argument_spec=SPEC,
        required_if=[("state", "present", ["nodes", "networks", "image", "authorized_key"])],
        supports_check_mode=True,
    )
    podman = Podman(module.run_command)
    try:
        (present if module.params["state"] == "present" else absent)(module, podman)
    except (PodmanError, NodeError) as error:
        module.fail_json(msg=f"{error}. Run the playbook again; if it stays so, take the lab down first.")


if __name__ == "__main__":
    main()
