# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a Volcano Job. Pure: no request is made, all problems are returned at once.

Volcano makes the PodGroup of the job itself. What its admission would fill in is written here where it can be known, so
that a job can be read before it is sent.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.backend_volcano import VOLCANO
from .._gangs.queue import DEFAULT
from .._job_model.cause import Evidence, Finding
from .._job_model.job import Job
from .._job_model.kind import JobKind, PodLabels
from .._job_model.metadata import job_metadata
from .._job_model.names import check_names
from .._job_model.state import JobState
from .._kube.cluster import NEWEST, Cluster
from .._kube.resource import Manifest, Ref
from .._pods.pieces import place_of
from .._pods.template import build, command_given, given, merged, pod_options
from .volcano_checks import HINTS, check_job, check_pod, check_tasks, first_tasks, notes
from .volcano_live import DEFAULT_RETRIES, beside_tasks, root_changes, with_mark
from .volcano_plugins import check_plugins, made_by_plugins, plugins, plugins_options
from .volcano_policies import policies, policies_options
from .volcano_state import read_volcano_state
from .volcano_tf_config import check_tf_config, command_line, tf_config_options
from .volcano_why import CONTROLLERS, group_of_job, why_restarted, why_volcano

Options = Mapping[str, Any]

_DNS_ON_HOST_NETWORK = "ClusterFirstWithHostNet"


def task_options() -> Dict[str, Any]:
    """Return the argument spec of one task."""
    depends_on = {
        "name": {"type": "list", "elements": "str", "required": True},
        "iteration": {"type": "str", "choices": ["any", "all"]},
    }
    return {
        "name": {"type": "str", "required": True},
        "replicas": {"type": "int", "default": 1},
        "min_available": {"type": "int"},
        "max_retry": {"type": "int"},
        "policies": policies_options(),
        "depends_on": {"type": "dict", "options": depends_on},
        **pod_options(),
    }


def volcano_options() -> Dict[str, Any]:
    """Return the argument spec of what only a Volcano Job has, beside its tasks."""
    return {
        "queue": {"type": "str"},
        "min_available": {"type": "int"},
        "min_success": {"type": "int"},
        "max_retry": {"type": "int"},
        "ttl_seconds_after_finished": {"type": "int"},
        "plugins": plugins_options(),
        "policies": policies_options(),
        "tf_config": tf_config_options(),
    }


