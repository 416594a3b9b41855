# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what an action plugin is asked for in a bundle's index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ansible.errors import AnsibleActionFail

from ...module_utils._bundle.index import Entry


def pick(bundle: str, known: Mapping[str, Entry], wanted: Sequence[str], noun: str = "") -> list[Entry]:
    """Return the entry of each name in `wanted`, in its order.

    known: the bundle's entries by that kind of name. noun: what they are, for the message. Raises AnsibleActionFail
    that names everything the bundle lacks.
    """
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        lacking = f"{noun} {', '.join(unknown)}".strip()
        raise AnsibleActionFail(f"bundle {bundle} has no {lacking}: make it again with playbooks/bundle.yml")
    return [known[name] for name in wanted]
