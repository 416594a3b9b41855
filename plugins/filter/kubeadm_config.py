# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubeadm configuration of a node as YAML text."""

from __future__ import annotations

from typing import Any, Callable

import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._kubeadm_config import init_documents, join_documents


def kubeadm_config(options: dict[str, Any], step: str) -> str:
    """Return the file that `kubeadm <step>` reads; step is init or join."""
    documents = init_documents(options) if step == "init" else join_documents(options)
    return yaml.safe_dump_all(_plain(documents), sort_keys=False, explicit_start=True)


def _plain(value: Any) -> Any:
    """Return the value without Ansible's own string and number types, which YAML's safe dumper does not know."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    return int(value) if isinstance(value, int) else str(value)


class FilterModule:
    """The filter by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"kubeadm_config": kubeadm_config}
