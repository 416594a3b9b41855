# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what the explanation of a job needs: only what its state makes necessary, the cluster once for many jobs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar

from .._common import parallel
from .._gangs.gang import backend_of, backends_of, group_of
from .._job_kinds.registry import JOB_KINDS
from .._job_model.cause import Evidence
from .._job_model.controller import JobController
from .._job_model.kind import JobKind
from .._job_model.state import FAILED, SUCCEEDED, SUSPENDED, JobState
from .._kube.errors import ApiError
from .._kube.pod_reason import condition
from .._kube.resource import Manifest, Ref
from .._kube.store import Store, served
from .._pods.log import read_log
from .._pods.node_fit import Ground, Held
from .why import Why, explain, missing_replicas
from .why_placing import claims_of, held_by

T = TypeVar("T")
# What was read, and why it could not be.
Answer = Tuple[Optional[T], str]

_LOG_LINES = 10
# Failed pods whose logs are read; they mostly say the same.
_LOGS = 3
_ACTIVE = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"
_LEASE = Ref("coordination.k8s.io/v1", "Lease", "kube-scheduler", "kube-system")


class FactsReader:
    """Explains jobs. What all jobs of a cluster share is read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shared: Dict[Tuple[str, str], Answer[Any]] = {}
        self._grounds: Dict[bool, Ground] = {}
        # What could not be read for this job.
        self._unread: List[str] = []

    def why(
        self,
        kind: JobKind,
        ref: Ref,
        state: JobState,
        job: Optional[Manifest],
        pods: Sequence[Manifest],
        logs: Optional[Mapping[str, str]] = None,
    ) -> Why:
        """Return why a job is in its state.

        job: the live object, None when it is gone. pods: of the job, as `_jobs.live` reads them. logs: last lines by
        pod name, when they were read before. What the user may not read is named among the facts; ApiError is not
        raised.
        """
        return explain(kind, ref, state, job, pods, self._evidence(kind, ref, state, job, pods, logs))

    def _evidence(
        self,
        kind: JobKind,
        ref: Ref,
        state: JobState,
        job: Optional[Manifest],
        pods: Sequence[Manifest],
        logs: Optional[Mapping[str, str]],
    ) -> Evidence:
        now = datetime.now(timezone.utc)
        if job is None or state.state in (SUCCEEDED, SUSPENDED):
            return Evidence(now)
        names = [replica.pod for replica in state.replicas if replica.state == "failed" or replica.restarts]
        if logs is None:
            logs = self._logs(ref.namespace, names[:_LOGS], kind.container)
        if state.state == FAILED:
            return Evidence(now, logs=logs)
        self._unread = []
        waiting = [pod for pod in pods if (pod.get("status") or {}).get("phase") == "Pending"]
        unplaced = [pod for pod in waiting if not (pod.get("spec") or {}).get("nodeName")]
        placed = [pod for pod in waiting if (pod.get("spec") or {}).get("nodeName")]
        missing = bool(missing_replicas(kind, job, state))
        unseen = any(not condition(pod, "PodScheduled") for pod in unplaced)
        silent = any(not (pod.get("status") or {}).get("containerStatuses") for pod in placed)
        claims = self._claims(ref.namespace, {name for pod in unplaced for name in claims_of(pod.get("spec") or {})})
        groups = self._groups(ref.namespace, unplaced)
        own_group = kind.own_group(job) if missing else None
        if own_group:
            groups.update(self._named([own_group], "PodGroups"))
        evidence = Evidence(
            now,
            ground=self._ground(bool(unplaced), silent),
            events=[
                *(self._warnings(ref.namespace, kind, job, pods) if placed or missing else []),
                *(self._claim_events(ref.namespace, claims) if claims else []),
            ],
            claims=claims,
            groups=groups,
            queues=self._queues(groups),
            lease=self._once("the scheduler's lease", self._read_lease) if unseen else None,
            operator=self._operator(kind.controller) if missing and kind.controller else None,
            logs=logs,
        )
        return replace(evidence, unread=list(dict.fromkeys(self._unread)))

    def _once(self, what: str, read: Callable[[], T], where: str = "") -> Optional[T]:
        """Return what was read for an earlier job, else read it. where: of what it is, when there is more than one."""
        key = (what, where)
        if key not in self._shared:
            self._shared[key] = self._try(what, read)
        return self._told(self._shared[key])

    def _try(self, what: str, read: Callable[[], T]) -> Answer[T]:
        """Return what can be read, None for what cannot, and why it cannot."""
        try:
            return read(), ""
        except ApiError as error:
            word = "you may not read them" if error.status == 403 else error.message
            return None, f"not looked at: {what} ({word})"

    def _told(self, answer: Answer[T]) -> Optional[T]:
        """Return what was read. A refusal is told with each job that it concerns."""
        found, refusal = answer
        if refusal:
            self._unread.append(refusal)
        return found

    def _ground(self, with_pods: bool, alone: bool) -> Ground:
        """Return the nodes, with what is held there or alone; both are counted once for all jobs."""
        if not (with_pods or alone):
            return Ground()
        nodes = self._once("nodes", self._list_nodes)
        held = self._once("pods of other namespaces", self._list_held) if with_pods else None
        if with_pods not in self._grounds:
            self._grounds[with_pods] = Ground(nodes, held)
        return self._grounds[with_pods]

    def _list_nodes(self) -> List[Manifest]:
        return self._store.list("v1", "Node", shape=_slim_node)

    def _list_held(self) -> List[Held]:
        found: List[Held] = []
        titles = {kind.labels.job: "job" for kind in JOB_KINDS.values()}

        def note(pod: Manifest) -> Manifest:
            found.append(held_by(pod, titles))
            return {}

        self._store.list("v1", "Pod", fields=_ACTIVE, shape=note)
        return found

    def _operator(self, controller: JobController) -> Optional[List[Manifest]]:
        """Return the Deployments of the program that makes the pods of a kind."""
        name = controller.deployment
        return self._once(
            "Deployments",
            lambda: self._store.list("apps/v1", "Deployment", fields=f"metadata.name={name}"),
            name,
        )

    def _read_lease(self) -> Optional[Manifest]:
        return self._store.read(_LEASE)

    def _warnings(self, namespace: str, kind: JobKind, job: Manifest, pods: Sequence[Manifest]) -> List[Manifest]:
        """Return the warnings about a job, its Jobs and its pods, the newest last."""
        events = self._events(namespace, "type=Warning")
        uids = {str(item["metadata"].get("uid")) for item in (job, *pods)}
        uids |= {str(owner.get("uid")) for pod in pods for owner in pod["metadata"].get("ownerReferences") or []}
        # A Job of which no pod was made is nobody's owner.
        makers = kind.maker_names(job)
        return [
            event
            for event in events
            if event["involvedObject"].get("uid") in uids
            or (event["involvedObject"].get("kind") == "Job" and event["involvedObject"].get("name") in makers)
        ]

    def _claims(self, namespace: str, names: Iterable[str]) -> Dict[str, Optional[Manifest]]:
        return self._named([Ref("v1", "PersistentVolumeClaim", name, namespace) for name in sorted(names)], "claims")

    def _groups(self, namespace: str, pods: Sequence[Manifest]) -> Dict[str, Optional[Manifest]]:
        """Return the PodGroups that pods name: where a mark is that of several schedulers, the one that is there."""
        wanted = {(group_of(pod), backend) for pod in pods for backend in backends_of(pod)}
        refs = [Ref(*backend.identity, name, namespace) for name, backend in wanted if self._served(*backend.identity)]
        there = self._told(self._try("PodGroups", lambda: self._store.read_all(refs))) if refs else {}
        if there is None:
            return {}
        found: Dict[str, Optional[Manifest]] = dict.fromkeys(sorted(name for name, _backend in wanted))
        found.update({ref.name: live for ref, live in there.items() if live})
        return found

    def _served(self, api_version: str, kind: str) -> bool:
        return bool(self._once("the API's kinds", lambda: served(self._store, api_version, kind), api_version))

    def _queues(self, groups: Mapping[str, Optional[Manifest]]) -> Optional[Dict[str, Manifest]]:
        """Return the queues of the scheduler that has these groups; a job's are all of one."""
        for backend in filter(None, (backend_of(live) for live in groups.values() if live)):
            if "queue" in backend.extras:
                read = partial(self._store.list, backend.api_version, "Queue")
                queues = self._once("queues", read, backend.api_version)
                return None if queues is None else {str(queue["metadata"]["name"]): queue for queue in queues}
        return None

    def _named(self, refs: Sequence[Ref], what: str) -> Dict[str, Optional[Manifest]]:
        """Return objects by name; none of them when they may not be read."""
        found = self._told(self._try(what, lambda: self._store.read_all(refs))) if refs else {}
        return {ref.name: live for ref, live in (found or {}).items()}

    def _claim_events(self, namespace: str, claims: Mapping[str, Optional[Manifest]]) -> List[Manifest]:
        waiting = [name for name, live in claims.items() if live and (live.get("status") or {}).get("phase") != "Bound"]
        if not waiting:
            return []
        return self._events(namespace, "involvedObject.kind=PersistentVolumeClaim")

    def _events(self, namespace: str, fields: str) -> List[Manifest]:
        """Return some events of a namespace, the newest last."""

        def read() -> List[Manifest]:
            return sorted(self._store.list("v1", "Event", namespace, fields=fields, shape=_slim_event), key=_when)

        return self._once("events", read, f"{namespace} {fields}") or []

    def _logs(self, namespace: str, names: Sequence[str], container: str) -> Dict[str, str]:
        def read(name: str) -> str:
            try:
                return read_log(self._store.client, namespace, name, container, _LOG_LINES)
            except ApiError:
                # The pod is gone, or its node does not answer: the state says so.
                return ""

        return {name: log for name, log in zip(names, parallel.each(read, names)) if log}


def _when(event: Manifest) -> str:
    series = event.get("series") or {}
    metadata = event.get("metadata") or {}
    times = (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"))
    return str(next((time for time in times if time), metadata.get("creationTimestamp") or ""))


def _slim_event(event: Manifest) -> Manifest:
    keys = ("involvedObject", "type", "reason", "message", "series", "lastTimestamp", "eventTime")
    metadata = {key: event["metadata"].get(key) for key in ("name", "creationTimestamp")}
    return {**{key: event.get(key) for key in keys}, "metadata": metadata}


def _slim_node(node: Manifest) -> Manifest:
    """Return what places are judged by: images and addresses of a thousand nodes are not held."""
    metadata = {key: node["metadata"].get(key) for key in ("name", "labels")}
    spec, status = node.get("spec") or {}, node.get("status") or {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": {key: spec.get(key) for key in ("taints", "unschedulable")},
        "status": {key: status.get(key) for key in ("allocatable", "conditions")},
    }
