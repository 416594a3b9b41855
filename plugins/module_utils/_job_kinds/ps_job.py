# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a parameter-server job without an operator. Pure: no request is made, all problems at once.

A ConfigMap stands for the job and holds the lists of its cluster. Each replica has a Service, by whose name the others
reach it before and after its pod is made again, and a batch Job.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.gang import gang_group, gang_options, mark
from .._gangs.notes import gang_notes
from .._job_model.cause import Evidence, Finding
from .._job_model.job import Job
from .._job_model.kind import JobKind, PodLabels
from .._job_model.metadata import job_metadata
from .._job_model.names import check_names
from .._job_model.replicas import given_replicas, replica_options
from .._job_model.run_policy import check_run_policy, run_policy_options
from .._job_model.state import JobState
from .._kube.cluster import NEWEST, Cluster
from .._kube.compare import changes, meaningful
from .._kube.names import node_name
from .._kube.resource import Manifest, Ref
from .._pods.demand import Replicas
from .._pods.template import build, command_given, given, main_container, merged, pod_options, texts
from . import ps_contract, ps_folders
from .fixed import refused as immutable
from .ps_checks import DEFAULT_PORT, check_cluster, check_nodes, check_pod
from .ps_contract import Task
from .ps_disruption import failure_policy, keep_policy
from .ps_state import hosts_of, job_names, left_over, read_ps_state
from .ps_why import why_controller

Options = Mapping[str, Any]
# Nodes (None for any), and whether each type deals them out for itself.
Places = Tuple[Sequence[Optional[str]], bool]

ENDS = ("all_workers", "worker_0")
_SERVICE, _BATCH_JOB = ("v1", "Service"), ("batch/v1", "Job")
_NODES = {"type": "list", "elements": "str"}


def cluster_options() -> Dict[str, Any]:
    """Return the argument spec of what only this kind of job has, beside its folders."""
    contract = {"type": "list", "elements": "str", "choices": list(ps_contract.CONTRACTS), "default": ["flags"]}
    return {
        "contract": contract,
        "port": {"type": "int", "default": DEFAULT_PORT},
        "end": {"type": "str", "choices": list(ENDS), "default": ENDS[0]},
        "nodes": _NODES,
    }


