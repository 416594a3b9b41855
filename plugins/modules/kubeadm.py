#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubeadm
short_description: Take a host one kubeadm step further
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
      - V(invite) makes a token on a control plane and returns RV(discovery). It always makes one, so ask only when
        a node joins.
    type: str
    choices: [init, join, invite]
    required: true
  discovery:
    description: For V(join), the kubeconfig that an V(invite) returned. Needed only when the node has not joined yet.
    type: str
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
  returned: for init and join
  sample: none
discovery:
  description: A kubeconfig with a token. Secret.
  type: str
  returned: for invite
"""

import os
from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._background import Progress, start
from ansible_collections.trainyard.mlstack.plugins.module_utils._kubeadm import (
    KUBEADM,
    Layout,
    config_sha256,
    discovery_kubeconfig,
    read_state,
    write_state,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kubeadm_run import stream

SPEC = {
    "step": {"type": "str", "choices": ["init", "join", "invite"], "required": True},
    "discovery": {"type": "str", "no_log": True},
    "ttl": {"type": "str", "default": "1h"},
    "timeout": {"type": "int", "default": 600},
}
LAYOUT = Layout()


def make(progress: Progress, step: str, discovery: str) -> Dict[str, Any]:
    """Take the step, from a clean start when an earlier try left half of it."""
    stage = read_state(LAYOUT, step).stage
    if stage == "half":
        progress.say(f"reset of a half-made {step}")
        stream(progress, [KUBEADM, "reset", "--force"])
    write_state(LAYOUT, step, "begun")
    try:
        if step == "join":
            descriptor = os.open(LAYOUT.discovery, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
                handle.write(discovery)
        quiet = ["--skip-token-print", "--skip-certificate-key-print"] if step == "init" else []
        stream(progress, [KUBEADM, step, "--config", LAYOUT.config] + quiet)
    finally:
        if step == "join":
            os.unlink(LAYOUT.discovery)
    write_state(LAYOUT, step, "done")
    return {"changed": True, "stage": stage, "diff": {"before": f"{step}: {stage}\n", "after": f"{step}: done\n"}}


def invite(module: AnsibleModule) -> None:
    """Make a token and end with the kubeconfig that holds it."""
    if module.check_mode:
        module.exit_json(changed=True, discovery="")
    status, token, errors = module.run_command(
        [
            KUBEADM,
            "token",
            "create",
            "--ttl",
            module.params["ttl"],
            "--kubeconfig",
            LAYOUT.admin,
            "--description",
            "trainyard.mlstack: nodes that join now",
        ]
    )
    if status != 0 or not token.strip():
        module.fail_json(msg=f"kubeadm made no token: {errors.strip() or 'its output is empty'}")
    try:
        module.exit_json(changed=True, discovery=discovery_kubeconfig(LAYOUT, token.strip()))
    except (OSError, ValueError) as error:
        module.fail_json(msg=f"this control plane cannot invite nodes: {error}")


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    step = module.params["step"]
    if step == "invite":
        invite(module)
    state = read_state(LAYOUT, step)
    if state.stage == "done":
        # A control plane's settings are brought to it by module control_plane_settings.
        if step == "join" and state.config_sha256 not in (None, config_sha256(LAYOUT)):
            module.warn(
                f"{LAYOUT.config} differs from what this node was made from; a node that exists keeps its settings"
            )
        module.exit_json(changed=False, stage=state.stage)
    if module.check_mode:
        module.exit_json(
            changed=True, stage=state.stage, diff={"before": f"{step}: {state.stage}\n", "after": f"{step}: done\n"}
        )
    discovery = module.params["discovery"]
    if step == "join" and not discovery:
        way_out = "make an invitation on a control plane first (step: invite)"
        module.fail_json(msg=f"discovery is empty, but this node has not joined: {way_out}")
    module.exit_json(changed=True, background=start("kubeadm", lambda progress: make(progress, step, discovery)))


if __name__ == "__main__":
    main()
