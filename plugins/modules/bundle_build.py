#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_build
author: The trainyard founders (@trainyard)
version_added: 0.1.0
short_description: "Internal: Build or download the bundle of a release on the controller"
description:
  - Downloads what a release names, or compiles its programs from pinned Go modules and assembles its images without a
    container engine, takes its manifests and data, and writes the bundle's index.
  - What was made is kept by content below O(cache). Nothing is made twice, and only what changed is made again.
  - A file of the bundle that was altered is put back.
  - Shows each item when its work begins, now and then how far it is, and when it ends.
options:
  source:
    description:
      - Where the contents come from.
      - V(upstream) downloads several files at a time. A download that breaks is resumed, a failure that may pass is
        tried again a few times, and nothing is taken whose sum is wrong. The sums are those in the release; where one
        is missing the one published beside the download over HTTPS is used, with a warning.
      - V(build) compiles and assembles.
    type: str
    choices: [upstream, build]
    default: build
  architecture:
    description:
      - Architecture of the nodes, as Go names it. The controller's own when left out, the only one that O(source=build)
        knows.
    type: str
    choices: [amd64, arm64]
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
      - O(source=build) cannot make V(volcano).
    type: str
    default: ""
  recipes:
    description: Folder with the recipes, which is C(builds) of the collection.
    type: path
    required: true
  cache:
    description: Folder for everything that is made once and kept.
    type: path
    required: true
  bundle:
    description: Folder of the bundle.
    type: path
    required: true
  test_programs:
    description: Programs for the folder O(bundle) with C(-tests) appended. Tests run them as processes.
    type: list
    elements: str
    default: []
  test_recipes:
    description: Folder with recipes of programs that only tests run.
    type: path
  go:
    description: Names or paths of C(go) programs; the first one that is there and not too old is used.
    type: list
    elements: str
    default: [go]
  pip:
    description: How pip is called, as an argument list.
    type: list
    elements: str
    required: true
extends_documentation_fragment: [trainyard.mlstack.network]
attributes:
  check_mode:
    description: Says what would be downloaded or built.
    support: full
  diff_mode:
    description: Shows the files that are put right.
    support: full
notes:
  - Runs on the controller, whatever the host of the task is. O(source=build) asks for a Debian or Ubuntu machine.
"""

EXAMPLES = r"""
- name: Download the bundle through a proxy
  trainyard.mlstack.bundle_build:
    release: "2026.11"
    source: upstream
    architecture: arm64
    network:
      https_proxy: http://proxy.example.org:3128
      registries: {docker.io: "https://mirror.example.org/hub"}
    recipes: /usr/share/ansible/collections/ansible_collections/trainyard/mlstack/builds
    cache: ~/.cache/trainyard
    bundle: ~/.cache/trainyard/bundles/2026.11-arm64
    pip: [/usr/bin/python3, -m, pip]

- name: Build the bundle
  trainyard.mlstack.bundle_build:
    release: "2026.11"
    recipes: /usr/share/ansible/collections/ansible_collections/trainyard/mlstack/builds
    cache: ~/.cache/trainyard
    bundle: ~/.cache/trainyard/bundles/2026.11-amd64
    pip: [/usr/bin/python3, -m, pip]
"""

RETURN = r"""
bundle:
  description: Folder of the bundle.
  type: str
  returned: success
built:
  description: The items that were downloaded or built, with the seconds it took; without them in check mode.
  type: list
  elements: dict
  returned: success
  sample: [{name: program kubelet, seconds: 34.1}]
files:
  description: The files that were put right, and what was wrong with each of them.
  type: list
  elements: dict
  returned: success
  sample: [{path: /root/.cache/trainyard/bundles/2026.11-amd64/bin/kubelet, was: missing}]
"""
