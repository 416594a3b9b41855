# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every kind of training job answers: the only place where the rest of the code asks what differs between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._kube.cluster import NEWEST, Cluster
from .._kube.resource import Manifest, Ref
from .._pods.demand import Replicas
from .cause import Evidence, Finding, seconds_since, some
from .controller import JobController
from .state import FAILED, SUCCEEDED, JobState

if TYPE_CHECKING:
    from .job import Job

# API version and kind.
Identity = Tuple[str, str]
Rendered = Tuple[Optional["Job"], List[Problem]]


@dataclass(frozen=True)
class PodLabels:
    """Keys of the labels by which a job's pods are found: the job's name, the replica type (lower case), its index."""

    job: str
    type: str
    index: str


class JobKind(ABC):
    """One kind of training job. A new one is a file in `_job_kinds`, a row of its registry, and a module.

    name: of the module that makes it. title: what people call it. api_version, kind: of the root, the object that
    stands for the job; its deletion is the job's. container: name of the container that trains. types: replica types,
    in the order in which they are shown; none where each job names its own. leaders: types whose first pod speaks for
    the job, the best one first. labels: of its pods. controller: the program that makes the pods; None for those of
    Kubernetes itself.
    """

    name: str
    title: str
    api_version: str
    kind: str
    labels: PodLabels
    container: str = "main"
    types: Tuple[str, ...] = ()
    leaders: Tuple[str, ...] = ()
    controller: Optional[JobController] = None
    # The label that tells roots from other objects of their kind; empty where every object of the kind is a job.
    root_label: str = ""
    # What we make beside the root, all with the job's label; it is looked for by that label when the root is gone.
    part_kinds: Tuple[Identity, ...] = ()
    # What stands between the root and the pods and is read at each look: objects with the job's label.
    pod_makers: Tuple[Identity, ...] = ()
    # The gang scheduler that makes the PodGroups of these jobs by itself; empty where option `gang` does.
    gang_backend: str = ""
    # Names of pods begin with the job's name, and a Service's name begins with a letter.
    starts_with_letter: bool = True
    # Why the name of a pod is bounded.
    pod_name_use: str = "has a Service of the same name"
    # Who makes the pods removes them once they have failed too often, their logs with them.
    removes_pods_at_backoff_limit: bool = False

    # From options to objects.

    @abstractmethod
    def job_options(self) -> Dict[str, Any]:
        """Return the argument spec of one job, without what all kinds share."""

    @abstractmethod
    def render(self, options: Mapping[str, Any], cluster: Cluster = NEWEST) -> Rendered:
        """Return the job that validated options describe, as a cluster wants it, or what is wrong with them."""

    def key_hint(self, word: str) -> str:
        """Return what to do about a key that only this kind explains in another way; empty for any other key."""
        return ""

    # What the objects of a job say.

    @abstractmethod
    def specs(self, root: Mapping[str, Any]) -> Dict[str, Mapping[str, Any]]:
        """Return what a root says of its replica types, by name: replicas and template; {} where parts say it."""

    def counts(self, root: Mapping[str, Any]) -> Dict[str, int]:
        """Return how many replicas of each type a job has, in the order in which they are shown."""
        found = {name: int(spec.get("replicas", 1)) for name, spec in self.specs(root).items()}
        return {name: found[name] for name in self.types or found if name in found}

    def replicas(self, root: Mapping[str, Any], parts: Sequence[Manifest] = ()) -> List[Replicas]:
        """Return the pods that come of a job's root and parts."""
        return [
            Replicas(name, int(spec.get("replicas", 1)), (spec.get("template") or {}).get("spec") or {})
            for name, spec in self.specs(root).items()
        ]

    def templates(self, root: Mapping[str, Any], makers: Sequence[Manifest] = ()) -> List[Manifest]:
        """Return the pod templates of a job. makers: its objects of the kinds `pod_makers`."""
        return [spec.get("template") or {} for spec in self.specs(root).values()]

    def pod_name(self, name: str, replica_type: str, index: int) -> str:
        """Return the name of one replica of a job, which its pod and its Service have."""
        return f"{name}-{replica_type.lower()}-{index}"

    def made_besides(self, job: Job) -> List[Ref]:
        """Return what the controller makes for a job under its name, other than pods and PodGroups."""
        return []

    def gang_minimum(self, root: Manifest) -> int:
        """Return how many pods start together by what the root itself says; 0 when it says nothing."""
        return 0

    def own_group(self, root: Manifest) -> Optional[Ref]:
        """Return the PodGroup that the controller makes for a job; None when it makes none."""
        return None

    # What is sent of a job that lives.

    def root_to_apply(self, job: Job, live: Optional[Manifest], manager: str) -> Manifest:
        """Return the root as it is to be applied over the live one. manager: the name under which we apply."""
        return job.root

    def part_to_apply(self, part: Manifest, live: Manifest) -> Manifest:
        """Return a part as it is to be applied over the live one."""
        return part

    def refused_changes(self, job: Job, live: Optional[Manifest], ended: str) -> List[Problem]:
        """Return the changes that the server would refuse, found without asking it. ended: the job's end, or empty."""
        return []

    def immutable_changes(self, before: Optional[Manifest], after: Optional[Manifest]) -> List[Problem]:
        """Return the changes that the server takes and a live job does not. after: the answer of a dry run."""
        return []

    # How a job is.

    @abstractmethod
    def state(
        self,
        root: Optional[Manifest],
        makers: Sequence[Manifest],
        pods: Sequence[Manifest],
        events: Sequence[Manifest],
        uid: str = "",
        now: Optional[datetime] = None,
    ) -> JobState:
        """Return a job's state.

        root: None when there is none. makers: its objects of the kinds `pod_makers`. events: warnings about what makes
        the pods. uid: of the root that is meant, when it was seen before. now: for the duration of a job that runs.
        """

    def ended_by(self, root: Manifest, state: JobState) -> str:
        """Return the rule that ended a job, in one sentence; empty while it goes on."""
        return state.message if state.state in (SUCCEEDED, FAILED) else ""

    def left_over(self, state: JobState, makers: Sequence[Manifest]) -> List[Ref]:
        """Return what still runs when a job has ended, and is ours to remove."""
        return []

    def pods_may_go(self, root: Manifest) -> bool:
        """Return True if the pods may be removed before anybody has read their logs."""
        return False

    # Why it has no pods.

    def why_no_pods(
        self, missing: Sequence[str], root: Manifest, refused: Optional[Finding], evidence: Evidence
    ) -> Optional[Finding]:
        """Return why replicas have no pod; None while they are about to be made.

        missing: their labels. refused: what the API server has against the pods, when it said so.
        """
        if refused or not self.controller:
            return refused
        taken_up = bool((root.get("status") or {}).get("conditions"))
        waited = seconds_since(root["metadata"].get("creationTimestamp"), evidence.now)
        names, controller = some(missing), self.controller
        return controller.why_down(names, taken_up, evidence) or controller.why_silent(names, waited, evidence)

    def why_restarting(self, state: JobState) -> Optional[Finding]:
        """Return why a job is on its way to other pods, where that is more than a failed pod."""
        return None

    def maker_names(self, root: Manifest) -> List[str]:
        """Return the names of the `pod_makers` that a job is to have: one that made no pod is nobody's owner."""
        return []

    # The same for all kinds.

    def ref(self, name: str, namespace: str) -> Ref:
        """Return the identity of the root of a job."""
        return Ref(self.api_version, self.kind, name, namespace)

    @property
    def identity(self) -> Identity:
        """Return API version and kind of roots."""
        return self.api_version, self.kind

    def type_of(self, label: str) -> str:
        """Return the replica type whose label value (lower case) is given."""
        return {name.lower(): name for name in self.types}.get(label, label)

    def pod_labels(self, name: str) -> Dict[str, str]:
        """Return the label that every pod of a job carries."""
        return {self.labels.job: name}

    def is_root(self, owner: Mapping[str, Any], name: str) -> bool:
        """Return True if an owner reference is to the job of this name: Volcano's Job is not that of Kubernetes."""
        group = str(owner.get("apiVersion") or self.api_version).rpartition("/")[0]
        wanted = (self.api_version.rpartition("/")[0], self.kind, name)
        return (group, owner.get("kind"), owner.get("name")) == wanted

    def stands_for_job(self, live: Manifest) -> bool:
        """Return True if an object of the root's kind is a job, and not somebody's own ConfigMap."""
        metadata = live["metadata"]
        return not self.root_label or (metadata.get("labels") or {}).get(self.root_label) == metadata["name"]

    def owns_pod(self, pod: Manifest, name: str, uid: str, makers: Optional[Sequence[Manifest]] = None) -> bool:
        """Return True if a pod with a job's label is of the job: one of another kind may have its name.

        uid: of the root, when it was seen. makers: the job's objects of the kinds `pod_makers`, None when they were
        not read; the pod's owner is one of them and may be gone, so that then the label decides.
        """
        owners = pod["metadata"].get("ownerReferences") or []
        if self.pod_makers:
            uids = None if makers is None else {maker["metadata"].get("uid") for maker in makers}
            return uids is None or any(owner.get("uid") in uids for owner in owners)
        return any(not uid or owner.get("uid") == uid for owner in owners if self.is_root(owner, name))
