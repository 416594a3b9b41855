# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a real API server has against a job: strict field validation, webhooks, and its pods, which it judges last."""

from __future__ import annotations

import copy
from typing import Any, Iterator

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.fixed import fixed_part_changes
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import JobType, job_type
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest, ref_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.integration.support.api_server import ApiServer

DRY_RUN = (("dryRun", "All"), ("fieldValidation", "Strict"))


def job_types() -> dict[str, JobType]:
    """Return every kind of job with its options and renderer, by the name of its module."""
    return {name: job_type(kind) for name, kind in JOB_KINDS.items()}


def refusals(server: ApiServer, job: Job) -> list[str]:
    """Return what the server has against a job's objects and pods; nothing is written."""
    store, found = Store(server.client), []
    for manifest in (job.root, *job.parts):
        try:
            answer = store.apply(ref_of(manifest), manifest, dry_run=True)
            # What the server makes of it must not look like a change to the next run.
            changed = fixed_part_changes(manifest, answer, store.field_manager)
            found += [f"the next run: {problem.line()}" for problem in changed]
        except ApiError as error:
            found.append(f"{manifest['kind']} {manifest['metadata']['name']}: {error.message}")
    for pod in pods(job):
        try:
            path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
            server.client.call("POST", path, DRY_RUN, pod)
        except ApiError as error:
            found.append(f"Pod {pod['metadata']['name']}: {error.message}")
    return found


def pods(job: Job) -> Iterator[Manifest]:
    """Return the last pod of each replica type, as far as its template goes: who makes it adds little."""
    for name, replica in job.kind.specs(job.root).items():
        policy = replica.get("restartPolicy") or replica["template"]["spec"]["restartPolicy"]
        index = max(0, int(replica["replicas"]) - 1)
        yield _pod(
            job, f"{job.name}-{name.lower()}-{index}", replica["template"], "Never" if policy == "ExitCode" else policy
        )
    for part in job.parts:
        if part["kind"] == "Job":
            yield _pod(job, f"{part['metadata']['name']}-abcde", part["spec"]["template"])


def _pod(job: Job, name: str, template: dict[str, Any], policy: str = "") -> Manifest:
    template = copy.deepcopy(template)
    metadata = {**(template.get("metadata") or {}), "name": name, "namespace": job.namespace}
    spec = {**template["spec"], **({"restartPolicy": policy} if policy else {})}
    # Admission fills it in; the test servers have no service accounts.
    spec["serviceAccountName"] = spec.get("serviceAccountName") or "default"
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
