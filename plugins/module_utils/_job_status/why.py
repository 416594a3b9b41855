# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a training job is not where its owner wants it: one plain sentence, and the facts. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from .._gangs.gang import group_of
from .._job_model.cause import WAITS, Cause, Evidence, Finding, Subject, ago, seconds_since, who
from .._job_model.kind import JobKind
from .._job_model.state import FAILED, SUCCEEDED, SUSPENDED, VANISHED, JobState
from .._kube.pod_reason import condition
from .._kube.resource import Manifest, Ref
from .why_exit import VANISHED as GONE
from .why_exit import why_failed
from .why_gang import why_gang
from .why_gang_left import left_over
from .why_no_pods import why_no_pods
from .why_placing import why_unplaced
from .why_starting import why_not_started

PAUSED = Cause(
    "the job is suspended",
    "The job is suspended{by}, so it has no pods",
    "Resume it: state present with suspend false; a queue such as Kueue resumes its jobs by itself",
    rank=WAITS,
)
RESTARTS = Cause(
    "pods are started anew",
    "The operator starts failed pods anew: {word}",
    "Read the log of a pod while it runs; set backoff_limit to end a job that does not recover",
    rank=WAITS,
)
DELETED = Cause(
    "the job is being deleted",
    "Somebody is deleting the job, since {ago}; what it owns goes first",
    "Wait; when it stays like this, see which of its pods stay on a node that does not answer",
    rank=WAITS,
)
LEAVING = Cause(
    "a pod is being deleted",
    "{who} is being deleted on node {node}: {word}",
    "See whether the node runs; a pod on a node that is gone for good stays until it is deleted with --force",
)
# Replicas whose findings are told as facts.
_OTHERS = 8
_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


@dataclass(frozen=True)
class Why:
    """One plain sentence, and the facts behind it; both empty when there is nothing to explain."""

    sentence: str = ""
    facts: List[str] = field(default_factory=list)

    def result(self) -> Dict[str, Any]:
        """Return it as modules return it."""
        return {"sentence": self.sentence, "facts": list(self.facts)}


def explain(
    kind: JobKind, ref: Ref, state: JobState, job: Optional[Manifest], pods: Sequence[Manifest], evidence: Evidence
) -> Why:
    """Return why a job is in its state. job: the live object. pods: of the job, as `_jobs.live` reads them."""
    findings = list(_findings(kind, ref, state, job, pods, evidence))
    if not findings:
        return Why(facts=list(evidence.unread))
    # Sorting keeps the order of those of equal rank: the replicas' own.
    first, *others = sorted(findings, key=lambda finding: finding.rank)
    facts = [*first.facts, *(finding.sentence for finding in others[:_OTHERS])]
    if len(others) > _OTHERS:
        facts.append(f"and {len(others) - _OTHERS} findings more")
    facts += [*evidence.unread, f"what to do: {first.way_out}"]
    return Why(first.sentence, list(dict.fromkeys(fact for fact in facts if fact)))


def _findings(
    kind: JobKind, ref: Ref, state: JobState, job: Optional[Manifest], pods: Sequence[Manifest], evidence: Evidence
) -> Iterator[Finding]:
    if state.state == VANISHED:
        yield GONE.found(who="", word=state.message)
        return
    if job is None or state.state == SUCCEEDED:
        return
    specs = {item.title: item.spec for item in kind.replicas(job)}
    subjects = _subjects(state, pods, specs)
    if state.state == FAILED:
        yield why_failed(kind, state, job, subjects, evidence)
        return
    if job["metadata"].get("deletionTimestamp"):
        yield DELETED.found(ago=ago(seconds_since(job["metadata"]["deletionTimestamp"], evidence.now)))
    if state.state == SUSPENDED:
        queue = (job["metadata"].get("labels") or {}).get(_QUEUE_LABEL)
        yield PAUSED.found(by=f" and waits in the queue {queue}" if queue else "")
        return
    yield from _of_pods(kind, ref, job, subjects, evidence)
    missing = missing_replicas(kind, job, state)
    if missing:
        events = [
            event for event in evidence.events if (event.get("involvedObject") or {}).get("kind") in (kind.kind, "Job")
        ]
        yield why_no_pods(kind, missing, ref.namespace, job, events, evidence)
    if state.state == "restarting":
        yield kind.why_restarting(state) or RESTARTS.found(word=state.message or state.reason)


def _subjects(state: JobState, pods: Sequence[Manifest], specs: Mapping[str, Manifest]) -> List[Subject]:
    """Return the pods of a job with what is known of their specs: their own, else what their template says."""
    by_name = {str(pod["metadata"]["name"]): pod for pod in pods}
    found: List[Subject] = []
    for replica in state.replicas:
        pod = by_name.get(replica.pod)
        if pod is not None:
            own = {key: value for key, value in (pod.get("spec") or {}).items() if value is not None}
            found.append(Subject(replica, pod, {**specs.get(replica.type, {}), **own}))
    return found


def _of_pods(
    kind: JobKind, ref: Ref, job: Manifest, subjects: Sequence[Subject], evidence: Evidence
) -> Iterator[Finding]:
    leaving = [item for item in subjects if _stays(item, evidence)]
    if leaving:
        yield LEAVING.found(who=who(leaving), node=leaving[0].replica.node or "(none)", word=leaving[0].replica.reason)
    waiting = [item for item in subjects if item not in leaving and item.replica.state == "pending"]
    unplaced = [item for item in waiting if not item.replica.node]
    placeless = {item.replica.pod for item in unplaced}
    gangs: Dict[str, List[Subject]] = {}
    for item in subjects:
        gangs.setdefault(group_of({**item.pod, "spec": item.spec}), []).append(item)
    for name, gang in gangs.items():
        members = [item for item in gang if item.replica.pod in placeless]
        if not members:
            continue
        left = left_over(name, members, gang, evidence)
        if left:
            yield left
        elif name:
            yield from why_gang(name, members, kind.replicas(job), evidence)
        else:
            yield from why_unplaced(members, ref.namespace, evidence)
    placed = [item for item in waiting if item.replica.node]
    # A container that was restarted and runs again is on its way; one that fails each time is not.
    yield from why_not_started(placed, ref.namespace, evidence, kind.container)


def _stays(subject: Subject, evidence: Evidence) -> bool:
    """Tell whether a pod that is being deleted is more than on its way: taken from its node, or beyond its time."""
    until = subject.pod["metadata"].get("deletionTimestamp")
    disrupted = condition(subject.pod, "DisruptionTarget").get("status") == "True"
    return bool(until) and (disrupted or seconds_since(until, evidence.now) > 0)


def missing_replicas(kind: JobKind, job: Manifest, state: JobState) -> List[str]:
    """Return the labels of replicas that should have a pod and have none."""
    there = {replica.label for replica in state.replicas if replica.state != "removed"}
    return [label for label in wanted_replicas(kind, job) if label not in there]


def wanted_replicas(kind: JobKind, job: Manifest) -> List[str]:
    """Return the labels of all replicas of a job."""
    return [f"{name}-{index}" for name, count in kind.counts(job).items() for index in range(count)]
