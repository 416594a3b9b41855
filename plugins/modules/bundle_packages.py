#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_packages
short_description: "Internal: Download the OS packages of a host's distribution into a bundle"
description:
  - Finds packages and all that they depend on by the apt sources of a connected host, fetches those that the bundle
    lacks, and keeps a flat apt repository in the bundle, for hosts that have no mirror.
  - The host's own lists, packages and sources are not touched.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Reads the apt sources and downloads nothing.
  diff_mode:
    support: full
    description: Shows each package that comes or goes, with its version.
options:
  bundle:
    description: Folder of the bundle on the controller. It must be made already.
    type: path
    required: true
  sets:
    description: Lists of packages; those of one list can be installed together.
    type: list
    elements: list
    required: true
  timeout:
    description: Seconds until the controller stops waiting for the host.
    type: int
    default: 1200
  known:
    description: Set by the action plugin, sums of the packages that the bundle has; not for playbooks.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Bring what kubelet needs into the bundle
  trainyard.mlstack.bundle_packages:
    bundle: "{{ mlstack_bundle_dir }}"
    sets:
      - [conntrack, socat]
"""

RETURN = r"""
folder:
  description: Folder of the repository in the bundle.
  type: str
  returned: success
  sample: packages/debian-12-amd64
packages:
  description: What the repository holds, as package and version.
  type: list
  elements: str
  returned: success
  sample: [socat 1.7.4.4-2]
"""

from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_closure import (
    Closure,
    ClosureError,
    system_folder,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import Progress, WorkError, start
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.packages import ENVIRONMENT

SPEC = {
    "bundle": {"type": "path", "required": True},
    "sets": {"type": "list", "elements": "list", "required": True},
    "timeout": {"type": "int", "default": 1200},
    "known": {"type": "list", "elements": "str", "default": []},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    module.run_command_environ_update = ENVIRONMENT

    def work(progress: Progress) -> Dict[str, Any]:
        try:
            folder = system_folder(module.run_command, Host())
            closure = Closure(module.run_command)
            debs = closure.resolve(module.params["sets"], progress.say)
            new = [deb for deb in debs if deb.sha256 not in module.params["known"]]
            found = {"changed": False, "folder": folder, "debs": [list(deb) for deb in debs], "tar": "", "controls": {}}
            return found if module.check_mode or not new else {**found, **closure.fetch(new, progress.say)}
        except ClosureError as error:
            raise WorkError(str(error)) from error

    module.exit_json(changed=False, background=start("bundle_packages", work))


if __name__ == "__main__":
    main()
