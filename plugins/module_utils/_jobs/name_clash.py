# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that would share a name: with another job of the list, with one of another kind, or with somebody's object.

The server takes both, and their pods, Services and PodGroups are then each other's: one overwrites or removes what the
other needs.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Sequence

from .._common.problem import Problem
from .._job_kinds.registry import JOB_KINDS, job_title, kind_of, kind_title
from .._job_model.job import Job
from .._kube.resource import Manifest, Ref, ref_of
from .._kube.store import Store

Live = Mapping[Ref, Optional[Manifest]]

# Kinds of job that we do not make; their operators name pods, Services or PodGroups after the job, too.
_FOREIGN = (
    ("kubeflow.org/v1", "JAXJob"),
    ("kubeflow.org/v1", "MPIJob"),
    ("kubeflow.org/v1", "PaddleJob"),
    ("kubeflow.org/v1", "XGBoostJob"),
)


def rivals(job: Job) -> List[Ref]:
    """Return the jobs of other kinds that would have this job's name."""
    kinds = [kind.identity for kind in JOB_KINDS.values() if kind != job.kind]
    return [Ref(version, kind, job.name, job.namespace) for version, kind in (*kinds, *_FOREIGN)]


def offspring(job: Job) -> List[Ref]:
    """Return the objects that come with a job, other than pods: its parts, and what its controller makes besides."""
    return [*(ref_of(part, job.namespace) for part in job.parts), *job.kind.made_besides(job)]


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


def check_live(store: Store, jobs: Sequence[Job], known: Live) -> List[Problem]:
    """Return which of these jobs, none of which is there yet, meets somebody else's objects. Raises ApiError.

    known: what was read of them a moment ago.
    """
    others = [ref for job in jobs for ref in rivals(job) if ref not in known]
    own = [ref for job in jobs for ref in offspring(job) if ref not in known]
    # Of ConfigMaps only those that stand for jobs are rivals, and there may be many others.
    labelled = {ref: _root_label(ref) for ref in others}
    rest = [*(ref for ref in others if not labelled[ref]), *own]
    found: Dict[Ref, Optional[Manifest]] = {}
    for label in dict.fromkeys(filter(None, labelled.values())):
        roots = [ref for ref in others if labelled[ref] == label and ref not in own]
        found.update(store.read_all(roots, _identity, label, only_allowed=True))
    # What this user may not read is not there: who makes TFJobs need not see MPIJobs.
    return judge({**known, **found, **store.read_all(rest, _identity, only_allowed=True)}, jobs)


def judge(live: Live, jobs: Sequence[Job]) -> List[Problem]:
    """Return which of these jobs meets somebody else's objects. Pure."""
    problems: List[Problem] = []
    for job in jobs:
        for ref in rivals(job):
            found = live.get(ref)
            kind = kind_of(ref)
            if found is not None and (kind is None or kind.stands_for_job(found)):
                title = kind_title(ref)
                rule = f"a {title} of this name is in the namespace, and both would name their pods and groups after it"
                way_out = "Rename the job, put it into another namespace, or remove the other one"
                problems.append(Problem("name", job_title(job.ref), rule, way_out))
        for ref in offspring(job):
            found = live.get(ref)
            if found is not None and not job.owns(found):
                rule = f"its {ref.kind} {ref.name} is there already and belongs to {_owner(found)}"
                problems.append(Problem("name", job_title(job.ref), rule, f"Rename the job, or remove {ref}"))
    return problems


def check_root(job: Job, live: Optional[Manifest]) -> List[Problem]:
    """Return why the object that has the name of a job's root is not the job: somebody's own ConfigMap. Pure."""
    if live is None or job.kind.stands_for_job(live):
        return []
    rule = f"a {job.ref.kind} of this name is in the namespace and belongs to no job; it would be overwritten"
    return [Problem("name", job_title(job.ref), rule, f"Rename the job, or remove the {job.ref.kind}")]


def _root_label(ref: Ref) -> str:
    kind = kind_of(ref)
    return kind.root_label if kind else ""


def _owner(found: Manifest) -> str:
    owners = found["metadata"].get("ownerReferences") or []
    return ", ".join(f"{owner.get('kind')} {owner.get('name')}" for owner in owners) or "nobody's job"


def _identity(manifest: Manifest) -> Manifest:
    """Return what tells whose an object is: there may be thousands."""
    metadata = manifest["metadata"]
    return {"metadata": {key: metadata[key] for key in ("name", "labels", "ownerReferences") if key in metadata}}
