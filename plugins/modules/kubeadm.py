#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubeadm
short_description: "Internal: Run the next kubeadm step on a host"
description:
  - Starts a control plane, invites nodes to it, or joins a node, each once.
  - A step that was begun and not ended (the host was restarted, kubeadm was killed) is reset and made again; one that
    still runs, because only the controller died, is waited for.
  - The token of an invitation travels in the module's arguments over the connection and lies in a file of mode 0600
    while it is used; it is never on a command line.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Says whether the step would be taken.
  diff_mode:
    support: full
    description: Shows the step's stage before and after.
options:
  step:
    description:
      - V(init) starts a control plane from C(/etc/kubernetes/mlstack/kubeadm.yaml).
      - V(join) joins this host by the same file and O(discovery).
      - V(join_control_plane) makes this host one more control plane by C(/etc/kubernetes/mlstack/kubeadm-join.yaml),
        O(discovery) and O(authorities). One at a time, since each changes the members of etcd.
      - V(inspect) waits for what an earlier run has left running on this host and returns how far it is as a control
        plane.
      - V(invite) makes a token on a control plane and returns RV(discovery). It always makes one, so ask only when
        a node joins.
      - V(admit) lets a control plane prepare for O(node_name) to become one too. It waits until etcd is healthy, and
        removes what an earlier life or a broken join of that node has left in etcd and among the nodes.
    type: str
    choices: [init, join, join_control_plane, inspect, admit, invite]
    required: true
  discovery:
    description: For a join, the kubeconfig that an V(invite) returned. Needed only when the node has not joined yet.
    type: str
  authorities:
    description: For V(join_control_plane), what V(invite) returned, keys among it.
    type: dict
  node_name:
    description: For V(admit), the name of the node that becomes a control plane.
    type: str
  node_address:
    description: For V(admit), the node's address in the cluster.
    type: str
  control_plane:
    description: For V(invite), whether a control plane is invited, which needs RV(authorities) too.
    type: bool
    default: false
  ttl:
    description: For V(invite), how long the token lives, in Go's notation.
    type: str
    default: 1h
  timeout:
    description:
      - Seconds until the controller stops waiting.
      - The default is twice what kubeadm itself allows a control plane for its start.
    type: int
    default: 600
"""

EXAMPLES = r"""
- name: Start the control plane
  trainyard.mlstack.kubeadm:
    step: init

- name: Invite nodes
  trainyard.mlstack.kubeadm:
    step: invite
  delegate_to: cp-1
  no_log: true
  register: invitation

- name: Join this node
  trainyard.mlstack.kubeadm:
    step: join
    discovery: "{{ invitation.discovery }}"
"""

RETURN = r"""
stage:
  description: How far the step was before the module ran, V(none), V(half) or V(done).
  type: str
  returned: for all but admit and invite
  sample: none
removed:
  description: Members that were removed from etcd, by name and address.
  type: list
  elements: str
  returned: for admit
authorities:
  description: Path below C(/etc/kubernetes/pki) to content of what all control planes share. Secret.
  type: dict
  returned: for invite of a control plane
discovery:
  description: A kubeconfig with a token. Secret.
  type: str
  returned: for invite
