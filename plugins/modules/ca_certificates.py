#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ca_certificates
short_description: "Internal: Trust additional CA certificates on a Debian host"
description:
  - Owns the files C(/usr/local/share/ca-certificates/mlstack-*.crt) whole and runs C(update-ca-certificates) when the
    host's bundle does not follow them, also when an earlier run was killed in between.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Compares only.
  diff_mode:
    support: full
    description: Shows the files before and after.
options:
  certificates:
    description:
      - PEM texts with one or more certificates each, all of the site's. Those of an earlier run that are not among them
        are no longer trusted.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Trust the site's own authority
  trainyard.mlstack.ca_certificates:
    certificates: "{{ query('ansible.builtin.file', 'files/site.pem') }}"
"""

RETURN = r"""
changed_files:
  description: Files that were written or removed, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [/usr/local/share/ca-certificates/mlstack-0f3c7b1d5a9e2648.crt]
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.ca_certificates import carry_out, make_plan, stale

SPEC = {"certificates": {"type": "list", "elements": "str", "required": True}}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    host, given = Host(), module.params["certificates"]
    changes = make_plan(host, given)
    changed = bool(changes) or stale(host, given)
    if changed and not module.check_mode:
        try:
            carry_out(host, module.run_command, changes)
        except CommandError as error:
            module.fail_json(msg=f"the host does not trust the certificates yet: {error}")
    module.exit_json(
        changed=changed,
        changed_files=[change.path for change in changes],
        diff=[change.diff() for change in changes],
    )


if __name__ == "__main__":
    main()
