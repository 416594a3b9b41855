# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs of a cluster whose pods start together: under which scheduler each is, and whether it has begun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Set, Tuple

from .._gangs.gang import GROUPS, backends_of, named_in
from .._job_kinds.registry import JOB_KINDS
from .._job_model.kind import JobKind
from .._jobs.live import JobWatch
from .._kube.resource import Manifest, Ref
from .._kube.store import Store
from .._pods.slim import slim_pod

WAITING, RUNNING, ENDED = "waiting", "running", "ended"
_BEGUN = ("Running", "Succeeded", "Failed")
# Backend, namespace and name of each PodGroup.
Groups = Set[Tuple[str, str, str]]


@dataclass(frozen=True)
class GangJob:
    """A job whose pods bear the mark of a gang, or get it from the scheduler whose own kind of job it is.

    backend: the scheduler. state: waiting, while no pod of it ever had a node; running, ended. pods: those that have
    not been removed.
    """

    kind: JobKind
    ref: Ref
    backend: str
    state: str
    pods: Sequence[Manifest] = ()


def gang_jobs(
    kind: JobKind,
    roots: Sequence[Manifest],
    makers: Sequence[Manifest],
    pods: Sequence[Manifest],
    groups: Groups,
) -> List[GangJob]:
    """Return the jobs of one kind that bear the mark of a gang. Pure.

    makers: what makes the pods, where roots do not. pods: with the label of the kind.
    """
    found: List[GangJob] = []
    pods_of = _by(pods, lambda pod: [_named(pod, kind)])
    makers_of = _by(makers, _owners)
    for root in (each for each in roots if kind.stands_for_job(each)):
        ref = kind.ref(str(root["metadata"]["name"]), str(root["metadata"]["namespace"]))
        own = makers_of.get(str(root["metadata"]["uid"]), [])
        marked = (_backend(template, ref.namespace, groups) for template in kind.templates(root, own))
        backend = kind.gang_backend or next(filter(None, marked), "")
        if not backend:
            continue
        watch = JobWatch(kind, ref)
        state = watch.judge(root, pods_of.get((ref.namespace, ref.name), []), [], own)
        begun = state.state in (RUNNING, "restarting") or any(map(_has_begun, watch.pods))
        name = ENDED if state.ended else RUNNING if begun else WAITING
        found.append(GangJob(kind, ref, backend, name, watch.pods))
    return found


def _backend(template: Manifest, namespace: str, groups: Groups) -> str:
    """Return whose mark a template bears; empty for none.

    Two schedulers read the same annotation: then it is whose name the template gives, or whose PodGroup there is.
    """
    found = backends_of(template)
    there = [each for each in found if (each.name, namespace, named_in(template, each)) in groups]
    return next((each.name for each in (*there, *found)), "")


def _by(items: Sequence[Manifest], keys: Callable[[Manifest], Iterable[Any]]) -> Dict[Any, List[Manifest]]:
    """Return objects by what each is looked for by: there may be thousands of each kind."""
    found: Dict[Any, List[Manifest]] = {}
    for item in items:
        for key in keys(item):
            found.setdefault(key, []).append(item)
    return found


def _owners(item: Mapping[str, Any]) -> List[str]:
    return [str(owner.get("uid")) for owner in item["metadata"].get("ownerReferences") or []]


def _named(pod: Manifest, kind: JobKind) -> Tuple[str, str]:
    metadata = pod["metadata"]
    return str(metadata.get("namespace")), str((metadata.get("labels") or {}).get(kind.labels.job))


def _has_begun(pod: Manifest) -> bool:
    """Tell whether a pod has or had a node."""
    phase = (pod.get("status") or {}).get("phase")
    return bool((pod.get("spec") or {}).get("nodeName")) or phase in _BEGUN


def read_gang_jobs(store: Store) -> List[GangJob]:
    """Return the jobs of a cluster that bear the mark of a gang. Raises ApiError."""
    groups = {
        (backend.name, str(group["metadata"]["namespace"]), str(group["metadata"]["name"]))
        for backend in GROUPS
        for group in store.list(*backend.identity)
    }
    found: List[GangJob] = []
    for kind in JOB_KINDS.values():
        roots = store.list(*kind.identity, selector=kind.root_label)
        if not roots:
            continue
        label = kind.labels.job
        pods = store.list("v1", "Pod", selector=label, shape=slim_pod)
        makers = [maker for each in kind.pod_makers for maker in store.list(*each, selector=label)]
        found += gang_jobs(kind, roots, makers, pods, groups)
    return found
