# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads jobs from the cluster: their objects, pods, events and logs. What it costs grows with the answers alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from .._job_model.kind import JobKind
from .._job_model.state import JobState, Replica
from .._job_status.facts import FactsReader
from .._job_status.why import Why
from .._kube.errors import ApiError
from .._kube.resource import Manifest, Ref, ref_of
from .._kube.store import Store
from .._pods.log import read_log
from .._pods.slim import slim_pod

# Names in one selector; it is part of the address.
_FEW_NAMES = 40

Group = Tuple[JobKind, str]


class JobWatch:
    """One job and what was seen of it.

    job, pods: its object and its pods as they were seen last. uid: of the job that is meant. left_over: batch Jobs that
    run on at its end.
    """

    def __init__(self, kind: JobKind, ref: Ref) -> None:
        self.kind = kind
        self.ref = ref
        self.uid = ""
        self.job: Optional[Manifest] = None
        self.left_over: List[Ref] = []
        self.pods: List[Manifest] = []
        self._replicas: Dict[str, Replica] = {}

    def owns(self, pod: Manifest) -> bool:
        """Return True if a pod with the job's label is this job's, as far as that is seen without what made it."""
        return self.kind.owns_pod(pod, self.ref.name, self.uid)

    def judge(
        self,
        live: Optional[Manifest],
        pods: Sequence[Manifest],
        events: Sequence[Manifest],
        makers: Sequence[Manifest] = (),
    ) -> JobState:
        """Return the job's state, with the pods that are gone since an earlier look.

        makers: objects with the job's label that make its pods, where the root does not.
        """
        if live and not self.uid:
            self.uid = str(live["metadata"]["uid"])
        # Those of a former job of this name do not count.
        own = [maker for maker in makers if live is None or _owner_uids(maker) & {_uid(live)}]
        self.pods = [pod for pod in pods if self.kind.owns_pod(pod, self.ref.name, self.uid, own)]
        state = self.kind.state(live, own, self.pods, events, self.uid)
        self.left_over = self.kind.left_over(state, own)
        if live and live["metadata"]["uid"] == self.uid:
            self.job = live
        # Without an operator a pod that is made again has another name; it is the same replica.
        there = {word for replica in state.replicas for word in (replica.pod, replica.label)}
        self._replicas.update({replica.pod: replica for replica in state.replicas})
        gone = [
            replace(replica, state="removed", reason="")
            for name, replica in self._replicas.items()
            if name not in there and replica.label not in there
        ]
        state = replace(state, replicas=[*state.replicas, *gone])
        return replace(state, rule=self.kind.ended_by(self.job, state)) if self.job else state


