#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_files
short_description: "Internal: Manage a set of small files on a host in one step"
description:
  - Writes, or removes, all files of one idea together, so that the time it takes does not grow with their number.
  - Each file changes in one step. A link in the place of a file is replaced.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Compares only.
  diff_mode:
    support: full
    description: Shows content and mode of each file before and after, but not the content of secret ones.
options:
  files:
    description: The files.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Absolute path. Folders above it are made with mode 0755.
        type: path
        required: true
      content:
        description: The whole content, written as it is.
        type: str
        default: ""
      mode:
        description: Permission bits as four octal digits.
        type: str
        default: "0644"
      state:
        description: Whether the file shall be there.
        type: str
        choices: [present, absent]
        default: present
      secret:
        description: Whether its content must not be shown in a diff.
        type: bool
        default: false
  prune:
    description: Patterns as for a shell. Files that match one and are not named in O(files) are removed.
    type: list
    elements: path
    default: []
"""

EXAMPLES = r"""
- name: Write the settings of a service
  trainyard.mlstack.host_files:
    files:
      - path: /etc/example/settings.conf
        content: "workers = 4\n"
      - path: /etc/example/token
        content: "{{ example_token }}"
        mode: "0600"
        secret: true
      - path: /etc/example/old.conf
        state: absent
    prune: [/etc/example/hosts.d/*.conf]
"""

RETURN = r"""
changed_files:
  description: Paths that were written or removed, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [/etc/example/settings.conf]
"""

import re

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.owned_files import apply, plan

SPEC = {
    "files": {"type": "list", "elements": "dict", "required": True, "options": {
        "path": {"type": "path", "required": True},
        "content": {"type": "str", "default": ""},
        "mode": {"type": "str", "default": "0644"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "secret": {"type": "bool", "default": False},
    }},
    "prune": {"type": "list", "elements": "path", "default": []},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    # Ansible shows a module's arguments with -vvv.
    secrets = [item["content"] for item in module.params["files"] if item["secret"]]
    module.no_log_values.update(secret for secret in secrets if secret)
    for item in module.params["files"]:
        if not re.fullmatch(r"[0-7]{4}", item["mode"]):
            rule = "it must be four octal digits in quotes, such as \"0644\""
            module.fail_json(msg=f"mode of {item['path']} = {item['mode']}: {rule}")
    try:
        changes = plan(module.params["files"], module.params["prune"])
        if not module.check_mode:
            apply(changes)
    except OSError as error:
        module.fail_json(msg=f"{error.filename}: {error.strerror}; nothing of this file was changed")
    module.exit_json(
        changed=bool(changes),
        changed_files=[change.path for change in changes],
        diff=[change.diff() for change in changes],
    )


if __name__ == "__main__":
    main()
