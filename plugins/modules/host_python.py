#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_python
short_description: "Internal: Install Python on a host that lacks it"
description:
  - Looks by plain shell whether C(python3) can run modules, 3.8 or newer, and installs it from the host's own apt
    sources, or from a bundle, where there is none. It needs no Python on the host itself.
  - The interpreter that Ansible uses is not set. Debian's C(/usr/bin/python3) is found by itself.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
options:
  bundle:
    description:
      - Folder of a bundle on the controller. C(python3) then comes from the packages that playbook C(bundle_packages)
        has brought into it, and the host's own apt sources are neither asked nor changed.
      - Empty means the host's own sources.
    type: path
    default: ""
  lock_timeout:
    description: Seconds to wait for another process that holds apt's lock.
    type: int
    default: 300
attributes:
  check_mode:
    support: full
    description: Looks only.
  diff_mode:
    support: full
    description: Says what is there before and after.
"""

EXAMPLES = r"""
- name: Give the host Python
  trainyard.mlstack.host_python:
"""

RETURN = r"""
python:
  description: Version of python3; empty in check mode on a host that has none.
  type: str
  returned: success
  sample: 3.11.2
"""