class PsJob(JobKind):
    """Parameter servers and workers without an operator.

    The ConfigMap with the cluster's lists stands for the job, and owns its Services and batch Jobs.
    """

    name = "ps_job"
    title = "parameter-server job"
    api_version, kind = "v1", "ConfigMap"
    types = ("PS", "Worker")
    leaders = ("Worker", "PS")
    labels = PodLabels(
        "trainyard.mlstack/job-name", "trainyard.mlstack/replica-type", "trainyard.mlstack/replica-index"
    )
    root_label = labels.job
    part_kinds = (_SERVICE, _BATCH_JOB)
    pod_makers = (_BATCH_JOB,)
    starts_with_letter = False

    def job_options(self) -> Dict[str, Any]:
        """Return the argument spec of one job, without what all kinds share."""
        return {
            "replicas": replica_options(self, nodes=_NODES),
            **cluster_options(),
            **ps_folders.folder_options(),
            **pod_options(),
            **run_policy_options(),
            **gang_options(),
        }

    def render(self, options: Options, cluster: Cluster = NEWEST) -> Tuple[Optional[Job], List[Problem]]:
        """Return the objects that the options describe, or what is wrong with them."""
        name, namespace = options["name"], options["namespace"]
        replicas, problems = given_replicas(options, self)
        counts = {kind: int(replica.get("replicas", 1)) for kind, replica in replicas.items()}
        pods = {kind: merged(options, replica) for kind, replica in replicas.items()}
        problems += (
            check_names(self, name, namespace, counts) + check_run_policy(options) + check_cluster(options, counts)
        )
        for kind, pod in pods.items():
            problems += check_pod(self.container, options, pod, f"replicas.{kind}") + check_nodes(
                replicas[kind], f"replicas.{kind}."
            )
        problems += check_nodes(options, "")
        metadata, found = job_metadata(options)
        problems += found
        folders = ps_folders.check_folders(options)
        problems += folders
        if not counts:
            return None, problems
        # One of each type is enough to say what else is wrong.
        made = {kind: 1 if problems else count for kind, count in counts.items()}
        tasks = {kind: [_task(name, kind, index) for index in range(count)] for kind, count in made.items()}
        hosts = ps_contract.cluster_of([task for each in tasks.values() for task in each], options["port"])
        places = {kind: _places(options, replica) for kind, replica in replicas.items()}
        sound = ps_folders.without_folders(options) if folders else options
        templates, found = _templates(sound, pods, tasks, hosts, places)
        problems += found
        if problems:
            return None, problems
        specs = {kind: {"replicas": counts[kind], "template": templates[each[0].name]} for kind, each in tasks.items()}
        group, problems = gang_group(options, self, name, namespace, specs, cluster)
        if problems:
            return None, problems
        parts: List[Manifest] = [group] if group else []
        for kind, each in tasks.items():
            for task in each:
                labels = _labels(options, task)
                parts.append(_service(namespace, task, labels, options["port"]))
                template = mark(options, self, name, templates[task.name], cluster)
                parts.append(_batch_job(options, task, labels, template, pods[kind], cluster))
        notes = [*_notes(counts), *gang_notes(options, specs, cluster)]
        return Job(self, name, namespace, _config_map(options, metadata, hosts), parts, notes), []

    def specs(self, root: Mapping[str, Any]) -> Dict[str, Mapping[str, Any]]:
        """Return nothing: the batch Jobs hold the templates."""
        return {}

    def counts(self, root: Mapping[str, Any]) -> Dict[str, int]:
        """Return how many hosts of each type the root lists."""
        hosts = {name: len(hosts_of(root, name.lower())) for name in self.types}
        return {name: count for name, count in hosts.items() if count}

    def replicas(self, root: Mapping[str, Any], parts: Sequence[Manifest] = ()) -> List[Replicas]:
        """Return the pods of the batch Jobs among the parts."""
        jobs = [part for part in parts if (part["apiVersion"], part["kind"]) == _BATCH_JOB]
        return [
            Replicas(
                str(job["metadata"]["name"]),
                int(job["spec"].get("parallelism", 1)),
                (job["spec"].get("template") or {}).get("spec") or {},
            )
            for job in jobs
        ]

    def templates(self, root: Mapping[str, Any], makers: Sequence[Manifest] = ()) -> List[Manifest]:
        """Return the templates of the batch Jobs."""
        return [job["spec"]["template"] for job in makers]

    def pod_name(self, name: str, replica_type: str, index: int) -> str:
        """Return the name of a replica's batch Job and Service."""
        return f"{replica_type.lower()}-{index}-{name}"

    def part_to_apply(self, part: Manifest, live: Manifest) -> Manifest:
        """Return a part with the failure policy that its live Job was made with."""
        return keep_policy(part, live)

    def immutable_changes(self, before: Optional[Manifest], after: Optional[Manifest]) -> List[Problem]:
        """Return changes of the lists: pods are told once, at their start, who else there is."""
        data = [meaningful(state or {}).get("data") for state in (before, after)]
        return [immutable(*change) for change in changes(data[0], data[1], "data")]

    def state(
        self,
        root: Optional[Manifest],
        makers: Sequence[Manifest],
        pods: Sequence[Manifest],
        events: Sequence[Manifest],
        uid: str = "",
        now: Optional[datetime] = None,
    ) -> JobState:
        """Return the state that an operator would write."""
        return read_ps_state(self, root, makers, pods, events, uid, now)

    def left_over(self, state: JobState, makers: Sequence[Manifest]) -> List[Ref]:
        """Return the batch Jobs that still run: parameter servers never end by themselves."""
        return left_over(state, makers)

    def why_no_pods(
        self, missing: Sequence[str], root: Manifest, refused: Optional[Finding], evidence: Evidence
    ) -> Optional[Finding]:
        """Return why the batch Jobs have no pods."""
        return refused or why_controller(missing, root, evidence)

    def maker_names(self, root: Manifest) -> List[str]:
        """Return the names of the batch Jobs."""
        return job_names(root)


PS_JOB = PsJob()


def _task(name: str, kind: str, index: int) -> Task:
    return Task(kind.lower(), index, PS_JOB.pod_name(name, kind, index))


def _places(options: Options, replica: Options) -> Places:
    """Return the nodes of one type, and whether they are dealt out among its own tasks or among all of the job."""
    if replica.get("nodes"):
        return _sound(replica["nodes"]), True
    if replica.get("node"):
        return [replica["node"]], True
    return _sound(options["nodes"]) if options.get("nodes") else [options.get("node")], False


def _sound(nodes: Sequence[str]) -> Sequence[Optional[str]]:
    """Return the nodes without those that `check_nodes` tells of."""
    return [name for name in nodes if not node_name(name)] or [None]


