# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds jobs in a cluster, says how they are and why, reads the log of one of their pods. It changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._job_kinds.registry import JOB_KINDS
from .._job_model.cause import some
from .._job_model.kind import JobKind
from .._job_model.read_state import leader
from .._job_model.state import JobState, Replica
from .._job_status.why import Why, wanted_replicas
from .._kube.errors import ApiError
from .._kube.resource import Manifest, Ref
from .._kube.store import Store, served
from .._pods.log import read_log
from .live import JobsReader, slim_root
from .report import why_no_log
from .table import job_row

# With more jobs than this, logs are not read to explain them: a sentence each is what fits into a table.
_FEW_JOBS = 5


@dataclass(frozen=True)
class Selection:
    """Which jobs are meant. name, namespace, states, labels: all of them when empty. kinds: names of kinds."""

    kinds: Sequence[str] = tuple(JOB_KINDS)
    name: str = ""
    namespace: str = ""
    labels: Sequence[str] = ()
    states: Sequence[str] = ()


@dataclass
class Found:
    """Jobs as they are now, in one order. rows: as data. warnings: what could not be looked at."""

    rows: List[Dict[str, Any]] = field(default_factory=list)
    states: Dict[Ref, JobState] = field(default_factory=dict)
    warnings: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class LogWish:
    """Which log is meant. replica: its label, empty for the one that speaks for the job. previous: before a restart."""

    replica: str = ""
    lines: Optional[int] = None
    previous: bool = False


class JobsInfo:
    """Looks at the jobs of a cluster."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader = JobsReader(store, [])

    def find(self, selection: Selection, with_why: bool = True) -> Found:
        """Return the jobs that are meant. Raises ApiError when not one kind may be read."""
        found = Found()
        roots = self._roots(selection, found)
        self._reader = JobsReader(self._store, [(kind, ref) for ref, (kind, _root) in roots.items()])
        states = self._reader.look(roots={ref: root for ref, (_kind, root) in roots.items()}) if roots else {}
        found.states = {
            ref: state for ref, state in states.items() if not selection.states or state.state in selection.states
        }
        whys = self._explained(found.states) if with_why else {}
        now = datetime.now(timezone.utc)
        order = {name: place for place, name in enumerate(JOB_KINDS)}
        ordered = sorted(found.states, key=lambda ref: (ref.namespace, order[roots[ref][0].name], ref.name))
        found.states = {ref: found.states[ref] for ref in ordered}
        for ref in ordered:
            kind, root = roots[ref]
            found.rows.append(job_row(kind, ref, found.states[ref], root, whys.get(ref, Why()), now))
        return found

    def _roots(self, selection: Selection, found: Found) -> Dict[Ref, Tuple[JobKind, Manifest]]:
        """Return the objects that stand for the jobs. A kind that the user may not read is no reason to hide others."""
        roots: Dict[Ref, Tuple[JobKind, Manifest]] = {}
        refused: List[ApiError] = []
        # Of a kind that nobody serves there is no job, whoever asks.
        wanted = (JOB_KINDS[name] for name in selection.kinds)
        kinds = [kind for kind in wanted if served(self._store, kind.api_version, kind.kind)]
        for kind in kinds:
            try:
                items = self._list(kind, selection)
            except ApiError as error:
                if error.status != 403:
                    raise
                refused.append(error)
                found.warnings.append(f"{kind.title}s were not looked at: {error.message}")
                continue
            for item in items:
                name, namespace = str(item["metadata"]["name"]), str(item["metadata"]["namespace"])
                if kind.stands_for_job(item) and selection.name in ("", name):
                    roots[kind.ref(name, namespace)] = (kind, item)
        if refused and len(refused) == len(kinds):
            raise refused[0]
        return roots

    def _list(self, kind: JobKind, selection: Selection) -> List[Manifest]:
        labels = [*selection.labels] + ([kind.root_label] if kind.root_label else [])
        fields = f"metadata.name={selection.name}" if selection.name else ""
        return self._store.list(
            kind.api_version, kind.kind, selection.namespace, ",".join(labels), fields, shape=slim_root
        )

    def _explained(self, states: Mapping[Ref, JobState]) -> Dict[Ref, Why]:
        few = len(states) <= _FEW_JOBS
        return self._reader.explain(states, {} if few else {ref: {} for ref in states})

    def log(self, ref: Ref, state: JobState, wish: LogWish) -> Tuple[Optional[Replica], str, str]:
        """Return the pod, its log, and why there is none; empty when there is one."""
        watch = self._reader.watches[ref]
        replica = self._replica(ref, state, wish.replica)
        if replica is None:
            return None, "", self._why_no_pod(ref, state, wish.replica)
        where = (ref.namespace, replica.pod, watch.kind.container)
        try:
            text = read_log(self._store.client, *where, wish.lines, wish.previous)
        except ApiError as error:
            if error.not_found and error.message.startswith("pods "):
                return replica, "", why_no_log(watch.job, state)
            reason = f" ({replica.reason})" if replica.reason else ""
            return replica, "", f"not available: pod {replica.pod} is {replica.state}{reason}; {error.message}"
        return replica, text, ""

    def _why_no_pod(self, ref: Ref, state: JobState, label: str) -> str:
        watch = self._reader.watches[ref]
        labels = wanted_replicas(watch.kind, watch.job or {})
        if label and label.lower() not in (each.lower() for each in labels):
            return f"not available: the job has no replica {label}; it has {some(labels)}"
        if state.ended:
            return why_no_log(watch.job, state)
        return f"not available: {label or 'the job'} has no pod yet"

    def _replica(self, ref: Ref, state: JobState, label: str) -> Optional[Replica]:
        """Return the pod that is meant; of one that was tried again, the last try."""
        if not label:
            return leader(self._reader.watches[ref].kind, state)
        made = {
            pod["metadata"]["name"]: str(pod["metadata"].get("creationTimestamp"))
            for pod in self._reader.watches[ref].pods
        }
        found = [item for item in state.replicas if item.label.lower() == label.lower()]
        return max(found, key=lambda item: made.get(item.pod, ""), default=None)
