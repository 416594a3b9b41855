# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of role verify; what they do and take stands in the .yml files beside."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ansible_collections.trainyard.mlstack.plugins.module_utils import _verify

Manifests = Sequence[dict[str, Any]]


def verify_wanted(objects: Manifests) -> list[dict[str, Any]]:
    """Return the objects that must be ready."""
    return _verify.wanted(objects)


def verify_report(objects: Manifests, samples: Sequence[str], namespace: str, kubeconfig: str) -> dict[str, list[str]]:
    """Return what is wrong with the samples, and the summary of the cluster."""
    states = _verify.sample_states(samples, objects)
    return {
        "problems": _verify.problems(states, namespace, f"kubectl --kubeconfig {kubeconfig}"),
        "summary": _verify.summary(objects, states, kubeconfig, namespace),
    }


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"verify_wanted": verify_wanted, "verify_report": verify_report}
