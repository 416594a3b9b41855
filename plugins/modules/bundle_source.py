#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_source
author: The trainyard founders (@trainyard)
version_added: 0.1.0
short_description: "Internal: Select the source of a bundle's contents"
description:
  - Returns O(source), or with V(auto) what it comes to, which is shown in one line with the reason.
  - V(auto) keeps the source of a bundle that is there. Otherwise it is V(upstream) when one address of each host that
    the release names gives its first byte within seconds, else V(build).
options:
  source:
    description: What was asked for.
    type: str
    choices: [upstream, build, auto]
    required: true
  release:
    description: Name of the release, as text.
    type: raw
    required: true
  release_dirs:
    description: Folders with releases of one's own; they are looked into before those of the collection.
    type: list
    elements: path
    default: []
  gang_scheduler:
    description:
      - The gang scheduler that the cluster is to have. Images and manifests that only another one needs are left out.
        The release's own when empty.
      - V(volcano) is refused where the contents come to V(build), which cannot make it.
    type: str
    default: ""
  architecture:
    description: Architecture of the nodes, as Go names it.
    type: str
    choices: [amd64, arm64]
    required: true
  cache:
    description: Folder for everything that is made once and kept.
    type: path
    required: true
  bundle:
    description: Folder of the bundle.
    type: path
    required: true
extends_documentation_fragment: [trainyard.mlstack.network]
attributes:
  check_mode:
    description: Changes nothing, so that it does the same.
    support: full
  diff_mode:
    description: Has nothing to show.
    support: none
notes:
  - Runs on the controller, whatever the host of the task is.
"""

EXAMPLES = r"""
- name: Download where it can be done
  trainyard.mlstack.bundle_source:
    source: auto
    release: "2026.11"
    architecture: amd64
    cache: ~/.cache/trainyard
    bundle: ~/.cache/trainyard/bundles/2026.11-amd64
  register: found
"""

RETURN = r"""
source:
  description: What the bundle is made from.
  type: str
  returned: success
  sample: upstream
reason:
  description: Why.
  type: str
  returned: success
  sample: all its servers answer
"""
