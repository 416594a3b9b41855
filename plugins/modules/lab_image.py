#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: lab_image
short_description: "Internal: Build the image of lab nodes"
description:
  - Makes the image that all labs of this machine share, and does nothing when podman has it.
  - The image's tag stands for all that it depends on.
  - Starts from an image in a registry where that can be pulled, else from a Debian bootstrapped with mmdebstrap.
  - Gives the nodes this machine's apt sources for the same Debian, its apt proxies and its own certificate authorities.
  - Runs on the controller and shows each step.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Says whether the image would be made.
  diff_mode:
    support: none
    description: An image has no readable difference.
options:
  base:
    description: Image to start from where it can be pulled.
    type: str
    required: true
  suite:
    description: Code name of the Debian to bootstrap where it cannot.
    type: str
    required: true
  packages:
    description: Debian packages that the image has.
    type: list
    elements: str
    required: true
  setup:
    description: Path of a shell script that finishes the image, run in it as root.
    type: path
    required: true
  cache_dir:
    description: Folder on the controller for the lock that keeps two runs from making the image at the same time.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Make the image of the lab's nodes
  trainyard.mlstack.lab_image:
    base: docker.io/library/debian:12
    suite: bookworm
    packages: [systemd, systemd-sysv, openssh-server, python3]
    setup: /root/setup.sh
    cache_dir: /root/.cache/trainyard
"""

RETURN = r"""
image:
  description: Name of the image, with its tag.
  type: str
  returned: success
  sample: localhost/trainyard/lab-node:0123456789ab
source:
  description: Where its base came from, C(pulled) or C(bootstrapped).
  type: str
  returned: when it was made
  sample: pulled
"""
