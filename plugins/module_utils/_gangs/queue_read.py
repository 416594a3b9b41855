# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the queues of a cluster and what is in them. It changes nothing."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from .._kube.errors import ApiError
from .._kube.resource import Manifest
from .._kube.store import Store
from .._pods.demand import Amounts, amounts, demand_of_pod, sum_of_all
from .backend import Backend
from .gang import BACKENDS, standing
from .queue import KIND, QUEUES
from .queue_table import Member, queue_rows

_ALIVE = "status.phase!=Succeeded,status.phase!=Failed"
_SCHEDULERS = {backend.scheduler for backend in BACKENDS.values() if backend.scheduler}


def read_queues(store: Store) -> Tuple[List[Dict[str, Any]], List[str]]:
    """Return the queues of all schedulers that have some, as data, and what could not be looked at. Raises ApiError."""
    rows: List[Dict[str, Any]] = []
    pods: Optional[List[Manifest]] = None
    total: Optional[Amounts] = None
    try:
        for name, backend in QUEUES.items():
            queues = store.list(backend.api_version, KIND, shape=_slim)
            if not queues:
                continue
            groups = store.list(backend.api_version, backend.kind, shape=_slim)
            if pods is None:
                pods, total = store.list("v1", "Pod", fields=_ALIVE, shape=_slim_pod), _total(store)
            found = queue_rows(queues, groups, _members(pods, backend, groups), total)
            rows += [{"backend": name, **row} for row in found]
    except ApiError as error:
        if error.status != 403:
            raise
        return rows, [f"queues were not looked at: {error.message}"]
    return rows, []


def _members(pods: Sequence[Manifest], backend: Backend, groups: Sequence[Manifest]) -> List[Member]:
    """Return the pods of one scheduler, which may have a name of its own: then by their PodGroups."""
    known = {(group["metadata"].get("namespace"), group["metadata"]["name"]) for group in groups}
    return [_member(pod, backend) for pod in pods if _is_of(pod, backend, known)]


def _is_of(pod: Manifest, backend: Backend, known: Set[Tuple[Any, Any]]) -> bool:
    scheduler = pod["spec"]["schedulerName"]
    if scheduler in _SCHEDULERS:
        return bool(scheduler == backend.scheduler)
    return (pod["metadata"]["namespace"], _group(pod, backend)) in known


def _member(pod: Manifest, backend: Backend) -> Member:
    placed = bool(pod["spec"]["nodeName"])
    return Member(pod["metadata"]["namespace"], _group(pod, backend), placed, pod["requests"])


def _group(pod: Manifest, backend: Backend) -> str:
    return str(standing(pod, backend.mark) or "")


def _total(store: Store) -> Optional[Amounts]:
    """Return what all nodes have; None when the user may not read them."""
    try:
        nodes = store.list("v1", "Node", shape=_slim_node)
    except ApiError as error:
        if error.status != 403:
            raise
        return None
    return sum_of_all([(1, amounts(node["allocatable"])) for node in nodes])


def _slim(item: Manifest) -> Manifest:
    """Return what the table is made from: bookkeeping of thousands of PodGroups is not held."""
    metadata = {key: item["metadata"].get(key) for key in ("name", "namespace", "ownerReferences")}
    return {"metadata": metadata, "spec": item.get("spec") or {}, "status": item.get("status") or {}}


def _slim_node(node: Manifest) -> Manifest:
    return {"allocatable": (node.get("status") or {}).get("allocatable") or {}}


def _slim_pod(pod: Manifest) -> Manifest:
    spec = pod.get("spec") or {}
    metadata: Dict[str, Any] = {key: pod["metadata"].get(key) or {} for key in ("annotations", "labels")}
    metadata["namespace"] = str(pod["metadata"].get("namespace"))
    kept = {key: str(spec.get(key) or "") for key in ("nodeName", "schedulerName")}
    return {"metadata": metadata, "spec": kept, "requests": demand_of_pod(spec).requests}
