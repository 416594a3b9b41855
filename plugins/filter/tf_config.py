# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter tf_config; what it does and takes stands in the .yml file beside."""

from __future__ import annotations

import json
from typing import Any, Callable, Mapping, Sequence

from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds import ps_contract


def tf_config(cluster: Mapping[str, Sequence[str]], task: str, index: int) -> str:
    """Return the text for TF_CONFIG."""
    if not isinstance(cluster, Mapping) or not all(_listed(hosts) for hosts in cluster.values()):
        raise AnsibleFilterError(f"tf_config: {cluster!r} does not map task types to lists of addresses")
    try:
        return json.dumps(ps_contract.tf_config(cluster, task, int(index)))
    except ValueError as error:
        raise AnsibleFilterError(f"tf_config: {error}") from error


def _listed(hosts: Any) -> bool:
    """Tell whether it is a list: a text would be taken letter by letter."""
    return isinstance(hosts, Sequence) and not isinstance(hosts, str)


class FilterModule:
    """The filter by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"tf_config": tf_config}
