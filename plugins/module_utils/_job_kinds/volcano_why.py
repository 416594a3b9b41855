# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why Volcano makes no pods of a Volcano Job. Pure."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .._gangs.backend_volcano import VOLCANO
from .._gangs.gang import least_of
from .._gangs.queue import queue_of
from .._gangs.why_queue import why_held, why_silent
from .._job_model.cause import WAITS, Cause, Evidence, Finding, seconds_since, some
from .._job_model.controller import JobController
from .._job_model.state import JobState
from .._kube.resource import Manifest
from .._pods.demand import Replicas, demand_of_least

NO_VOLCANO = Cause(
    "Volcano is not installed",
    "Nobody makes {who}: there is no Volcano in this cluster",
    "Install it: playbook gang_scheduler with mlstack_gang_scheduler=volcano, or make the job of another kind",
)
VOLCANO_DOWN = Cause(
    "Volcano's controllers do not run",
    "Nobody makes {who}: Volcano's controllers do not run ({word})",
    "See kubectl -n {its_namespace} get pods, and the events of Deployment volcano-controllers",
)
VOLCANO_SILENT = Cause(
    "Volcano's controllers do nothing",
    "Volcano has not taken up the job in {ago}, so {who} cannot start",
    "Read their log: kubectl -n {its_namespace} logs deployment/volcano-controllers",
)
NOT_ENQUEUED = Cause(
    "Volcano holds the job in its queue",
    "Volcano makes {who} only when queue {queue} has room for {least} of them together{word}",
    "Wait for others in the queue to end, or give the queue more: job_info shows what it uses",
    rank=WAITS,
)
DEPENDS = Cause(
    "its task waits for another one",
    "{who} wait until task {tasks} runs, as depends_on says",
    "See why that task does not run",
    rank=WAITS,
)
RESTARTED = Cause(
    "Volcano starts the job anew",
    "A policy has begun the job anew: {word}",
    "Read the log of a pod while it runs; max_retry ends a job that does not recover",
    rank=WAITS,
)

CONTROLLERS = JobController(
    title="Volcano",
    deployment="volcano-controllers",
    namespace="volcano-system",
    install="Install Volcano: playbook trainyard.mlstack.gang_scheduler does, with mlstack_gang_scheduler=volcano",
    missing=NO_VOLCANO,
    down=VOLCANO_DOWN,
    silent=VOLCANO_SILENT,
)


def group_of_job(job: Manifest) -> str:
    """Return the name of the PodGroup that Volcano makes for a job."""
    metadata = job["metadata"]
    return f"{metadata['name']}-{metadata.get('uid')}"


def why_volcano(
    missing: Sequence[str],
    tasks: Mapping[str, Mapping[str, Any]],
    replicas: Sequence[Replicas],
    job: Manifest,
    evidence: Evidence,
) -> Optional[Finding]:
    """Return why replicas have no pod; nothing while they are about to be made.

    missing: their labels. tasks: of the job, by name. replicas: the job's pods.
    """
    names = some(missing)
    phase = (((job.get("status") or {}).get("state")) or {}).get("phase")
    down = CONTROLLERS.why_down(names, bool(phase), evidence)
    if down:
        return down
    group = evidence.groups.get(group_of_job(job))
    if group is not None and (group.get("status") or {}).get("phase") in ("Pending", None, ""):
        return _held(names, replicas, group, evidence)
    after = {name: (task.get("dependsOn") or {}).get("name") or [] for name, task in tasks.items()}
    held = [label for label in missing if after.get(label.rpartition("-")[0])]
    if phase and held:
        waits = dict.fromkeys(str(name) for label in held for name in after[label.rpartition("-")[0]])
        return DEPENDS.found(who=some(held), tasks=", ".join(waits))
    waited = seconds_since(job["metadata"].get("creationTimestamp"), evidence.now)
    return None if phase else CONTROLLERS.why_silent(names, waited, evidence)


def why_restarted(state: JobState) -> Finding:
    """Return why a job is on its way to other pods."""
    return RESTARTED.found(word=state.message or state.reason)


def _held(names: str, replicas: Sequence[Replicas], group: Manifest, evidence: Evidence) -> Finding:
    """Return why the scheduler has not let a job into its queue: until then Volcano makes no pod of it."""
    least = least_of([group]) or 1
    asked = demand_of_least(replicas, least).requests
    waited = seconds_since(group["metadata"].get("creationTimestamp"), evidence.now)
    found = [
        *why_held(VOLCANO, group, evidence.queues, least, asked),
        *why_silent(VOLCANO, group, "", waited),
    ]
    full = NOT_ENQUEUED.found(who=names, queue=queue_of(group), least=least, word=_said(group))
    return found[0] if found else full


def _said(group: Manifest) -> str:
    """Return what the scheduler says of a PodGroup, for the end of a sentence."""
    conditions = (group.get("status") or {}).get("conditions") or []
    messages = [str(each["message"]) for each in conditions if each.get("status") == "True" and each.get("message")]
    return f" ({messages[-1]})" if messages else ""
