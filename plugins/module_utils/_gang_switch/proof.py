# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether one job gives one PodGroup, in the group that its scheduler reads, and all its pods are placed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Mapping, Sequence

from .._common.problem import Problem, Rule
from .._gangs.backend import Backend
from .._job_model.kind import job_title
from .._kube.resource import Manifest, ref_of
from .jobs import GangJob, has_begun, marked_group

NO_GROUP = Rule("{job}", "has no PodGroup", "Submit it with gang, by a module of this collection")
WRONG_GROUP = Rule(
    "{job}",
    "its PodGroup is one of {found}, and {title} reads those in {wanted}",
    "Name the backend in gang.backend, or set mlstack_gang_scheduler to the one that the cluster has",
)
SECOND_GROUP = Rule(
    "{job}",
    "has {count} PodGroups, and its pods can be in one of them only",
    "Take the gang flag of the operator away: jobs of this collection bring their own PodGroup",
)
WRONG_MARK = Rule(
    "{job}",
    "names another PodGroup than its job's, {wanted}",
    "See what changes pods at their creation: an operator with a gang flag, a webhook",
)


@dataclass(frozen=True)
class Proof:
    """What was seen. groups: the job's PodGroups. pods: how many it has. placed: of these, those with a node."""

    problems: Sequence[Problem]
    groups: Sequence[str]
    pods: int
    placed: int
    wanted: int

    @property
    def whole(self) -> bool:
        """Tell whether all pods are placed and nothing is wrong."""
        return not self.problems and self.pods == self.wanted and self.placed == self.wanted


def prove(job: GangJob, groups: Mapping[str, Sequence[Manifest]], backend: Backend, wanted: int) -> Proof:
    """Return what is seen of a job. groups: all PodGroups of its namespace, by backend. wanted: its number of pods."""
    title, own = job_title(job.ref), _own(job, groups)
    names = [f"{group['apiVersion']} {group['metadata']['name']}" for group in own]
    problems: List[Problem] = []
    if not own:
        problems.append(NO_GROUP.broken("none", job=title))
    if len(own) > 1:
        problems.append(SECOND_GROUP.broken(", ".join(names), job=title, count=len(own)))
    elif own and own[0]["apiVersion"] != backend.api_version:
        found = {"found": own[0]["apiVersion"], "wanted": backend.api_version, "title": backend.title}
        problems.append(WRONG_GROUP.broken(names[0], job=title, **found))
    right = [str(group["metadata"]["name"]) for group in own if group["apiVersion"] == backend.api_version]
    if len(right) == 1:
        problems += [problem for pod in job.pods for problem in _wrong_mark(pod, backend, right[0])]
    return Proof(problems, names, len(job.pods), sum(map(has_begun, job.pods)), wanted)


def _wrong_mark(pod: Manifest, backend: Backend, group: str) -> List[Problem]:
    found = marked_group(pod, backend.name)
    if found == group:
        return []
    field = f"pod {pod['metadata'].get('namespace')}/{pod['metadata']['name']}"
    return [WRONG_MARK.broken(found or "nothing", job=field, wanted=group)]


def _own(job: GangJob, groups: Mapping[str, Sequence[Manifest]]) -> List[Manifest]:
    """Return the PodGroups that are the job's: made for it, or named by a pod or a template of it."""
    found: List[Manifest] = []
    for name, items in groups.items():
        marked = {marked_group(each, name) for each in [*job.templates, *job.pods]}
        found += [item for item in items if job.owns(item) or ref_of(item).name in marked - {""}]
    return found
