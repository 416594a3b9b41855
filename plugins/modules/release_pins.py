#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: release_pins
author: The trainyard founders (@trainyard)
version_added: 0.1.0
short_description: "Internal: Add missing checksums and digests to a release file"
description:
  - Asks upstream for the sum of each download and the digest of each image that the release does not pin, for all
    architectures, and writes them into the release's file. Comments, order and all other lines stay as they are.
  - The sum is the one published beside the download over HTTPS. Where none is published, the file is downloaded and
    summed.
  - What is pinned is never changed. Nothing is written when something could not be found; all of it is listed then.
options:
  release:
    description: Name of the release, as text.
    type: raw
    required: true
  release_dirs:
    description: Folders with releases of one's own; they are looked into before those of the collection.
    type: list
    elements: path
    default: []
  cache:
    description: Folder for downloads that are not whole yet.
    type: path
    required: true
extends_documentation_fragment: [trainyard.mlstack.network]
attributes:
  check_mode:
    description: Asks upstream and writes nothing.
    support: full
  diff_mode:
    description: Shows the lines of the file that change.
    support: full
notes:
  - Runs on the controller, whatever the host of the task is.
"""

EXAMPLES = r"""
- name: Pin a release of one's own
  trainyard.mlstack.release_pins:
    release: "2026.12"
    release_dirs: [/srv/releases]
    cache: ~/.cache/trainyard
"""

RETURN = r"""
path:
  description: The release's file.
  type: str
  returned: success
pins:
  description: What was written, by its place in the file.
  type: dict
  returned: success
  sample: {upstream.images.pause.amd64: "sha256:..."}
"""
