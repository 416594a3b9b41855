# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait once for a whole list: until every object is usable, or until every object is gone."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from .._common import parallel
from .._common.deadline import Deadline
from .._common.teller import Teller
from .ends import Ends, GroupKind
from .errors import ApiError
from .outcome import ObjectsFailed, Trouble, count
from .pod_reason import pod_reason
from .readiness import FAILED, READY, WAITING, Readiness, readiness, waits_for_consumer, webhook_problem
from .resource import Manifest, Ref
from .store import Store

Say = Callable[[str], None]

_MISSING = Readiness(WAITING, "does not exist")
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.3, 2.0
# Conditions of a CRD that stay True to its end and explain nothing.
_ALWAYS_TRUE = ("Established", "NamesAccepted")


def until_ready(
    store: Store, refs: Sequence[Ref], deadline: Deadline, say: Say, own: Optional[Mapping[GroupKind, Ends]] = None
) -> None:
    """Return when all objects are usable.

    own: what the user says of kinds. Raises ObjectsFailed when one has failed for good, was there and is gone, or
    the time is over.
    """
    seen: Set[Ref] = set()

    def look(ref: Ref) -> Readiness:
        answer = _readiness(store, ref, own)
        if answer != _MISSING:
            seen.add(ref)
        elif ref in seen:
            return Readiness(FAILED, "vanished: it was there, and somebody deleted it")
        return answer

    _until(look, refs, deadline, say, "ready")


def until_gone(store: Store, refs: Sequence[Ref], deadline: Deadline, say: Say) -> None:
    """Return when no object exists any more. Raises ObjectsFailed when the time is over."""
    _until(lambda ref: _absence(store, ref), refs, deadline, say, "gone")


def _until(look: Callable[[Ref], Readiness], refs: Sequence[Ref], deadline: Deadline, say: Say, goal: str) -> None:
    left, pause, teller = list(refs), FIRST_PAUSE_S, Teller(say, deadline)
    while left:
        answers: List[Tuple[Ref, Readiness]] = list(zip(left, parallel.each(look, left)))
        failed = [Trouble(ref, answer.reason) for ref, answer in answers if answer.state == FAILED]
        if failed:
            raise ObjectsFailed(f"{count(len(failed), 'object')} will not become {goal}", failed)
        waiting = [Trouble(ref, answer.reason) for ref, answer in answers if answer.state == WAITING]
        if not waiting:
            return
        first = f"{waiting[0].ref}: {waiting[0].reason}"
        teller.tell(f"{len(refs) - len(waiting)} of {len(refs)} {goal}, waiting for {first}")
        left = [trouble.ref for trouble in waiting]
        if not deadline.pause(pause):
            raise ObjectsFailed(f"{count(len(waiting), 'object')} not {goal} after {deadline.spent():.0f} s", waiting)
        pause = min(pause * 1.5, LONGEST_PAUSE_S)


def _readiness(store: Store, ref: Ref, own: Optional[Mapping[GroupKind, Ends]]) -> Readiness:
    try:
        live = store.read(ref)
        if live is None:
            return _MISSING
        if ref.kind.endswith("WebhookConfiguration"):
            return _webhooks(store, live)
        answer = readiness(live, own)
        if answer.state != WAITING:
            return answer
        if ref.kind == "PersistentVolumeClaim" and waits_for_consumer(live, _storage_class(store, live)):
            return Readiness(READY)
        return Readiness(WAITING, "; ".join([answer.reason, *_pod_reasons(store, live)]))
    except ApiError as error:
        # The server may restart or change its leader while we wait.
        return Readiness(WAITING if error.passing else FAILED, error.message)


def _absence(store: Store, ref: Ref) -> Readiness:
    try:
        live = store.read(ref)
    except ApiError as error:
        return Readiness(WAITING if error.passing else FAILED, error.message)
    if live is None:
        return Readiness(READY)
    held = [f"finalizer {name}" for name in (live.get("metadata") or {}).get("finalizers") or []]
    # A terminating namespace or CRD says in its conditions what is left inside.
    held += [
        str(item["message"])
        for item in (live.get("status") or {}).get("conditions") or []
        if item.get("status") == "True" and item.get("message") and item.get("type") not in _ALWAYS_TRUE
    ]
    return Readiness(WAITING, "; ".join(held) or "still exists")


def _storage_class(store: Store, claim: Manifest) -> Any:
    name = (claim.get("spec") or {}).get("storageClassName")
    return store.read(Ref("storage.k8s.io/v1", "StorageClass", str(name))) if name else None


def _webhooks(store: Store, live: Manifest) -> Readiness:
    slices: Dict[Tuple[str, str], List[Manifest]] = {}
    problems: List[str] = []
    for webhook in live.get("webhooks") or []:
        service = (webhook.get("clientConfig") or {}).get("service") or {}
        key = (str(service.get("namespace", "")), str(service.get("name", "")))
        if service and key not in slices:
            selector = f"kubernetes.io/service-name={key[1]}"
            slices[key] = store.list("discovery.k8s.io/v1", "EndpointSlice", key[0], selector)
        problem = webhook_problem(webhook, slices.get(key, []))
        if problem:
            problems.append(problem)
    return Readiness(WAITING, problems[0]) if problems else Readiness(READY)


def _pod_reasons(store: Store, live: Manifest) -> List[str]:
    """Return why the pods of a workload do not run: that is what its owner wants to know."""
    labels = ((live.get("spec") or {}).get("selector") or {}).get("matchLabels")
    if live.get("kind") not in ("Deployment", "DaemonSet", "StatefulSet", "Job") or not labels:
        return []
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    pods = store.list("v1", "Pod", str(live["metadata"].get("namespace", "")), selector)
    reasons = [f"pod {pod['metadata']['name']}: {pod_reason(pod)}" for pod in pods if pod_reason(pod)]
    return reasons[:3]
