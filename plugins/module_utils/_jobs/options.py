# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what the user wrote to the options of each job, and all that is wrong with them at once. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from .._common.problem import Problem
from .._job_model.job import Job, Renderer
from .._job_model.kind import JobKind
from .._job_model.replicas import told_once
from .._kube.cluster import NEWEST, Cluster, Question, RecordingCluster
from .._kube.resource import Ref

Spec = Dict[str, Any]
Options = Dict[str, Any]

# Given for one job they add to those that stand beside the list; every other option replaces the common one.
MERGED = ("annotations", "env", "labels", "node_selector", "pod_annotations", "pod_labels")


@dataclass(frozen=True)
class JobType:
    """A kind of job as options ask for it. spec: the argument spec of one job, without what all kinds share."""

    kind: JobKind
    render: Renderer
    spec: Mapping[str, Any]

    def job_spec(self) -> Spec:
        """Return the argument spec of one job."""
        return {**identity_options(), **self.spec}


@dataclass(frozen=True)
class RequestedJob:
    """One job that is asked for.

    title: how a problem names it. job: its objects, unless only its name matters. answers: what its renderer asked of
    the cluster that it was rendered for, and what that one answered.
    """

    type: JobType
    title: str
    options: Options
    job: Optional[Job] = None
    answers: Mapping[Question, bool] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the job's name."""
        return str(self.options["name"])

    @property
    def namespace(self) -> str:
        """Return the job's namespace."""
        return str(self.options["namespace"])

    @property
    def ref(self) -> Ref:
        """Return the identity of the object that stands for the job."""
        return self.type.kind.ref(self.name, self.namespace)


def job_type(kind: JobKind) -> JobType:
    """Return a kind of job with its own renderer and options."""
    return JobType(kind, kind.render, kind.job_options())


def identity_options() -> Spec:
    """Return what names a job: the same for all kinds, part of the doc fragment `job`."""
    return {
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "default": "default"},
        "labels": {"type": "dict"},
        "annotations": {"type": "dict"},
    }


def validated(spec: Spec, raw: Mapping[str, Any], title: str, page: str) -> Tuple[Options, List[Problem]]:
    """Return the options as the argument spec wants them, and what it has against their values.

    title: how a problem names the whole. page: the module whose documentation describes the options.
    """
    result = ArgumentSpecValidator(spec).validate(raw)
    way_out = f"See `ansible-doc trainyard.mlstack.{page}`"
    name = str(raw.get("name") or "its options")
    problems = [Problem(title, name, str(error).rstrip("."), way_out) for error in result.errors]
    return dict(result.validated_parameters), problems


def laid_over(common: Mapping[str, Any], own: Mapping[str, Any]) -> Options:
    """Return one job's options: its own before the common ones."""
    result = {**common, **own}
    for name in MERGED:
        if isinstance(common.get(name), Mapping) and isinstance(own.get(name), Mapping):
            result[name] = {**common[name], **own[name]}
    return result


def twice(wanted: Sequence[RequestedJob]) -> List[Problem]:
    """Return what is wrong with a list in which two jobs have one name."""
    problems: List[Problem] = []
    seen: Dict[Tuple[str, str], RequestedJob] = {}
    for each in wanted:
        first = seen.setdefault((each.namespace, each.name), each)
        if first is not each:
            other = f"a {first.type.kind.title} of this name stands in the list already, as {first.title}"
            problems.append(Problem(f"{each.title}.name", each.name, other, "Rename one of the two"))
    return problems


def rendered(wanted: RequestedJob, cluster: Cluster = NEWEST) -> Tuple[RequestedJob, List[Problem]]:
    """Return the job with its objects as a cluster wants them, or what is wrong with its options. Raises ApiError."""
    asked = RecordingCluster(cluster)
    job, problems = wanted.type.render(wanted.options, asked)
    where = f"{wanted.title}." if "[" in wanted.title else ""
    found = [Problem(f"{where}{p.field}", p.value, p.rule, p.way_out, p.host) for p in told_once(problems)]
    return replace(wanted, job=job, answers=asked.answers), found


def for_cluster(wanted: RequestedJob, cluster: Cluster) -> Tuple[RequestedJob, List[Problem]]:
    """Return the job as a cluster wants it: rendered again where that answers otherwise. Raises ApiError."""
    return (wanted, []) if cluster.agrees(wanted.answers) else rendered(wanted, cluster)
