# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a role of this collection, wherever they are asked for."""

from __future__ import annotations

DOCUMENTATION = r"""
name: role_files
short_description: "Internal: read files of a role of this collection"
description:
  - Reads files in the folder C(files) of a role, also while another role runs.
  - P(ansible.builtin.file#lookup) looks only into the role that runs.
version_added: 0.1.0
author: The trainyard founders (@trainyard)
options:
  _terms:
    description: The role's name, and the names of its files.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show the program of a sample
  ansible.builtin.debug:
    msg: "{{ lookup('trainyard.mlstack.role_files', 'samples', 'digits.py') }}"
"""

RETURN = r"""
_raw:
  description: The whole text of each file, by its name.
  type: dict
"""

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

ROLES = Path(__file__).resolve().parents[2] / "roles"


class LookupModule(LookupBase):
    """Read the files beside the plugins."""

    def run(self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[dict[str, str]]:
        role, *names = terms
        try:
            return [{name: (ROLES / role / "files" / name).read_text(encoding="utf-8") for name in names}]
        except OSError as error:
            message = f"role_files={role}: {error.filename} cannot be read ({error.strerror})."
            raise AnsibleLookupError(message) from error
