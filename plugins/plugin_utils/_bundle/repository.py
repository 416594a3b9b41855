# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repository of OS packages that a bundle has for a host."""

from __future__ import annotations

from collections.abc import Sequence

from ansible.errors import AnsibleActionFail

from ...module_utils._bundle.index import PACKAGE, Entry, read_index

WAY_OUT = "Make them on a connected host of that distribution: playbooks/bundle_packages.yml"


def repository(bundle: str, system: str, names: Sequence[str]) -> list[Entry]:
    """Return the entries of a system's repository in a bundle.

    system: folder of the repository, empty when the host has none. names: packages that must be there.
    Raises AnsibleActionFail that names each one that is lacking.
    """
    entries = [entry for entry in read_index(bundle).files if entry.kind == PACKAGE]
    found = [entry for entry in entries if entry.path.startswith(f"{system}/")]
    lacking = sorted(set(names) - {entry.name for entry in found})
    if not system or not found:
        raise AnsibleActionFail(f"mlstack_packages = bundle: bundle {bundle} has no {system or 'packages'}. {WAY_OUT}")
    if lacking:
        raise AnsibleActionFail(f"bundle {bundle} has no package {', '.join(lacking)} in {system}. {WAY_OUT}")
    return found
