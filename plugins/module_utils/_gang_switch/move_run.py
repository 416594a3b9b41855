# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings queues and jobs that wait to another gang scheduler. A run that is killed anywhere is simply started again."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .._common.deadline import Deadline
from .._gangs.queue import KIND, QUEUES
from .._kube.outcome import ObjectsFailed, Outcome, Trouble, count
from .._kube.resource import Manifest, Ref, ref_of
from .._kube.store import Store
from .._kube.wait import Say, until_gone
from .jobs import SAVED, read_gang_jobs, read_groups
from .move import Back, Goal, Move, Plan, plan_moves
from .queue_move import moved_queues

# What a scheduler has begun to place when its PodGroup goes is placed within its cycle, which is a second at most.
SETTLE_S = 2.0
_LOOK_S = 0.5
_MERGE = "application/merge-patch+json"
_PATCH = "application/json-patch+json"


class Mover:
    """Moves what waits. pause: waits so many seconds. outcomes: what became of each object."""

    def __init__(
        self,
        store: Store,
        goal: Goal,
        namespace: str,
        deadline: Deadline,
        say: Say,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store = store
        self._goal = goal
        self._namespace = namespace
        self._deadline = deadline
        self._say = say
        self._pause = pause
        self.outcomes: List[Outcome] = []

    def plan(self) -> Plan:
        """Return what would be done with jobs. Raises ApiError."""
        groups = read_groups(self._store, self._namespace)
        return plan_moves(read_gang_jobs(self._store, self._namespace, groups=groups), self._goal, groups)

    def queues(self) -> Any:
        """Return the queues that are to be made, and what of the former ones does not come along. Raises ApiError."""
        found = {name: self._store.list(each.api_version, KIND) for name, each in QUEUES.items()}
        return moved_queues(found, self._goal.backend)

    def run(self, plan: Plan, queues: Sequence[Manifest]) -> Plan:
        """Do it; return what was done with jobs. Raises ApiError, ObjectsFailed."""
        for service in plan.forget:
            self._remember(service, None)
        for queue in queues:
            self._apply(queue)
        self._return(plan.backs)
        gated = [gate for move in plan.moves for gate in move.gates]
        for move in plan.moves:
            if move.group:
                self._apply(move.group)
        for gate in gated:
            self._delete(gate)
        done = plan
        if gated:
            self._pause(SETTLE_S)
            done = self.plan()
            # They began before their PodGroup was gone.
            self._return(done.backs)
        moves = {move.job.ref: move for move in plan.moves}
        # A job that came meanwhile has its former PodGroup and no new one: the next run takes it along.
        ready = [move for move in done.moves if move.job.ref in moves]
        for move in ready:
            self._say(f"{move.job.kind.title} {move.job.ref.namespace}/{move.job.ref.name}: {move.way}")
            self._move(move)
        # Pods of batch Jobs go with their Jobs, but later, and a PodGroup of Kubernetes' own only after its pods.
        gone = {_pod_ref(pod): pod for move in ready for pod in move.job.pods if not self._goal.marks(pod)}
        gone.update({ref_of(gate): gate for move in ready for gate in moves[move.job.ref].gates})
        self._until_gone(gone)
        stayed = {left.job.ref for left in done.left}
        return Plan([move for ref, move in moves.items() if ref not in stayed], [*plan.backs, *done.backs], done.left)

    def _return(self, backs: Sequence[Back]) -> None:
        for back in backs:
            if back.former:
                self._apply(back.former)
            self._delete(back.new)

    def _move(self, move: Move) -> None:
        if move.root:
            self._change(move.job.root, move.root, move.job.kind.replica_specs)
        for manifest in move.anew:
            self._make_anew(manifest, move)
        for pod in move.pods:
            self._store.delete(_pod_ref(pod), str(pod["metadata"]["uid"]))

    def _until_gone(self, objects: Mapping[Ref, Manifest]) -> None:
        """Wait until objects are gone. The operator gives the next pod the same name."""
        uids = {ref: live["metadata"]["uid"] for ref, live in objects.items()}
        while True:
            lives = self._store.read_all(list(uids))
            rest = [ref for ref, live in lives.items() if live and live["metadata"]["uid"] == uids[ref]]
            if not rest:
                return
            if not self._deadline.pause(_LOOK_S):
                troubles = [Trouble(ref, "still exists") for ref in rest]
                raise ObjectsFailed(f"{count(len(rest), 'object')} not gone", troubles, self.outcomes)

    def _apply(self, manifest: Manifest) -> None:
        ref = ref_of(manifest)
        after = self._store.apply(ref, manifest, dry_run=False)
        self.outcomes.append(Outcome(ref, "created", None, after))

    def _delete(self, live: Manifest) -> None:
        ref = ref_of(live)
        self._store.delete(ref, str(live["metadata"]["uid"]))
        self.outcomes.append(Outcome(ref, "deleted", live, None))

    def _change(self, before: Manifest, after: Manifest, key: str) -> None:
        """Give the templates of a root the other mark, if nobody changed them meanwhile."""
        patch: List[Dict[str, Any]] = []
        for name, spec in after["spec"][key].items():
            path = f"/spec/{key}/{name}/template"
            patch.append({"op": "test", "path": path, "value": before["spec"][key][name]["template"]})
            patch.append({"op": "replace", "path": path, "value": spec["template"]})
        ref = ref_of(before)
        written = self._call("PATCH", ref, patch, _PATCH)
        self.outcomes.append(Outcome(ref, "changed", before, written))

    def _make_anew(self, manifest: Manifest, move: Move) -> None:
        """Delete a batch Job and make it again. Its Service remembers it in between."""
        ref = ref_of(manifest)
        service = Ref("v1", "Service", ref.name, ref.namespace)
        before = next((job for job in move.job.batch_jobs if job["metadata"]["name"] == ref.name), None)
        if before:
            self._remember(service, json.dumps(manifest, separators=(",", ":")))
            self._store.delete(ref, str(before["metadata"]["uid"]))
            until_gone(self._store, [ref], self._deadline, self._say)
        after = self._store.apply(ref, manifest, dry_run=False)
        self._remember(service, None)
        self.outcomes.append(Outcome(ref, "changed", before, after))

    def _remember(self, service: Ref, text: Optional[str]) -> None:
        self._call("PATCH", service, {"metadata": {"annotations": {SAVED: text}}}, _MERGE)

    def _call(self, method: str, ref: Ref, body: Any, content_type: str) -> Manifest:
        manager = [("fieldManager", self._store.field_manager)]
        return self._store.client.call(method, self._store.discovery.path(ref), manager, body, content_type)


def predicted(plan: Plan, queues: Sequence[Manifest]) -> List[Outcome]:
    """Return what would be done, in the order in which it would be."""
    made = [
        *queues,
        *(move.group for move in plan.moves if move.group),
        *(each.former for each in plan.backs if each.former),
    ]
    gone = [*(back.new for back in plan.backs), *(gate for move in plan.moves for gate in move.gates)]
    outcomes = [Outcome(ref_of(each), "created", None, each) for each in made]
    outcomes += [Outcome(ref_of(each), "deleted", each, None) for each in gone]
    for move in plan.moves:
        if move.root:
            outcomes.append(Outcome(move.job.ref, "changed", move.job.root, move.root))
        before = {job["metadata"]["name"]: job for job in move.job.batch_jobs}
        outcomes += [Outcome(ref_of(job), "changed", before.get(job["metadata"]["name"]), job) for job in move.anew]
    return outcomes


def _pod_ref(pod: Manifest) -> Ref:
    return Ref("v1", "Pod", str(pod["metadata"]["name"]), str(pod["metadata"]["namespace"]))