class JobsReader:
    """Looks at some jobs again and again, and remembers what it saw of each. watches: by identity."""

    def __init__(self, store: Store, jobs: Iterable[Tuple[JobKind, Ref]]) -> None:
        self._store = store
        self.watches = {ref: JobWatch(kind, ref) for kind, ref in jobs}

    def roots(self, refs: Optional[Sequence[Ref]] = None, slim: bool = False) -> Dict[Ref, Optional[Manifest]]:
        """Return the objects that stand for the jobs, None for what does not exist. Raises ApiError.

        slim: without the server's bookkeeping.
        """
        wanted = list(self.watches if refs is None else refs)
        return self._store.read_all(wanted, slim_root if slim else None)

    def mine(self, roots: Mapping[Ref, Optional[Manifest]]) -> Dict[Ref, Optional[Manifest]]:
        """Return the roots without what only has a job's name: somebody's own ConfigMap."""
        return {ref: live if live and self._kind(ref).stands_for_job(live) else None for ref, live in roots.items()}

    def look(
        self, refs: Optional[Sequence[Ref]] = None, roots: Optional[Mapping[Ref, Optional[Manifest]]] = None
    ) -> Dict[Ref, JobState]:
        """Return the jobs' states now. Raises ApiError.

        roots: the objects that stand for the jobs, where they were just read.
        """
        roots, states = self.mine(self.roots(refs, slim=True) if roots is None else roots), {}
        for group, members in self._groups(refs):
            pods, makers = self.pods(members), self._makers(members)
            # Only a job without pods has something to tell in its events.
            silent = [ref for ref in members if roots[ref] and not pods.get(ref.name)]
            # They are about what makes the pods: the root, or what stands between it and them.
            about = {ref: makers.get(ref.name, [roots[ref] or {}]) for ref in members}
            events = self._events(group, [_uid(item) for ref in silent for item in about[ref]])
            for ref in members:
                told = [event for item in about[ref] for event in events.get(_uid(item), [])]
                own = makers.get(ref.name, [])
                states[ref] = self.watches[ref].judge(roots[ref], pods.get(ref.name, []), told, own)
        return states

    def parts(self, refs: Sequence[Ref]) -> Dict[Ref, Ref]:
        """Return the parts that bear the labels of jobs, each with the job that it belongs to. Raises ApiError."""
        found: Dict[Ref, Ref] = {}
        for (kind, namespace), members in self._groups(refs):
            of, selector = {ref.name: ref for ref in members}, _selector(kind, members)
            for item in (item for each in kind.part_kinds for item in self._store.list(*each, namespace, selector)):
                owner = of.get(str(item["metadata"]["labels"][kind.labels.job]))
                if owner is not None:
                    found[ref_of(item)] = owner
        return found

    def _kind(self, ref: Ref) -> JobKind:
        return self.watches[ref].kind

    def _makers(self, refs: Sequence[Ref]) -> Dict[str, List[Manifest]]:
        """Return what stands between the roots of jobs of one kind and their pods, by job name. Raises ApiError."""
        kind, namespace = self.watches[refs[0]].kind, refs[0].namespace
        found: Dict[str, List[Manifest]] = {}
        for each in kind.pod_makers:
            for maker in self._store.list(*each, namespace, _selector(kind, refs)):
                found.setdefault(str((maker["metadata"].get("labels") or {}).get(kind.labels.job)), []).append(maker)
        return found

    def pods(self, refs: Sequence[Ref]) -> Dict[str, List[Manifest]]:
        """Return the pods with the labels of jobs of one kind in one namespace, by job name. Raises ApiError."""
        if not refs:
            return {}
        kind, namespace = self.watches[refs[0]].kind, refs[0].namespace
        found: Dict[str, List[Manifest]] = {}
        for pod in self._store.list("v1", "Pod", namespace, _selector(kind, refs), shape=slim_pod):
            found.setdefault(str((pod["metadata"].get("labels") or {}).get(kind.labels.job)), []).append(pod)
        return found

    def pods_of(self, refs: Sequence[Ref]) -> Dict[Ref, List[Manifest]]:
        """Return the pods that jobs own. Raises ApiError."""
        found: Dict[Ref, List[Manifest]] = {}
        for _group, members in self._groups(refs):
            pods = self.pods(members)
            found.update(
                {ref: [pod for pod in pods.get(ref.name, []) if self.watches[ref].owns(pod)] for ref in members}
            )
        return found

    def explain(self, states: Mapping[Ref, JobState], logs: Mapping[Ref, Mapping[str, str]]) -> Dict[Ref, Why]:
        """Return why jobs are in the states that were just seen. logs: last lines by pod name, of each job."""
        facts = FactsReader(self._store)
        return {
            ref: facts.why(watch.kind, ref, state, watch.job, watch.pods, logs.get(ref))
            for ref, state, watch in ((ref, state, self.watches[ref]) for ref, state in states.items())
        }

    def _events(self, group: Group, uids: Sequence[str]) -> Dict[str, List[Manifest]]:
        """Return the warnings about some jobs, by uid."""
        if not uids:
            return {}
        kind, namespace = group
        maker = next((name for _version, name in kind.pod_makers), kind.kind)
        about = f"involvedObject.uid={uids[0]}" if len(uids) == 1 else f"involvedObject.kind={maker}"
        found: Dict[str, List[Manifest]] = {}
        for event in self._store.list("v1", "Event", namespace, fields=f"{about},type=Warning"):
            found.setdefault(str((event.get("involvedObject") or {}).get("uid")), []).append(event)
        return found

    def _groups(self, refs: Optional[Sequence[Ref]]) -> List[Tuple[Group, List[Ref]]]:
        """Return the jobs by kind and namespace: what one request can answer together."""

        def key(ref: Ref) -> Tuple[str, str]:
            return (self.watches[ref].kind.name, ref.namespace)

        ordered = sorted(self.watches if refs is None else refs, key=key)
        groups = [list(group) for _key, group in groupby(ordered, key)]
        return [((self.watches[group[0]].kind, group[0].namespace), group) for group in groups]

    def log(self, ref: Ref, pod: str, lines: Optional[int] = None) -> Optional[str]:
        """Return the last lines of a pod's main container (all, without `lines`); None when they cannot be read."""
        try:
            return read_log(self._store.client, ref.namespace, pod, self.watches[ref].kind.container, lines)
        except ApiError:
            # The pod is gone, or its container has not started: both are seen in the job's state.
            return None


def _selector(kind: JobKind, refs: Sequence[Ref]) -> str:
    if len(refs) == 1:
        return f"{kind.labels.job}={refs[0].name}"
    if len(refs) <= _FEW_NAMES:
        return f"{kind.labels.job} in ({','.join(ref.name for ref in refs)})"
    return kind.labels.job


def _uid(manifest: Manifest) -> str:
    return str((manifest.get("metadata") or {}).get("uid") or "")


def _owner_uids(manifest: Manifest) -> Set[str]:
    return {str(owner.get("uid")) for owner in manifest["metadata"].get("ownerReferences") or []}


def slim_root(manifest: Manifest) -> Manifest:
    metadata = {key: value for key, value in manifest["metadata"].items() if key != "managedFields"}
    return {**manifest, "metadata": metadata}
