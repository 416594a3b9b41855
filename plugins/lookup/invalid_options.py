# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which options of roles a host has values for that their argument specs refuse."""

from __future__ import annotations

DOCUMENTATION = r"""
name: invalid_options
short_description: "Internal: find variables that the argument specs of roles refuse"
description:
  - Validates every variable of the host that is an option of a role of this collection by that role's argument spec,
    before the role runs. A run can then refuse all of them together, on all hosts, before it changes anything.
  - A value that cannot be rendered before its role runs is left to that role.
version_added: 0.1.0
author: The trainyard founders (@trainyard)
options: {}
"""

EXAMPLES = r"""
- name: Show what is wrong with the options of this host
  ansible.builtin.debug:
    msg: "{{ lookup('trainyard.mlstack.invalid_options') }}"
"""

RETURN = r"""
_raw:
  description: Why each value is refused, by option. No reason holds a value, which may be a secret.
  type: dict
"""

from typing import Any, Iterator

from ansible.errors import AnsibleError, AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible.template import Templar

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.plain_data import plain
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.role_options import (
    invalid_options,
    role_options,
)

# This role validates its own options.
_OWN = "preflight_"


class LookupModule(LookupBase):
    """Look at the options of roles among the host's variables."""

    def run(self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        if self._templar is None:
            raise AnsibleLookupError("invalid_options: no templar is given. Call it as a lookup of a task.")
        return [invalid_options(self._values(self._templar, variables or {}))]

    @staticmethod
    def _values(templar: Templar, variables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for name in sorted(set(role_options()) & set(variables)):
            if name.startswith(_OWN):
                continue
            try:
                yield name, plain(templar.template(variables[name]))
            except AnsibleError:
                continue
