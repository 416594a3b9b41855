#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_install
short_description: Install files of a bundle on a node
description:
  - Puts programs, or any other files of a bundle, in place on a node.
  - The node names the sums that it lacks and only those files travel. Each file is checked while it is written and
    appears in one step; a run that was killed leaves the old file or the new one.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Compares sums and modes and transfers nothing.
  diff_mode:
    support: full
    description: Shows sum and mode of each file before and after.
options:
  bundle:
    description: Folder of the bundle on the controller; its C(index.json) gives the sums.
    type: path
    required: true
  files:
    description: What to install.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Path in the bundle, such as C(bin/kubelet).
        type: str
        required: true
      dest:
        description: Absolute path on the node. Folders above it are made.
        type: path
        required: true
      mode:
        description: Permission bits as an octal string. The index's own mode when left out.
        type: str
      sha256:
        description: Set by the action plugin from the index; not for playbooks.
        type: str
  incoming:
    description: Set by the action plugin, the folder on the node where the transferred files lie; not for playbooks.
    type: path
"""

EXAMPLES = r"""
- name: Install kubelet and kubeadm
  trainyard.mlstack.bundle_install:
    bundle: "{{ mlstack_bundle_dir }}"
    files:
      - {path: bin/kubelet, dest: /usr/local/bin/kubelet}
      - {path: bin/kubeadm, dest: /usr/local/bin/kubeadm, mode: "0750"}
"""

RETURN = r"""
installed:
  description: Paths on the node that were written, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [/usr/local/bin/kubelet]
"""

import os
from typing import Any, Dict, List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._node_files import install, mode_of, sha256_of

SPEC = {
    "bundle": {"type": "path", "required": True},
    "files": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "path": {"type": "str", "required": True},
            "dest": {"type": "path", "required": True},
            "mode": {"type": "str"},
            "sha256": {"type": "str"},
        },
    },
    "incoming": {"type": "path"},
}


def states(files: List[Dict[str, Any]]) -> Dict[str, str]:
    """Return dest -> "sha256 mode" for what is on the node now; a missing file has no entry."""
    found = {}
    for item in files:
        digest = sha256_of(item["dest"])
        if digest is not None:
            found[item["dest"]] = f"{digest} {mode_of(item['dest'])}"
    return found


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    files, incoming = module.params["files"], module.params["incoming"]
    before = states(files)
    wanted = {item["dest"]: f"{item['sha256']} {item['mode']}" for item in files}
    differing = [item for item in files if before.get(item["dest"]) != wanted[item["dest"]]]
    lacking = [item for item in differing if not before.get(item["dest"], "").startswith(item["sha256"])]
    if differing and not module.check_mode:
        if lacking and not incoming:
            module.exit_json(changed=False, missing=[item["path"] for item in lacking], installed=[])
        for item in differing:
            if item not in lacking:
                os.chmod(item["dest"], int(item["mode"], 8))
                continue
            source = os.path.join(incoming, item["sha256"])
            try:
                install(source, item["dest"], item["sha256"], item["mode"])
            except (OSError, ValueError) as error:
                module.fail_json(msg=f"{item['path']} was not installed: {error}")
    changed = [item["dest"] for item in differing]
    module.exit_json(
        changed=bool(changed),
        installed=changed,
        diff={
            "before": "".join(f"{dest} {before.get(dest, 'absent')}\n" for dest in changed),
            "after": "".join(f"{dest} {wanted[dest]}\n" for dest in changed),
        },
    )


if __name__ == "__main__":
    main()
