# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be done with a job, from its objects as they are wanted and as they live. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Mapping, Optional, Sequence

from .._common.problem import Problem
from .._job_model.job import Job
from .._job_model.run_policy import is_suspended
from .._kube.apply import Step
from .._kube.outcome import Outcome
from .._kube.resource import Manifest, Ref, ref_of


@dataclass
class JobPlan:
    """What is to be done with one job.

    live: its root before. root, parts: the steps. fixed: wanted changes that the live job cannot take. replace: delete
    it and create it anew.
    """

    job: Job
    live: Optional[Manifest]
    root: Step
    parts: List[Step] = field(default_factory=list)
    fixed: List[Problem] = field(default_factory=list)
    replace: bool = False

    @property
    def changed(self) -> bool:
        """Tell whether anything is to be written."""
        return self.replace or any(step.outcome.changed for step in (self.root, *self.parts))

    @property
    def creates(self) -> bool:
        """Tell whether the root is made anew."""
        return self.replace or self.live is None

    @property
    def starts(self) -> bool:
        """Tell whether pods come that were not there: of a new job, or of one that was suspended."""
        before = [self.live, *(step.outcome.before for step in self.parts)]
        return self.creates or any(is_suspended(manifest) for manifest in before if manifest)

    def predicted(self) -> List[Outcome]:
        """Return what would be done."""
        return [step.outcome for step in (self.root, *self.parts)]


def owned(part: Manifest, root: Manifest) -> Manifest:
    """Return a part with the root as its owner: it goes with it."""
    owner = {key: root[key] for key in ("apiVersion", "kind")}
    owner.update({key: root["metadata"][key] for key in ("name", "uid")}, controller=True)
    return {**part, "metadata": {**part["metadata"], "ownerReferences": [owner]}}


def end_of(job: Job, live: Optional[Manifest], known: Mapping[Ref, Optional[Manifest]]) -> str:
    """Return the end that a live job has come to, empty while it has not. known: its parts."""
    if live is None:
        return ""
    makers = [known.get(ref) for ref in part_refs([job]) if (ref.api_version, ref.kind) in job.kind.pod_makers]
    state = job.kind.state(live, [maker for maker in makers if maker], [], [])
    return state.state if state.ended else ""


def part_refs(jobs: Sequence[Job]) -> List[Ref]:
    """Return the identities of all parts."""
    return [ref_of(part, job.namespace) for job in jobs for part in job.parts]
