# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of role samples; what they do and take stands in the .yml files beside."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.sample import names, program, summary


def sample_program(files: Mapping[str, str], name: str, namespace: str) -> dict[str, Any]:
    """Return the ConfigMap that brings a sample's files into its pods."""
    try:
        return program(files, name, namespace)
    except ValueError as error:
        raise AnsibleFilterError(f"sample_program: {error}") from error


def sample_names(
    samples: Sequence[str], namespace: str, kinds: Mapping[str, str], files: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Return what samples apply, by name."""
    try:
        return names(samples, namespace, kinds, files)
    except ValueError as error:
        raise AnsibleFilterError(f"sample_names: {error}") from error


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"sample_names": sample_names, "sample_program": sample_program, "sample_summary": summary}