class VolcanoJob(JobKind):
    """A job of Volcano's own controllers. Its tasks have the names that the job gives them."""

    name = "volcano_job"
    title = "Volcano Job"
    api_version, kind = "batch.volcano.sh/v1alpha1", "Job"
    leaders = ("chief", "master", "launcher", "worker")
    labels = PodLabels("volcano.sh/job-name", "volcano.sh/task-spec", "volcano.sh/task-index")
    controller = CONTROLLERS
    gang_backend = VOLCANO.name
    pod_name_use = "is the host name of a pod"

    def job_options(self) -> Dict[str, Any]:
        """Return the argument spec of one job, without what all kinds share."""
        tasks = {"type": "list", "elements": "dict", "options": task_options()}
        return {"tasks": tasks, **volcano_options(), **pod_options()}

    def render(self, options: Options, cluster: Cluster = NEWEST) -> Tuple[Optional[Job], List[Problem]]:
        """Return the Volcano Job that the options describe, or what is wrong with them."""
        name, namespace = options["name"], options["namespace"]
        tasks: List[Options] = options.get("tasks") or []
        names = [str(task["name"]) for task in tasks]
        problems = check_tasks(tasks) + check_job(options, tasks) + check_plugins(options, names)
        problems += check_names(self, name, namespace, {task["name"]: max(1, task["replicas"]) for task in tasks})
        pods = [merged(options, task) for task in tasks]
        commands = {task: command_given(pod, self.container)[0] for task, pod in zip(names, pods)}
        problems += check_tf_config(options, commands)
        specs: List[Manifest] = []
        for task, pod in zip(tasks, pods):
            template, found = _template(options, task, pod, names)
            problems += found
            specs.append(_task(task, template))
        metadata, found = job_metadata(options)
        problems += found
        if problems:
            return None, problems
        spec = given(
            schedulerName=VOLCANO.scheduler,
            queue=options.get("queue") or DEFAULT,
            minAvailable=least_of_job(options, tasks),
            minSuccess=options.get("min_success"),
            maxRetry=options.get("max_retry") or DEFAULT_RETRIES,
            ttlSecondsAfterFinished=options.get("ttl_seconds_after_finished"),
            priorityClassName=_priority(options, pods),
            plugins=plugins(options),
            policies=policies(options.get("policies")),
        )
        spec["tasks"] = specs
        root = with_mark({"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, "spec": spec})
        return Job(self, name, namespace, root, (), notes(options, tasks, plugins(options))), []

    def key_hint(self, word: str) -> str:
        """Return what to do about keys of Volcano, and of other kinds."""
        return HINTS.get(word, "")

    def specs(self, root: Mapping[str, Any]) -> Dict[str, Mapping[str, Any]]:
        """Return the tasks."""
        return {str(task.get("name")): task for task in (root.get("spec") or {}).get("tasks") or []}

    def made_besides(self, job: Job) -> List[Ref]:
        """Return what its plugins make."""
        return [Ref(version, kind, name, job.namespace) for version, kind, name in made_by_plugins(job.root)]

    def gang_minimum(self, root: Manifest) -> int:
        """Return how many pods start together."""
        return int(root["spec"]["minAvailable"])

    def own_group(self, root: Manifest) -> Optional[Ref]:
        """Return the PodGroup: without it there are no pods that name it."""
        return Ref(*VOLCANO.identity, group_of_job(root), str(root["metadata"]["namespace"]))

    def root_to_apply(self, job: Job, live: Optional[Manifest], manager: str) -> Manifest:
        """Return the root with what Volcano's admission has filled in."""
        return job.root if live is None else beside_tasks(job.root, live)

    def refused_changes(self, job: Job, live: Optional[Manifest], ended: str) -> List[Problem]:
        """Return the changes that Volcano's admission refuses."""
        return [] if live is None else root_changes(job.root, live, ended)

    def state(
        self,
        root: Optional[Manifest],
        makers: Sequence[Manifest],
        pods: Sequence[Manifest],
        events: Sequence[Manifest],
        uid: str = "",
        now: Optional[datetime] = None,
    ) -> JobState:
        """Return the state by the phases that Volcano writes."""
        return read_volcano_state(self, root, pods, events, uid, now)

    def pods_may_go(self, root: Manifest) -> bool:
        """Return True: a policy that restarts the job takes all its pods away."""
        return True

    def why_no_pods(
        self, missing: Sequence[str], root: Manifest, refused: Optional[Finding], evidence: Evidence
    ) -> Optional[Finding]:
        """Return why Volcano makes no pods."""
        return refused or why_volcano(missing, self.specs(root), self.replicas(root), root, evidence)

    def why_restarting(self, state: JobState) -> Optional[Finding]:
        """Return that a policy has begun the job anew."""
        return why_restarted(state)


VOLCANO_JOB = VolcanoJob()


def least_of_job(options: Options, tasks: Sequence[Options]) -> int:
    """Return how many pods start together: all that do not wait for others, unless the user says less."""
    wanted = options.get("min_available")
    return int(wanted) if wanted is not None else sum(_least(task) for task in first_tasks(tasks))


def _least(task: Options) -> int:
    least = task.get("min_available")
    return int(task["replicas"] if least is None else least)


def _priority(options: Options, pods: Sequence[Options]) -> str:
    """Return the priority class of the whole job: the common one, else that which all its tasks have."""
    found = {str(pod.get("priority_class") or "") for pod in pods}
    return str(options.get("priority_class") or (found.pop() if len(found) == 1 else ""))


def _template(
    options: Options, task: Options, pod: Dict[str, Any], names: Sequence[str]
) -> Tuple[Manifest, List[Problem]]:
    field = f"tasks.{task['name']}"
    problems = check_pod(pod, field, place_of(pod, field), options)
    command, args = command_given(pod, VOLCANO_JOB.container)
    if command:
        command, args = command_line(options, task["name"], names, command, args)
        pod = {**pod, "command": command, "args": args or None}
    template, found = build(pod, field, VOLCANO_JOB.container, VOLCANO_JOB.pod_labels(options["name"]))
    if found:
        return template, [*problems, *found]
    spec = template["spec"]
    spec["restartPolicy"] = pod.get("restart_policy") or "Never"
    if spec.get("hostNetwork"):
        spec.setdefault("dnsPolicy", _DNS_ON_HOST_NETWORK)
    return template, problems


def _task(task: Options, template: Manifest) -> Manifest:
    after = task.get("depends_on") or {}
    spec = given(
        name=task["name"],
        minAvailable=task.get("min_available"),
        maxRetry=task.get("max_retry"),
        policies=policies(task.get("policies")),
        dependsOn=given(name=after.get("name"), iteration=after.get("iteration")),
    )
    return {**spec, "replicas": int(task["replicas"]), "template": template}
