# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that would share a name: with another job of the list, with one of another kind, or with somebody's object.

The server takes both, and their pods, Services and PodGroups are then each other's: one overwrites or removes what the
other needs.
"""

from __future__ import annotations

from itertools import groupby
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils import _parallel
from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JOB_KINDS, PS_JOB, JobKind, job_title
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_names import pod_name
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest, Ref, ref_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._store import Store

Live = Mapping[Ref, Optional[Manifest]]

# Kinds of job that we do not make; their operators name pods, Services or PodGroups after the job, too.
_FOREIGN = (
    ("kubeflow.org/v1", "JAXJob"),
    ("kubeflow.org/v1", "MPIJob"),
    ("kubeflow.org/v1", "PaddleJob"),
    ("kubeflow.org/v1", "XGBoostJob"),
    ("batch.volcano.sh/v1alpha1", "Job"),
)
# Up to this many objects of a kind and namespace are read one by one: a list would bring all the others, too.
_FEW = 3


def rivals(job: Job) -> List[Ref]:
    """Return the jobs of other kinds that would have this job's name."""
    kinds = [(kind.api_version, kind.kind) for kind in JOB_KINDS.values() if kind is not job.kind]
    return [Ref(version, kind, job.name, job.namespace) for version, kind in (*kinds, *_FOREIGN)]


def offspring(job: Job) -> List[Ref]:
    """Return the objects that come with a job, other than pods: its parts, and the Services that its operator makes."""
    refs = [ref_of(part, job.namespace) for part in job.parts]
    for name, replica in (job.root.get("spec") or {}).get(job.kind.replica_specs, {}).items():
        names = [pod_name(job.kind, job.name, name, index) for index in range(int(replica["replicas"]))]
        refs += [Ref("v1", "Service", each, job.namespace) for each in names]
    return refs


def check_list(jobs: Sequence[Job]) -> List[Problem]:
    """Return which jobs of one list would make the same object, though their own names differ. Pure."""
    problems: List[Problem] = []
    first: Dict[Ref, Job] = {}
    told = set()
    for job in jobs:
        for ref in offspring(job):
            other = first.setdefault(ref, job)
            pair = (other.ref, job.ref)
            if other.ref != job.ref and pair not in told:
                told.add(pair)
                rule = f"its {ref} would be that of {job_title(other.ref)}, too"
                problems.append(Problem("name", job_title(job.ref), rule, "Rename one of the two"))
    return problems


def check_live(store: Store, jobs: Sequence[Job]) -> List[Problem]:
    """Return which of these jobs, none of which is there yet, meets somebody else's objects. Raises ApiError."""
    wanted = [ref for job in jobs for ref in (*rivals(job), *offspring(job))]
    return judge(_read(store, wanted), jobs)


def judge(live: Live, jobs: Sequence[Job]) -> List[Problem]:
    """Return which of these jobs meets somebody else's objects. Pure."""
    problems: List[Problem] = []
    for job in jobs:
        for ref in rivals(job):
            found = live.get(ref)
            if found is not None and (ref.kind != PS_JOB.kind or stands_for_job(found)):
                title = PS_JOB.title if ref.kind == PS_JOB.kind else ref.kind
                rule = f"a {title} of this name is in the namespace, and both would name their pods and groups after it"
                way_out = "Rename the job, put it into another namespace, or remove the other one"
                problems.append(Problem("name", job_title(job.ref), rule, way_out))
        for ref in offspring(job):
            found = live.get(ref)
            if found is not None and not job.owns(found):
                rule = f"its {ref.kind} {ref.name} is there already and belongs to {_owner(found)}"
                problems.append(Problem("name", job_title(job.ref), rule, f"Rename the job, or remove {ref}"))
    return problems


def stands_for_job(config_map: Manifest) -> bool:
    """Tell whether a ConfigMap stands for a job, as it does for one without an operator."""
    labels = config_map["metadata"].get("labels") or {}
    return bool(labels.get(PS_JOB.labels.job) == config_map["metadata"]["name"])


def is_root(kind: JobKind, live: Manifest) -> bool:
    """Tell whether an object that has the name of a job's root is one, and not somebody's own ConfigMap."""
    return kind is not PS_JOB or stands_for_job(live)


def check_root(job: Job, live: Optional[Manifest]) -> List[Problem]:
    """Return why the object that has the name of a job's root is not the job: somebody's own ConfigMap. Pure."""
    if live is None or is_root(job.kind, live):
        return []
    rule = "a ConfigMap of this name is in the namespace and belongs to no job; it would be overwritten"
    return [Problem("name", job_title(job.ref), rule, "Rename the job, or remove the ConfigMap")]


def _owner(found: Manifest) -> str:
    owners = found["metadata"].get("ownerReferences") or []
    return ", ".join(f"{owner.get('kind')} {owner.get('name')}" for owner in owners) or "nobody's job"


def _read(store: Store, refs: Iterable[Ref]) -> Dict[Ref, Optional[Manifest]]:
    """Return the live objects; what does not exist is not there, nor is what this user may not read."""

    def key(ref: Ref) -> Tuple[str, str, str]:
        return (ref.api_version, ref.kind, ref.namespace)

    groups = [list(group) for _key, group in groupby(sorted(set(refs), key=key), key)]
    found: Dict[Ref, Optional[Manifest]] = {}
    for answers in _parallel.each(lambda group: _read_group(store, group), groups):
        found.update(answers)
    return found


def _read_group(store: Store, refs: Sequence[Ref]) -> Dict[Ref, Optional[Manifest]]:
    """Return the objects of one kind and namespace."""
    try:
        if len(refs) <= _FEW:
            return {ref: store.read(ref) for ref in refs}
        kind = refs[0]
        # Of ConfigMaps only those that stand for jobs matter, and there may be many others.
        selector = PS_JOB.labels.job if kind.kind == PS_JOB.kind else ""
        listed = store.list(kind.api_version, kind.kind, kind.namespace, selector, shape=_identity)
    except ApiError as error:
        # Whoever may make TFJobs need not be allowed to read MPIJobs.
        if error.status != 403:
            raise
        return {}
    by_name = {str(item["metadata"]["name"]): item for item in listed}
    return {ref: by_name.get(ref.name) for ref in refs}


def _identity(manifest: Manifest) -> Manifest:
    """Return what tells whose an object is: there may be thousands."""
    metadata = manifest["metadata"]
    return {"metadata": {key: metadata[key] for key in ("name", "labels", "ownerReferences") if key in metadata}}
