#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_packages
short_description: "Internal: Install and hold Debian packages"
description:
  - Installs the packages that are missing and holds those that must not be upgraded, in one step.
  - Needs no python3-apt, so that check mode and diff work on a bare host.
  - Waits for the locks of apt and dpkg, and finishes the work of a dpkg that was killed.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Asks dpkg only.
  diff_mode:
    support: full
    description: Shows each package that would be installed or held.
options:
  packages:
    description: Packages that shall be installed, in whatever version is there.
    type: list
    elements: str
    required: true
  held:
    description: Packages that shall not be upgraded. Those that are not installed are left alone.
    type: list
    elements: str
    default: []
  cache_valid_time:
    description:
      - Age in seconds up to which the package lists are not fetched again.
      - They are fetched only when a package is missing.
    type: int
    default: 86400
  lock_timeout:
    description: Seconds to wait for another process that holds a lock of apt or dpkg.
    type: int
    default: 300
  bundle:
    description:
      - Folder of a bundle on the controller whose repository holds the packages, made by
        M(trainyard.mlstack.bundle_packages). Then packages come from there and from nowhere else; the host's own
        sources are neither asked nor changed.
      - Without it packages come from the host's own apt sources.
    type: path
  url:
    description:
      - Address at which a web server serves the bundle's folder. The host fetches what it lacks from there; the
        sums are still those of the controller's index. Empty means that packages travel through the controller.
    type: str
    default: ""
  certificates:
    description:
      - Certificates (PEM) that are trusted for O(url) besides the host's own. It may lack the package that keeps them.
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds until the controller stops waiting for packages of a bundle; the work goes on on the host.
    type: int
    default: 1200
  files:
    description: Set by the action plugin, the files of the repository by system; not for playbooks.
    type: dict
  incoming:
    description: Set by the action plugin, the folder on the host where the transferred files lie; not for playbooks.
    type: path
  allow_removal:
    description: Whether apt may remove packages that conflict with a wanted one.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Install what kubelet needs
  trainyard.mlstack.node_packages:
    packages: [conntrack, socat]
    held: [conntrack]

- name: Install it on a host without any mirror
  trainyard.mlstack.node_packages:
    packages: [conntrack, socat]
    bundle: "{{ mlstack_bundle_dir }}"
"""

RETURN = r"""
installed:
  description: Packages that were installed, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [conntrack]
held:
  description: Packages that were held, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: []
"""

from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.packages import PackagesError, PackagesOfBundle
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import Progress, WorkError, start
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.packages import (
    ENVIRONMENT,
    carry_out,
    interrupted,
    make_plan,
    query,
)

SPEC = {
    "packages": {"type": "list", "elements": "str", "required": True},
    "held": {"type": "list", "elements": "str", "default": []},
    "cache_valid_time": {"type": "int", "default": 86400},
    "lock_timeout": {"type": "int", "default": 300},
    "allow_removal": {"type": "bool", "default": False},
    "bundle": {"type": "path"},
    "url": {"type": "str", "default": ""},
    "certificates": {"type": "list", "elements": "str", "default": []},
    "timeout": {"type": "int", "default": 1200},
    "files": {"type": "dict"},
    "incoming": {"type": "path"},
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    module.run_command_environ_update = ENVIRONMENT
    options, run = module.params, module.run_command
    found = query(run, options["packages"] + options["held"])
    plan = make_plan(found, options["packages"], options["held"], interrupted(run))
    result = {"changed": not plan.empty, "installed": plan.install, "held": plan.hold, "diff": plan.diff(found)}
    settings = (options["cache_valid_time"], options["lock_timeout"], options["allow_removal"])
    if options["bundle"] and plan.install:
        bundle = PackagesOfBundle(run, options, plan.install)
        # The action plugin looks whether the bundle has them, in check mode too.
        told = {**result, "system": bundle.system}
        if module.check_mode:
            module.exit_json(**told)
        if not options["files"]:
            module.exit_json(**{**told, "changed": False, "asks": True})

        def work(progress: Progress) -> Dict[str, Any]:
            try:
                missing = bundle.prepare(progress.say)
                if missing:
                    return {**told, "changed": False, "missing": missing}
                progress.say(f"install {', '.join(plan.install)}")
                carry_out(run, plan, *settings, repository=bundle.options)
            except (PackagesError, CommandError) as error:
                raise WorkError(f"packages {', '.join(plan.install)} were not installed: {error}") from error
            finally:
                bundle.close()
            return result

        module.exit_json(changed=True, background=start("node_packages", work))
    if not (plan.empty or module.check_mode):
        try:
            carry_out(run, plan, *settings)
        except CommandError as error:
            names = ", ".join(plan.install)
            way_out = "Correct the names, or the host's apt sources"
            module.fail_json(msg=f"packages {names} were not all installed: {error}. {way_out}")
    module.exit_json(**result)


if __name__ == "__main__":
    main()
