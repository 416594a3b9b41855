# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of batch Jobs that are taken from their nodes: no failure of their task.

A node that is drained, a pod that is evicted or preempted, a node that is lost: Kubernetes says so by a condition of
the pod. Its Job is told to make another one and to count nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._job_model.job import Job
from .._kube.errors import ApiError
from .._kube.pod_reason import condition
from .._kube.resource import Manifest
from .._kube.store import Store

_POLICY, _TAKEN = "podFailurePolicy", "DisruptionTarget"
# Of Kubernetes 1.x: from this version on every server takes the policy.
_SINCE = 26


def failure_policy(restart_policy: str) -> Optional[Dict[str, Any]]:
    """Return the policy of a Job; None where its pods start again by themselves, which Kubernetes does not combine."""
    if restart_policy != "Never":
        return None
    return {"rules": [{"action": "Ignore", "onPodConditions": [{"type": _TAKEN, "status": "True"}]}]}


def taken_away(pod: Manifest) -> bool:
    """Tell whether a pod is or was taken from its node."""
    return condition(pod, _TAKEN).get("status") == "True"


def ignores(job: Manifest, pod: Manifest) -> bool:
    """Tell whether a batch Job does not count the end of a pod."""
    return bool((job.get("spec") or {}).get(_POLICY)) and taken_away(pod)


def as_made(part: Manifest, live: Manifest) -> Manifest:
    """Return a part of a live job with the policy that its Job was made with: none from an older server or release."""
    if _has(part) and not _has(live):
        return _without(part)
    return part


def known_policies(store: Store, jobs: Sequence[Optional[Job]]) -> List[Optional[Job]]:
    """Return jobs as the server knows them. Raises ApiError."""
    if not any(_has(part) for job in jobs if job for part in job.parts) or _known(store):
        return list(jobs)
    return [replace(job, parts=[_without(part) for part in job.parts]) if job else None for job in jobs]


def _known(store: Store) -> bool:
    try:
        version: Mapping[str, Any] = store.client.call("GET", "/version")
    except ApiError as error:
        if error.status != 403:
            raise
        return True
    # Some vendors write 26+, and builds of one's own nothing.
    minor = "".join(filter(str.isdigit, str(version["minor"])))
    return not minor or int(minor) >= _SINCE


def _has(part: Manifest) -> bool:
    return bool((part.get("spec") or {}).get(_POLICY))


def _without(part: Manifest) -> Manifest:
    if not _has(part):
        return part
    return {**part, "spec": {key: value for key, value in part["spec"].items() if key != _POLICY}}
