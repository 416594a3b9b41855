#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: kubeconfig
short_description: "Internal: Manage a kubeconfig with the address of a reachable control plane"
description:
  - Writes a kubeconfig. Where its own address means something only on a node of the cluster, another one is put in.
  - The address of the file that is there stays for as long as it answers, so that a second run changes nothing.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Chooses and compares only.
  diff_mode:
    support: partial
    description: Shows that the file changes, not what it holds.
options:
  path:
    description: The file, of mode 0600.
    type: path
    required: true
  content:
    description: The kubeconfig. Secret.
    type: str
    required: true
  servers:
    description: Addresses to choose from, each C(host:port). Without any the kubeconfig's own stays.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Bring the kubeconfig to the controller
  trainyard.mlstack.kubeconfig:
    path: ~/.kube/mlstack.conf
    content: "{{ admin.content | b64decode }}"
    servers: ["192.0.2.11:6443", "192.0.2.12:6443"]
  delegate_to: localhost
  become: false
  no_log: true
"""

RETURN = r"""
server:
  description: The address in the file.
  type: str
  returned: success
  sample: 192.0.2.11:6443
"""

import os

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.owned_files import apply, plan
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeconfig import (
    choose,
    is_ready,
    server_of,
    with_server,
)

SPEC = {
    "path": {"type": "path", "required": True},
    "content": {"type": "str", "required": True, "no_log": True},
    "servers": {"type": "list", "elements": "str", "default": []},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    path, content = module.params["path"], module.params["content"]
    if server_of(content) is None:
        module.fail_json(msg="content: it names no server, so it is no kubeconfig of a cluster")
    if module.params["servers"]:
        present = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as handle:
                present = server_of(handle.read())
        server = choose(present, module.params["servers"], lambda candidate: is_ready(content, candidate))
        content = with_server(content, server)
    file = {"path": path, "content": content, "mode": "0600", "state": "present", "secret": True}
    try:
        changes = plan([file], [])
        if not module.check_mode:
            apply(changes)
    except OSError as error:
        module.fail_json(msg=f"{error.filename}: {error.strerror}; it was not changed")
    module.exit_json(changed=bool(changes), server=server_of(content), diff=[change.diff() for change in changes])


if __name__ == "__main__":
    main()
