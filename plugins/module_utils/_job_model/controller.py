# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that makes the pods of a kind of job: what it is called, and whether it is there and runs. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .._kube.readiness import READY, readiness
from .._kube.resource import Manifest
from .cause import Cause, Evidence, Finding, ago

# A new job is taken up within a second or two; of many jobs at once one after another.
PATIENCE_S = 20.0


@dataclass(frozen=True)
class JobController:
    """A program that makes the pods of jobs.

    title: in a sentence. deployment: name of its Deployment. namespace: where it is as long as nothing else is known.
    install: how a cluster without it gets it. missing, down, silent: what is told when there is none, when it does not
    run, when it does nothing.
    """

    title: str
    deployment: str
    namespace: str
    install: str
    missing: Cause
    down: Cause
    silent: Cause

    def why_down(self, names: str, taken_up: bool, evidence: Evidence) -> Optional[Finding]:
        """Return that there is none or that it does not run; nothing when it does, or when that was not read.

        names: of the replicas that have no pod. taken_up: whether it has put its mark on the job. Then it runs, even
        where it has no Deployment.
        """
        if evidence.operator is None:
            return None
        if not evidence.operator:
            return None if taken_up else self.missing.found(who=names)
        states = [(item, readiness(item)) for item in evidence.operator]
        down = [(item, state.reason) for item, state in states if state.state != READY and not _available(item)]
        if len(down) < len(states):
            return None
        item, reason = down[0]
        return self.down.found(who=names, word=reason, its_namespace=str(item["metadata"].get("namespace")))

    def why_silent(self, names: str, waited: float, evidence: Evidence) -> Optional[Finding]:
        """Return that it has not taken up a job; nothing when it may still do so. waited: seconds."""
        if waited < PATIENCE_S:
            return None
        namespaces = [str(item["metadata"].get("namespace")) for item in evidence.operator or ()]
        return self.silent.found(who=names, ago=ago(waited), its_namespace=(namespaces or [self.namespace])[0])


def _available(deployment: Manifest) -> int:
    return int((deployment.get("status") or {}).get("availableReplicas") or 0)
