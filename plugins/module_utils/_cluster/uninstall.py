# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take an installation away whole, in the order in which nothing of it can hold up the rest."""

from __future__ import annotations

from contextlib import suppress
from typing import Dict, List, Optional, Sequence

from .._common import parallel
from .._common.deadline import Deadline
from .._gangs.gang import BACKENDS
from .._kube.ends import ENDS, group_kind, judge
from .._kube.errors import ApiError
from .._kube.outcome import ObjectsFailed, Outcome, after
from .._kube.readiness import WAITING
from .._kube.remove import remove
from .._kube.resource import WEBHOOKS, WORKLOADS, Item, Manifest, Ref, ref_of
from .._kube.store import Store
from .._kube.wait import Say, until_gone
from .gang_jobs import ENDED, GangJob, read_gang_jobs

CRD = "CustomResourceDefinition"
# How long controllers that still run get to let go of their objects.
_GRACE_S = 20.0
_UNFINISHED = "spec.schedulerName={},status.phase!=Succeeded,status.phase!=Failed"


class Uninstall:
    """Removes objects and everything of the kinds that they define."""

    def __init__(self, store: Store, manifests: Sequence[Manifest], deadline: Deadline, say: Say) -> None:
        self._store = store
        self._items = store.items(manifests, "")
        self._deadline = deadline
        self._say = say

    def users(self, schedulers: Sequence[str], gang_scheduler: Optional[str] = None) -> List[Ref]:
        """Return what still needs the installation, none of it at an end. Raises ApiError.

        schedulers: whose pods need it. gang_scheduler: whose jobs do, too, those that have no pods yet, or none now.
        """
        jobs: List[GangJob] = []
        if gang_scheduler:
            jobs = [job for job in read_gang_jobs(self._store) if job.backend == gang_scheduler]
            schedulers = [*schedulers, BACKENDS[gang_scheduler].scheduler]
        named = {(pod["metadata"].get("namespace"), pod["metadata"]["name"]) for job in jobs for pod in job.pods}
        found = [job.ref for job in jobs if job.state != ENDED]
        for name in filter(None, dict.fromkeys(schedulers)):
            pods = self._store.list("v1", "Pod", fields=_UNFINISHED.format(name), shape=_slim)
            found += [ref for ref in map(ref_of, pods) if (ref.namespace, ref.name) not in named]
        found += [ref_of(live) for live in self._instances() if _is_under_way(live)]
        return list(dict.fromkeys(found))

    def run(self, check_mode: bool) -> List[Outcome]:
        """Remove everything; return what became of each object. Raises ObjectsFailed, ApiError."""
        done: List[Outcome] = []
        hooks = [item for item in self._items if item.ref.kind in WEBHOOKS]
        workloads = [item for item in self._items if (item.ref.group, item.ref.kind) in WORKLOADS]
        rest = [item for item in self._items if item not in hooks and item not in workloads]
        # Webhooks first: without the programs behind them the server would refuse the removal of what they watch over.
        self._step(hooks, check_mode, done)
        # Then the objects of its kinds, while the controllers that finish with them still run.
        self._instances_away(check_mode, done)
        self._step(workloads, check_mode, done)
        self._let_go(check_mode)
        self._step(rest, check_mode, done)
        return done

    def _step(self, items: Sequence[Item], check_mode: bool, done: List[Outcome]) -> None:
        with after(done):
            done += remove(self._store, items, self._deadline, self._say, check_mode, wait=True)

    def _instances(self) -> List[Manifest]:
        """Return all objects of the kinds that are installed. The live definitions count: a version may be another."""
        found: List[Manifest] = []
        for item in self._items:
            live = self._store.read(item.ref) if item.ref.kind == CRD else None
            if not live:
                continue
            spec = live["spec"]
            versions = [version["name"] for version in spec["versions"] if version.get("served")]
            if versions:
                found += self._store.list(f"{spec['group']}/{versions[0]}", spec["names"]["kind"])
        return found

    def _instances_away(self, check_mode: bool, done: List[Outcome]) -> None:
        lives = self._instances()
        if not lives:
            return
        outcomes = [Outcome(ref_of(live), "deleted", live, None) for live in lives]
        if not check_mode:
            self._say(f"deletes {len(lives)} objects of its kinds")
            parallel.each(lambda live: self._store.delete(ref_of(live), str(live["metadata"]["uid"])), lives)
            # A finalizer may hold some. Once the controllers are gone nobody else will take it away.
            with suppress(ObjectsFailed):
                until_gone(self._store, [ref_of(live) for live in lives], Deadline(self._grace()), self._say)
        done += outcomes

    def _grace(self) -> float:
        return min(_GRACE_S, self._deadline.left() / 2)

    def _let_go(self, check_mode: bool) -> None:
        """Take away the finalizers of objects that wait for a controller that is no more."""
        held = [] if check_mode else [live for live in self._instances() if live["metadata"].get("finalizers")]
        for live in held:
            ref, names = ref_of(live), live["metadata"]["finalizers"]
            self._say(f"{ref}: nobody is left for its finalizer {', '.join(names)}")
            change: Dict[str, object] = {"metadata": {"finalizers": None}}
            try:
                path = self._store.discovery.path(ref)
                self._store.client.call("PATCH", path, (), change, "application/merge-patch+json")
            except ApiError as error:
                if not error.not_found:
                    raise


def _is_under_way(live: Manifest) -> bool:
    """Tell whether an object is a job that has no end yet."""
    ends = ENDS.get(group_kind(live["apiVersion"], live["kind"]))
    return ends is not None and live["kind"] != "Queue" and judge(live, ends)[0] == WAITING


def _slim(pod: Manifest) -> Manifest:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]}
