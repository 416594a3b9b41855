# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs of a cluster whose pods start together: under which scheduler each is, and whether it has begun."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from .._gangs.gang import GROUPS, backends_of, named_in
from .._job_model.kind import JOB_KINDS, JobKind, is_root
from .._jobs.live import JobWatch
from .._kube.names import GROUP_NAME
from .._kube.resource import Manifest, Ref
from .._kube.store import Store
from .._pods.slim import slim_pod

WAITING, RUNNING, ENDED = "waiting", "running", "ended"
# Kinds of job that are gangs by themselves, of one scheduler alone.
_BOUND = {"volcano_job": "volcano"}
_BEGUN = ("Running", "Succeeded", "Failed")


@dataclass(frozen=True)
class GangJob:
    """A job whose pods bear the mark of a gang, or get it from the scheduler whose own kind of job it is.

    root: the object that stands for it. batch_jobs: of a job without an operator. pods: those that have not been
    removed. groups: its PodGroups, by backend; they may be somebody's who wrote them by hand. state: waiting, while no
    pod of it ever had a node; running, ended.
    """

    kind: JobKind
    ref: Ref
    root: Manifest
    state: str
    batch_jobs: Sequence[Manifest] = ()
    pods: Sequence[Manifest] = ()
    groups: Mapping[str, Manifest] = field(default_factory=dict)

    @property
    def bound(self) -> str:
        """Return the only scheduler that starts jobs of this kind; empty when any may."""
        return _BOUND.get(self.kind.name, "")

    @cached_property
    def templates(self) -> List[Manifest]:
        """Return the pod templates of the job."""
        return templates_of(self.kind, self.root, self.batch_jobs)

    @cached_property
    def backend(self) -> str:
        """Return under which scheduler it is, by its kind or the marks of its templates; empty for an unknown one."""
        if self.bound:
            return self.bound
        names = [name for name in (backend_of_template(each, self.groups) for each in self.templates) if name]
        return names[0] if names else ""

    def owns(self, item: Manifest) -> bool:
        """Tell whether an object belongs to this very job."""
        owners = item["metadata"].get("ownerReferences") or []
        return any(owner.get("uid") == self.root["metadata"]["uid"] for owner in owners)


def templates_of(kind: JobKind, root: Manifest, batch_jobs: Sequence[Manifest]) -> List[Manifest]:
    """Return the pod templates of a job; of a kind that keeps them elsewhere, none."""
    if not kind.replica_specs:
        return [job["spec"]["template"] for job in batch_jobs]
    replicas = (root.get("spec") or {}).get(kind.replica_specs)
    if not isinstance(replicas, Mapping):
        return [task.get("template") or {} for task in replicas or []]
    return [replica.get("template") or {} for replica in replicas.values()]


def backend_of_template(template: Manifest, groups: Mapping[str, Any]) -> str:
    """Return whose mark a template or a pod bears; empty for none. groups: the job's PodGroups, by backend.

    Two schedulers read the same annotation: then it is whose name the template gives, or whose PodGroup there is.
    """
    found = [backend.name for backend in backends_of(template)]
    return next((name for name in found if name in groups), next(iter(found), ""))


def marked_group(template: Manifest, name: str) -> str:
    """Return the PodGroup that a template names in the mark of a backend; empty for none. name: of the backend."""
    return next(filter(None, (named_in(template, backend) for backend in GROUPS if backend.name == name)), "")


def gang_jobs(
    kind: JobKind,
    roots: Sequence[Manifest],
    batch_jobs: Sequence[Manifest],
    pods: Sequence[Manifest],
    groups: Mapping[str, Sequence[Manifest]],
) -> List[GangJob]:
    """Return the jobs of one kind that bear the mark of a gang. Pure.

    pods: with the label of the kind. groups: all PodGroups, by backend.
    """
    found: List[GangJob] = []
    pods_of = _by(pods, lambda pod: [_named(pod, kind)])
    jobs_of = _by(batch_jobs, _owners)
    groups_of = {name: _by(each, _claims) for name, each in groups.items()}
    for root in (each for each in roots if is_root(kind, each)):
        ref, uid = kind.ref(str(root["metadata"]["name"]), str(root["metadata"]["namespace"])), _uid(root)
        own = jobs_of.get(uid, [])
        marked = templates_of(kind, root, own)
        if kind.name not in _BOUND and not any(backend_of_template(template, {}) for template in marked):
            continue
        mine = {name: group for name, each in groups_of.items() for group in _of_job(each, uid, ref, marked, name)}
        watch = JobWatch(kind, ref)
        state = watch.judge(root, pods_of.get((ref.namespace, ref.name), []), [], own)
        begun = state.state in (RUNNING, "restarting") or any(map(has_begun, watch.pods))
        name = ENDED if state.ended else RUNNING if begun else WAITING
        found.append(GangJob(kind, ref, root, name, own, watch.pods, mine))
    return found


