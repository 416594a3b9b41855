# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of the chosen release."""

from __future__ import annotations

DOCUMENTATION = r"""
name: release
author: The trainyard founders (@trainyard)
version_added: 0.1.0
short_description: Values of the chosen release
description:
  - A release is one file that names all versions and images that were tested together.
  - Returns what stands at each given place of the chosen release.
options:
  _terms:
    description: Dotted paths, for example C(images.pause). A path without a dot gives a whole section.
    type: list
    elements: str
    required: true
  release:
    description: Name of the release, as text. The newest one when left out.
    type: raw
    vars: [{name: mlstack_release}]
  release_dirs:
    description: Folders with releases of one's own; they are looked into before those of the collection.
    type: list
    elements: path
    default: []
    vars: [{name: mlstack_release_dirs}]
"""

EXAMPLES = r"""
- name: Show the image of the pause container
  ansible.builtin.debug:
    msg: "{{ lookup('trainyard.mlstack.release', 'images.pause') }}"

- name: Show all versions of another release
  ansible.builtin.debug:
    msg: "{{ lookup('trainyard.mlstack.release', 'components', release='2026.11') }}"
"""

RETURN = r"""
_raw:
  description: The values, one for each path; text, or a dictionary for a whole section.
  type: list
  elements: raw
"""

from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    ReleaseError,
    known_releases,
    load_release,
    lookup_path,
)


class LookupModule(LookupBase):
    """Read values of a release."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        """Return the value at each path of `terms`."""
        self.set_options(var_options=variables, direct=kwargs)
        extra_dirs = self.get_option("release_dirs")
        name = self.get_option("release")
        try:
            release = load_release(known_releases(extra_dirs)[-1] if name is None else name, extra_dirs)
            return [lookup_path(release, term) for term in terms]
        except ReleaseError as error:
            raise AnsibleLookupError(str(error)) from error
