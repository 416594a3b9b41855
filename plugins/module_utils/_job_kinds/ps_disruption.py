# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of batch Jobs that are taken from their nodes: no failure of their task.

A node that is drained, a pod that is evicted or preempted, a node that is lost: Kubernetes says so by a condition of
the pod. Its Job is told to make another one and to count nothing.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from .._kube.cluster import NEWEST, Cluster
from .._kube.pod_reason import condition
from .._kube.resource import Manifest

_POLICY, _TAKEN = "podFailurePolicy", "DisruptionTarget"
# From this minor version on every server takes the policy.
_SINCE = 26


def failure_policy(restart_policy: str, cluster: Cluster = NEWEST) -> Optional[Dict[str, Any]]:
    """Return the policy of a Job; None where its pods start again by themselves, which Kubernetes does not combine."""
    if restart_policy != "Never" or not cluster.is_at_least(_SINCE):
        return None
    return {"rules": [{"action": "Ignore", "onPodConditions": [{"type": _TAKEN, "status": "True"}]}]}


def taken_away(pod: Manifest) -> bool:
    """Tell whether a pod is or was taken from its node."""
    return condition(pod, _TAKEN).get("status") == "True"


def ignores(job: Manifest, pod: Manifest) -> bool:
    """Tell whether a batch Job does not count the end of a pod."""
    return bool((job.get("spec") or {}).get(_POLICY)) and taken_away(pod)


def keep_policy(part: Manifest, live: Manifest) -> Manifest:
    """Return a part of a live job with the policy that its Job was made with: none from an older server or release."""
    if not _has(part) or _has(live):
        return part
    return {**part, "spec": {key: value for key, value in part["spec"].items() if key != _POLICY}}


def _has(part: Manifest) -> bool:
    return bool((part.get("spec") or {}).get(_POLICY))
