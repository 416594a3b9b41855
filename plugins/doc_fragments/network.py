# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option `network`."""

from __future__ import annotations


class ModuleDocFragment:
    """How the controller reaches upstream."""

    DOCUMENTATION = r"""
options:
  network:
    description: How the controller reaches upstream.
    type: dict
    default: {}
    suboptions:
      http_proxy:
        description: Proxy for addresses that begin with http. What the environment says when empty.
        type: str
        default: ""
      https_proxy:
        description: Proxy for addresses that begin with https. What the environment says when empty.
        type: str
        default: ""
      no_proxy:
        description: Hosts, domains and networks that are reached directly, with commas.
        type: str
        default: ""
      ca_certificates:
        description: Files with certificates of authorities that are trusted beside those of the system.
        type: list
        elements: path
        default: []
      mirror:
        description:
          - Address put in front of those of all files, whose C(https://) is left out.
            With V(https://mirror.example.org), the file https://dl.k8s.io/x is asked for as https://mirror.example.org/dl.k8s.io/x.
        type: str
        default: ""
      registries:
        description:
          - Registries of images, as their names begin, and the address that is asked instead, which may have a path.
        type: dict
        default: {}
      registry_auth:
        description:
          - A file in the form of docker's C(config.json) with the users and passwords for registries.
            Helper programs named in it are not called.
        type: str
        default: ""
      connections:
        description: How many files are downloaded at a time.
        type: int
        default: 4
"""