def _by(items: Sequence[Manifest], keys: Callable[[Manifest], Iterable[Any]]) -> Dict[Any, List[Manifest]]:
    """Return objects by what each is looked for by: there may be thousands of each kind."""
    found: Dict[Any, List[Manifest]] = {}
    for item in items:
        for key in keys(item):
            found.setdefault(key, []).append(item)
    return found


def _uid(item: Manifest) -> str:
    return str(item["metadata"]["uid"])


def _owners(item: Manifest) -> List[str]:
    return [str(owner.get("uid")) for owner in item["metadata"].get("ownerReferences") or []]


def _claims(group: Manifest) -> List[Any]:
    """Return by what a PodGroup is known to be a job's: made for it, or named in its templates."""
    return [*_owners(group), (group["metadata"].get("namespace"), group["metadata"]["name"])]


def _of_job(
    groups: Mapping[Any, Sequence[Manifest]], uid: str, ref: Ref, templates: Sequence[Manifest], name: str
) -> List[Manifest]:
    """Return the PodGroups of a job, those that were made for it last. groups: of one backend, by `_claims`."""
    named = {marked_group(template, name) for template in templates}
    found = [group for each in sorted(named - {""}) for group in groups.get((ref.namespace, each), ())]
    return [*found, *groups.get(uid, ())]


def has_begun(pod: Manifest) -> bool:
    """Tell whether a pod has or had a node."""
    phase = (pod.get("status") or {}).get("phase")
    return bool((pod.get("spec") or {}).get("nodeName")) or phase in _BEGUN


def _named(pod: Manifest, kind: JobKind) -> Tuple[str, str]:
    metadata = pod["metadata"]
    return str(metadata.get("namespace")), str((metadata.get("labels") or {}).get(kind.labels.job))


def read_groups(store: Store, namespace: str = "") -> Dict[str, List[Manifest]]:
    """Return the PodGroups of a cluster or a namespace, by backend. Raises ApiError."""
    found: Dict[str, List[Manifest]] = {}
    for backend in GROUPS:
        found.setdefault(backend.name, []).extend(store.list(*backend.identity, namespace))
    return found


def read_gang_jobs(
    store: Store,
    namespace: str = "",
    kinds: Iterable[JobKind] = JOB_KINDS.values(),
    groups: Optional[Mapping[str, Sequence[Manifest]]] = None,
) -> List[GangJob]:
    """Return the jobs that bear the mark of a gang. groups: of `read_groups`, if they were read. Raises ApiError."""
    groups = read_groups(store, namespace) if groups is None else groups
    found: List[GangJob] = []
    for kind in kinds:
        label = "" if kind.replica_specs else kind.labels.job
        roots = store.list(kind.api_version, kind.kind, namespace, label)
        if not roots:
            continue
        pods = store.list("v1", "Pod", namespace, kind.labels.job, shape=_slim_pod)
        batch_jobs = [] if kind.replica_specs else store.list("batch/v1", "Job", namespace, label)
        found += gang_jobs(kind, roots, batch_jobs, pods, groups)
    return found


def _slim_pod(pod: Manifest) -> Manifest:
    """Return what a state is read from, with the marks."""
    slim, spec = slim_pod(pod), pod.get("spec") or {}
    named = (pod["metadata"].get("annotations") or {}).get(GROUP_NAME)
    metadata = {**slim["metadata"], "annotations": {GROUP_NAME: named} if named else {}}
    marks = {key: spec[key] for key in ("schedulingGroup", "workloadRef", "schedulerName") if spec.get(key)}
    return {**slim, "metadata": metadata, "spec": {**slim["spec"], **marks}}
