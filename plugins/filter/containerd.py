# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of role containerd; what they do and take stands in the .yml beside."""

from __future__ import annotations

from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.containerd_config import config_version
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.containerd_registries import hosts_files


def containerd_config_version(version: str) -> int:
    """Return config.toml's version for a containerd version."""
    try:
        return config_version(version)
    except ValueError as error:
        raise AnsibleFilterError(str(error)) from error


def containerd_hosts_files(registries: list[dict[str, Any]], folder: str) -> list[dict[str, Any]]:
    """Return the hosts.toml files of registries."""
    try:
        return hosts_files(registries, folder)
    except ValueError as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "containerd_config_version": containerd_config_version,
            "containerd_hosts_files": containerd_hosts_files,
        }
