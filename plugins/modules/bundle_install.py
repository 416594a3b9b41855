#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_install
short_description: "Internal: Install files of a bundle on a node"
description:
  - Puts programs, or any other files of a bundle, in place on a node.
  - The node names the sums that it lacks and only those files travel, through the controller or, with O(url), straight
    from a web server. Each file is checked while it is written and appears in one step; a run that was killed leaves
    the old file or the new one.
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
      size:
        description: Set by the action plugin from the index, in bytes; not for playbooks.
        type: int
  url:
    description:
      - Address at which a web server serves the bundle's folder. The node fetches what it lacks from there, over its
        own proxies (C(/etc/mlstack/proxy.env)); the sums are still those of the controller's index.
      - Empty means that files travel through the controller.
    type: str
    default: ""
  timeout:
    description: Seconds until the controller stops waiting for downloads; they go on on the host.
    type: int
    default: 1200
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

- name: Install kubelet on nodes that fetch it themselves
  trainyard.mlstack.bundle_install:
    bundle: "{{ mlstack_bundle_dir }}"
    url: http://files.example.org/2026.11-amd64
    files:
      - {path: bin/kubelet, dest: /usr/local/bin/kubelet}
"""

RETURN = r"""
installed:
  description: Paths on the node that were written, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [/usr/local/bin/kubelet]
"""

from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.files import (
    BundleFile,
    InstallError,
    compare,
    fetch_and_place,
    place,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import (
    Progress,
    WorkError,
    running,
    start,
)

SPEC = {
    "bundle": {"type": "path", "required": True},
    "url": {"type": "str", "default": ""},
    "timeout": {"type": "int", "default": 1200},
    "files": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "path": {"type": "str", "required": True},
            "dest": {"type": "path", "required": True},
            "mode": {"type": "str"},
            "sha256": {"type": "str"},
            "size": {"type": "int"},
        },
    },
    "incoming": {"type": "path"},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    url, incoming = module.params["url"], module.params["incoming"]
    compared = compare([BundleFile(**item) for item in module.params["files"]])
    result = compared.outcome()
    if module.check_mode or not result["changed"]:
        module.exit_json(**result)
    if compared.lacking and url:

        def work(progress: Progress) -> Dict[str, Any]:
            try:
                fetch_and_place(compared, url, progress.say)
            except InstallError as error:
                raise WorkError(str(error)) from error
            return result

        module.exit_json(changed=True, background=start("bundle_install", work))
    if compared.lacking and not incoming:
        # What a killed run has left at work may still read what was sent before.
        busy = running()
        if busy:
            module.exit_json(changed=False, background=busy)
        module.exit_json(changed=False, missing=[item.path for item in compared.lacking], installed=[])
    try:
        place(compared, incoming or "")
    except InstallError as error:
        module.fail_json(msg=str(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