def _templates(
    options: Options,
    pods: Mapping[str, Options],
    tasks: Mapping[str, Sequence[Task]],
    cluster: Mapping[str, Sequence[str]],
    places: Mapping[str, Places],
) -> Tuple[Dict[str, Manifest], List[Problem]]:
    """Return the pod template of each task by its name, and what is wrong: the same for all of one type."""
    templates: Dict[str, Manifest] = {}
    problems: List[Problem] = []
    number = 0
    for kind, each in tasks.items():
        for task in each:
            nodes, own = places[kind]
            node = nodes[(task.index if own else number) % len(nodes)]
            pod = {**_pod(options, pods[kind], task, cluster), "node": node}
            number += 1
            template, found = build(pod, f"replicas.{kind}", PS_JOB.container, PS_JOB.pod_labels(options["name"]))
            if found:
                problems += found
                break
            # Each task has a Service: what Kubernetes tells of all of them would be hundreds of variables.
            template["spec"].setdefault("enableServiceLinks", False)
            template["spec"]["restartPolicy"] = pods[kind].get("restart_policy") or "Never"
            labels = template["metadata"].get("labels") or {}
            template["metadata"]["labels"] = {**labels, **_own_labels(options["name"], task)}
            templates[task.name] = template
    return templates, problems


def _pod(options: Options, pod: Options, task: Task, cluster: Mapping[str, Sequence[str]]) -> Dict[str, Any]:
    """Return the options of one task's pod."""
    name, contract = options["name"], options["contract"]
    volumes, mounts = ps_folders.mounts(options, name, task)
    command, arguments = command_given(pod, PS_JOB.container)
    arguments += ps_contract.arguments(contract, cluster, task)
    command, arguments = ps_folders.command_line(options, command, arguments)
    environment = {**ps_folders.environment(options), **(pod.get("env") or {})}
    environment.update(ps_contract.environment(contract, cluster, task))
    prepared = ps_folders.preparation(options, name, task, pod, main_container(pod, PS_JOB.container))
    return {
        **pod,
        "command": command or None,
        "args": arguments or None,
        "env": environment,
        "volumes": [*(pod.get("volumes") or []), *volumes],
        "volume_mounts": [*(pod.get("volume_mounts") or []), *mounts],
        "init_containers": [*prepared, *(pod.get("init_containers") or [])],
    }


def _own_labels(name: str, task: Task) -> Dict[str, str]:
    keys = PS_JOB.labels
    return {keys.job: name, keys.type: task.role, keys.index: str(task.index)}


def _labels(options: Options, task: Task) -> Dict[str, str]:
    return {**texts(options.get("labels")), **_own_labels(options["name"], task)}


def _config_map(options: Options, metadata: Manifest, cluster: Mapping[str, Sequence[str]]) -> Manifest:
    """Return the root: the lists of the cluster, for programs that read them from a file, and the rule of its end."""
    metadata = {**metadata, "labels": {**metadata.get("labels", {}), **PS_JOB.pod_labels(options["name"])}}
    data = {f"{role}_hosts": ",".join(hosts) for role, hosts in cluster.items()}
    data.update(cluster=json.dumps(cluster), end=options["end"])
    return {"apiVersion": PS_JOB.api_version, "kind": PS_JOB.kind, "metadata": metadata, "data": data}


def _service(namespace: str, task: Task, labels: Mapping[str, str], port: int) -> Manifest:
    selector = {key: labels[key] for key in (PS_JOB.labels.job, PS_JOB.labels.type, PS_JOB.labels.index)}
    spec = {
        "selector": selector,
        "ports": [{"name": "cluster", "port": port, "targetPort": port, "protocol": "TCP"}],
        # Servers wait for each other at their start: nobody would be ready first.
        "publishNotReadyAddresses": True,
    }
    metadata = {"name": task.name, "namespace": namespace, "labels": dict(labels)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def _batch_job(
    options: Options, task: Task, labels: Mapping[str, str], template: Manifest, pod: Options, cluster: Cluster
) -> Manifest:
    metadata = {"name": task.name, "namespace": options["namespace"], "labels": dict(labels)}
    spec = given(
        # A failed worker ends the job, unless it may be tried again.
        backoffLimit=options["backoff_limit"] if options.get("backoff_limit") is not None else _tries(pod),
        activeDeadlineSeconds=options.get("active_deadline_seconds"),
        podFailurePolicy=failure_policy(template["spec"]["restartPolicy"], cluster),
        template=template,
    )
    spec["suspend"] = bool(options.get("suspend"))
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _tries(pod: Options) -> int:
    """Return how often a replica is tried again: Kubernetes' own number where the user lets it be started again."""
    return 6 if pod.get("restart_policy") == "OnFailure" else 0


def _notes(counts: Mapping[str, int]) -> List[str]:
    return [] if "PS" in counts else ["the job has no PS: its workers must find each other without parameter servers"]
