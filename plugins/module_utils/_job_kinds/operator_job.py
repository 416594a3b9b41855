# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all jobs of the training operator have in common: metadata, run policy, replica types, a gang. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.gang import apply_gang, gang_options
from .._gangs.notes import gang_notes
from .._job_model.cause import Evidence, Finding, some
from .._job_model.job import Job
from .._job_model.kind import JobKind, PodLabels
from .._job_model.metadata import job_metadata
from .._job_model.read_state import read_state
from .._job_model.replicas import replica_options
from .._job_model.run_policy import run_policy, run_policy_options
from .._job_model.state import JobState
from .._kube.cluster import NEWEST, Cluster
from .._kube.compare import changes, meaningful
from .._kube.resource import Manifest, Ref
from .._pods.template import build, merged, pod_options
from .fixed import refused as immutable
from .operator_why import OPERATOR, ended_by, why_managed

Options = Mapping[str, Any]

# The operator removes pods by these: All at the end, with the job, or when it was restarted too often.
_PODS_GO = ("ttlSecondsAfterFinished", "backoffLimit")


class OperatorJob(JobKind):
    """A kind of job of the training operator.

    replica_specs: the key under spec with the replica types. fixed: other keys under spec that a live job does not
    change. all_workers: a job without a leader succeeds only when all its workers do.
    """

    api_version = "kubeflow.org/v1"
    labels = PodLabels(
        "training.kubeflow.org/job-name", "training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"
    )
    controller = OPERATOR
    removes_pods_at_backoff_limit = True
    replica_specs: str
    fixed: Tuple[str, ...] = ()
    all_workers: bool = False

    def manifest(self, metadata: Manifest, fields: Options, specs: Options) -> Manifest:
        """Return the root of a job. fields: its spec, without the replica types. specs: these."""
        spec = {**fields, self.replica_specs: specs}
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, "spec": spec}

    def specs(self, root: Mapping[str, Any]) -> Dict[str, Mapping[str, Any]]:
        """Return the replica types."""
        return dict((root.get("spec") or {}).get(self.replica_specs) or {})

    def made_besides(self, job: Job) -> List[Ref]:
        """Return the Services: one for each pod, of its name."""
        counts = {name: int(spec["replicas"]) for name, spec in self.specs(job.root).items()}
        names = (self.pod_name(job.name, each, index) for each, count in counts.items() for index in range(count))
        return [Ref("v1", "Service", name, job.namespace) for name in names]

    def immutable_changes(self, before: Optional[Manifest], after: Optional[Manifest]) -> List[Problem]:
        """Return changes of pods: they are told once, at their start, who else there is."""
        old, new = (meaningful(state or {}).get("spec") or {} for state in (before, after))
        return [
            immutable(path, one, other)
            for part in (self.replica_specs, *self.fixed)
            for path, one, other in changes(old.get(part), new.get(part), f"spec.{part}")
            if not self.takes_change(path, old, new)
        ]

    def takes_change(self, path: str, old: Manifest, new: Manifest) -> bool:
        """Return True if a live job takes the change of a field. old, new: its spec."""
        return False

    def state(
        self,
        root: Optional[Manifest],
        makers: Sequence[Manifest],
        pods: Sequence[Manifest],
        events: Sequence[Manifest],
        uid: str = "",
        now: Optional[datetime] = None,
    ) -> JobState:
        """Return what the operator writes."""
        return read_state(self, root, pods, events, uid, now)

    def ended_by(self, root: Manifest, state: JobState) -> str:
        """Return the operator's rule, which it does not write down."""
        return ended_by(self.specs(root), self.all_workers, root, state)

    def pods_may_go(self, root: Manifest) -> bool:
        """Return True if the run policy removes them."""
        policy: Mapping[str, Any] = (root.get("spec") or {}).get("runPolicy") or {}
        return policy.get("cleanPodPolicy") == "All" or any(policy.get(name) is not None for name in _PODS_GO)

    def why_no_pods(
        self, missing: Sequence[str], root: Manifest, refused: Optional[Finding], evidence: Evidence
    ) -> Optional[Finding]:
        """Return that another controller is to make them, else what all kinds ask."""
        return why_managed(some(missing), root) or super().why_no_pods(missing, root, refused, evidence)


@dataclass(frozen=True)
class OperatorJobParts:
    """A job without what only its kind has. specs: its replica types. parts: its other objects. notes: as in `Job`."""

    kind: OperatorJob
    metadata: Manifest
    policy: Manifest
    specs: Mapping[str, Mapping[str, Any]]
    parts: Sequence[Manifest]
    notes: Sequence[str]

    def job(self, fields: Options, notes: Sequence[str]) -> Job:
        """Return the job. fields: what its spec has besides. notes: as a `Job` has them, of this kind."""
        name, namespace = self.metadata["name"], self.metadata["namespace"]
        root = self.kind.manifest(self.metadata, {"runPolicy": self.policy, **fields}, self.specs)
        return Job(self.kind, name, namespace, root, self.parts, [*self.notes, *notes])


def without_effect(kind: JobKind, specs: Mapping[str, Any], names: Sequence[str]) -> List[str]:
    """Return a note when templates give environment variables that the operator sets after them, in every pod.

    names: what it sets. Of two values of one name the last counts.
    """
    found: List[str] = []
    for spec in specs.values():
        containers = spec["template"]["spec"]["containers"]
        main = next(each for each in containers if each["name"] == kind.container)
        found += [each["name"] for each in main.get("env") or () if each["name"] in names]
    if not found:
        return []
    given_names = ", ".join(dict.fromkeys(found))
    return [f"env {given_names} has no effect: the operator sets it for each replica, after what is given"]


def operator_options(kind: OperatorJob, own: Options) -> Dict[str, Any]:
    """Return the argument spec of one job, without what all kinds share. own: options that only this kind has."""
    return {"replicas": replica_options(kind), **own, **pod_options(), **run_policy_options(), **gang_options()}


def operator_job_parts(
    kind: OperatorJob, options: Options, replicas: Mapping[str, Options], cluster: Cluster = NEWEST
) -> Tuple[OperatorJobParts, List[Problem]]:
    """Return what the options say that all kinds have, and what is wrong with it.

    replicas: the types that have any replica, as `given_replicas` returns them.
    """
    policy, problems = run_policy(options)
    specs: Dict[str, Any] = {}
    for name, replica in replicas.items():
        pod = merged(options, replica)
        template, found = build(pod, f"replicas.{name}", kind.container, kind.pod_labels(options["name"]))
        problems += found
        restart = pod.get("restart_policy") or "Never"
        # The number is always written: the webhook refuses a PyTorchJob's Master without it.
        specs[name] = {"replicas": int(replica.get("replicas", 1)), "restartPolicy": restart, "template": template}
    specs, group, found = apply_gang(options, kind, options["name"], options["namespace"], specs, cluster)
    metadata, wrong = job_metadata(options)
    parts, notes = ([group], gang_notes(options, specs, cluster)) if group else ([], [])
    return OperatorJobParts(kind, metadata, policy, specs, parts, notes), [*problems, *found, *wrong]
