# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of job that the collection does not have: a JobSet, as the one file that a new kind is."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.cause import Cause
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.controller import JobController
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JobKind, PodLabels
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.metadata import job_metadata
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.names import check_names
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.read_state import read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.cluster import NEWEST, Cluster
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.template import build, merged, pod_options

CONTROLLER = JobController(
    title="the JobSet controller",
    deployment="jobset-controller-manager",
    namespace="jobset-system",
    install="Install JobSet",
    missing=Cause("no JobSet", "Nobody makes {who}: there is no JobSet controller in this cluster", "Install it"),
    down=Cause("JobSet down", "Nobody makes {who}: the JobSet controller does not run ({word})", "See its pods"),
    silent=Cause("JobSet silent", "The JobSet controller has done nothing in {ago} about {who}", "Read its log"),
)
# What the controller writes, as an operator of ours would.
_CONDITIONS = {"Completed": "Succeeded"}


class JobSet(JobKind):
    """Groups of batch Jobs that live and end together."""

    name = "jobset"
    title = kind = "JobSet"
    api_version = "jobset.x-k8s.io/v1alpha2"
    leaders = ("driver", "worker")
    labels = PodLabels(
        "jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name", "jobset.sigs.k8s.io/job-index"
    )
    controller = CONTROLLER
    pod_makers = (("batch/v1", "Job"),)

    def job_options(self) -> Dict[str, Any]:
        """Return the argument spec of one job, without what all kinds share."""
        replicated = {"name": {"type": "str", "required": True}, "replicas": {"type": "int", "default": 1}}
        jobs = {"type": "list", "elements": "dict", "options": {**replicated, **pod_options()}}
        return {"replicated_jobs": jobs, "suspend": {"type": "bool", "default": False}, **pod_options()}

    def render(self, options: Mapping[str, Any], cluster: Cluster = NEWEST) -> Tuple[Optional[Job], List[Problem]]:
        """Return the JobSet that the options describe, or what is wrong with them."""
        name, namespace, groups = options["name"], options["namespace"], options.get("replicated_jobs") or []
        problems = check_names(self, name, namespace, {group["name"]: group["replicas"] for group in groups})
        replicated: List[Manifest] = []
        for group in groups:
            pod = merged(options, group)
            field = f"replicated_jobs.{group['name']}"
            template, found = build(pod, field, self.container, self.pod_labels(name))
            problems += found
            job = {"spec": {"backoffLimit": 0, "template": template}}
            replicated.append({"name": group["name"], "replicas": group["replicas"], "template": job})
        metadata, found = job_metadata(options)
        if problems or found:
            return None, [*problems, *found]
        spec = {"suspend": bool(options.get("suspend")), "replicatedJobs": replicated}
        root = {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, "spec": spec}
        return Job(self, name, namespace, root), []

    def specs(self, root: Mapping[str, Any]) -> Dict[str, Mapping[str, Any]]:
        """Return the replicated Jobs, each with the template of its pods."""
        return {
            group["name"]: {"replicas": group["replicas"], "template": group["template"]["spec"]["template"]}
            for group in (root.get("spec") or {}).get("replicatedJobs") or []
        }

    def pod_name(self, name: str, replica_type: str, index: int) -> str:
        """Return the name of a replica's only pod, without the letters that make it unique."""
        return f"{name}-{replica_type}-{index}-0"

    def maker_names(self, root: Manifest) -> List[str]:
        """Return the names of the batch Jobs."""
        name, counts = root["metadata"]["name"], self.counts(root)
        return [f"{name}-{group}-{index}" for group, count in counts.items() for index in range(count)]

    def state(
        self,
        root: Optional[Manifest],
        makers: Sequence[Manifest],
        pods: Sequence[Manifest],
        events: Sequence[Manifest],
        uid: str = "",
        now: Optional[datetime] = None,
    ) -> JobState:
        """Return the state by the conditions of the JobSet."""
        if root is not None:
            status = root.get("status") or {}
            conditions = [
                {**each, "type": _CONDITIONS.get(each["type"], each["type"])} for each in status.get("conditions") or []
            ]
            root = {**root, "status": {**status, "conditions": conditions}}
        return read_state(self, root, pods, events, uid, now)


JOBSET = JobSet()
