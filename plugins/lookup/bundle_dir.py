# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bundle of a release lies on the controller."""

from __future__ import annotations

DOCUMENTATION = r"""
name: bundle_dir
author: The trainyard founders (@trainyard)
version_added: 0.1.0
short_description: Folder of a release's bundle on the controller
description:
  - Returns O(dir) when it is set, else C(<cache>/bundles/<release>-<architecture>).
options:
  dir:
    description: The folder, when the user has chosen one.
    type: str
    vars: [{name: mlstack_bundle_dir}]
  cache:
    description: Folder for everything that is built once and kept.
    type: str
    default: ~/.cache/trainyard
    vars: [{name: mlstack_cache_dir}]
  release:
    description: Name of the release. The newest one when left out.
    type: str
    vars: [{name: mlstack_release}]
  release_dirs:
    description: Folders with your own releases.
    type: list
    elements: path
    default: []
    vars: [{name: mlstack_release_dirs}]
  architecture:
    description: Architecture of the nodes, as Go names it. The controller's own when left out.
    type: str
    choices: [amd64, arm64]
    vars: [{name: mlstack_architecture}]
"""

EXAMPLES = r"""
- name: Show where the bundle lies
  ansible.builtin.debug:
    msg: "{{ lookup('trainyard.mlstack.bundle_dir') }}"
"""

RETURN = r"""
_raw:
  description: One absolute path.
  type: list
  elements: path
"""

import os
import platform
from typing import Any

from ansible.plugins.lookup import LookupBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import known_releases

GO_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}


class LookupModule(LookupBase):
    """Resolve the folder from options, which the user's variables fill."""

    def run(self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        chosen = self.get_option("dir")
        if chosen:
            return [os.path.abspath(os.path.expanduser(chosen))]
        machine = platform.machine()
        architecture = self.get_option("architecture") or GO_NAMES.get(machine, machine)
        release = self.get_option("release") or known_releases(self.get_option("release_dirs"))[-1]
        cache = os.path.abspath(os.path.expanduser(self.get_option("cache")))
        return [os.path.join(cache, "bundles", f"{release}-{architecture}")]