"""

import os
from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import Progress, start
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.etcd_client import Etcd
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import (
    KUBEADM,
    Layout,
    config_sha256,
    discovery_kubeconfig,
    read_record,
    read_state,
    write_state,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm_invite import (
    InviteError,
    invited,
    make_room,
    read_authorities,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm_run import stream

TAKEN = ("init", "join", "join_control_plane")
SPEC = {
    "step": {"type": "str", "choices": [*TAKEN, "inspect", "admit", "invite"], "required": True},
    "discovery": {"type": "str", "no_log": True},
    "authorities": {"type": "dict", "no_log": True},
    "node_name": {"type": "str"},
    "node_address": {"type": "str"},
    "control_plane": {"type": "bool", "default": False},
    "ttl": {"type": "str", "default": "1h"},
    "timeout": {"type": "int", "default": 600},
}
LAYOUT = Layout()
# What a member of etcd gets to answer in, on a host that has just been started.
ETCD_SECONDS = 90.0


def make(progress: Progress, step: str, discovery: str, authorities: Dict[str, str]) -> Dict[str, Any]:
    """Take the step, from a clean start when an earlier try left half of it."""
    stage = read_state(LAYOUT, step).stage
    if stage == "half":
        progress.say(f"reset of a half-made {step}")
        stream(progress, [KUBEADM, "reset", "--force"])
    write_state(LAYOUT, step, "begun")
    quiet = ["--skip-token-print", "--skip-certificate-key-print"] if step == "init" else []
    with invited(LAYOUT, discovery, authorities):
        stream(progress, [KUBEADM, step.split("_")[0], "--config", LAYOUT.config_of(step), *quiet])
    write_state(LAYOUT, step, "done")
    return {"changed": True, "stage": stage, "diff": {"before": f"{step}: {stage}\n", "after": f"{step}: done\n"}}


def admit(module: AnsibleModule) -> None:
    """Make room for one more control plane."""
    if module.check_mode:
        module.exit_json(changed=True, removed=[])
    name, address = module.params["node_name"], module.params["node_address"]
    try:
        removed = make_room(LAYOUT, Etcd(LAYOUT.pki_folder), module.run_command, name, address, ETCD_SECONDS)
    except (InviteError, OSError) as error:
        module.fail_json(msg=f"{name} cannot become a control plane now: {error}")
    module.exit_json(changed=bool(removed), removed=removed)


def invite(module: AnsibleModule) -> None:
    """Make a token and end with the kubeconfig that holds it."""
    if module.check_mode:
        module.exit_json(changed=True, discovery="", authorities={})
    command = [KUBEADM, "token", "create", "--ttl", module.params["ttl"], "--kubeconfig", LAYOUT.admin]
    command += ["--description", "trainyard.mlstack: nodes that join now"]
    status, token, errors = module.run_command(command)
    if status != 0 or not token.strip():
        module.fail_json(msg=f"kubeadm made no token: {errors.strip() or 'its output is empty'}")
    try:
        further = {"authorities": read_authorities(LAYOUT)} if module.params["control_plane"] else {}
        discovery = discovery_kubeconfig(LAYOUT, token.strip())
    except (OSError, ValueError) as error:
        module.fail_json(msg=f"this control plane cannot invite nodes: {error}")
    module.exit_json(changed=True, discovery=discovery, **further)


def inspect(module: AnsibleModule) -> None:
    """End with the stage, once nothing of an earlier run works on this host."""

    def stage() -> Dict[str, Any]:
        return {"changed": False, "stage": read_state(LAYOUT, "join_control_plane").stage}

    if module.check_mode:
        module.exit_json(**stage())
    module.exit_json(changed=False, background=start("kubeadm", lambda _progress: stage()))


# Steps that are about more than how far this host is.
APART = {"admit": admit, "inspect": inspect, "invite": invite}


def main() -> None:
    module = AnsibleModule(
        argument_spec=SPEC,
        required_if=[("step", "admit", ("node_name", "node_address"))],
        supports_check_mode=True,
    )
    step = module.params["step"]
    if step in APART:
        if step != "inspect" and not (module.check_mode or os.path.exists(LAYOUT.admin)):
            module.fail_json(msg=f"this host is no control plane yet ({LAYOUT.admin}): run without --limit first")
        APART[step](module)
    state, record = read_state(LAYOUT, step), read_record(LAYOUT)
    if state.stage == "done":
        # A control plane's settings are brought to it by module control_plane_settings.
        if step == "join" and state.config_sha256 not in (None, config_sha256(LAYOUT, step)):
            path = LAYOUT.config_of(step)
            module.warn(f"{path} differs from what this node was made from; a node that exists keeps its settings")
        module.exit_json(changed=False, stage=state.stage)
    if step == "init" and (record.get("step"), record.get("stage")) == ("join_control_plane", "begun"):
        module.fail_json(msg=(
            "this host was about to join a cluster, and no control plane of that one is left in the inventory."
            " To make a new cluster of it, empty it first: kubeadm reset --force"
        ))
    if module.check_mode:
        module.exit_json(
            changed=True, stage=state.stage, diff={"before": f"{step}: {state.stage}\n", "after": f"{step}: done\n"}
        )
    discovery, authorities = module.params["discovery"], module.params["authorities"] or {}
    if step != "init" and not discovery:
        way_out = "make an invitation on a control plane first (step: invite)"
        module.fail_json(msg=f"discovery is empty, but this node has not joined: {way_out}")
    module.exit_json(
        changed=True, background=start("kubeadm", lambda progress: make(progress, step, discovery, authorities))
    )


if __name__ == "__main__":
    main()
