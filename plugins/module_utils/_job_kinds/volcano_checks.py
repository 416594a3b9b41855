# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a Volcano Job's options before it is sent, and what its owner should hear of. Pure."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Sequence, Set

from .._common.problem import Problem
from .._gangs.backend_volcano import VOLCANO
from .._gangs.queue import ROOT
from .._kube.names import label, subdomain
from .volcano_live import DEFAULT_RETRIES
from .volcano_plugins import SVC
from .volcano_policies import FAILURES, check_policies, events_of

Options = Mapping[str, Any]

# The fields are 32-bit numbers.
_MOST = 2**31 - 1
_RESTARTS = ("Never", "OnFailure")
_GROUP_MARK = "scheduling.volcano.sh/group-name"
# Volcano reads 0 as nothing, and puts its default there.
_ZERO = f"Volcano takes 0 for not given, and makes it {DEFAULT_RETRIES}"
_NO_OPTION = (
    "No option of the module is for it. "
    "docs/from-manifest.md shows manifests beside their tasks; a whole manifest goes to trainyard.mlstack.objects"
)
# Keys of a Volcano Job, and options of other kinds that it does not have.
HINTS: Dict[str, str] = {
    "schedulerName": "Leave it out: the pods of a Volcano Job are Volcano's to schedule",
    "gang": "Leave it out: a Volcano Job is a gang. Its min_available and queue stand beside name",
    "replicas": "Write tasks, a list in which each has a name and its replicas: [{name: worker, replicas: 2}]",
    "suspend": "Leave it out: Volcano stops a job by a command (vcctl job suspend), not by its spec",
    "backoffLimit": "Write it max_retry",
    "backoff_limit": "Write it max_retry",
    "clean_pod_policy": "Leave it out: what runs on at the end, Volcano removes; what has ended keeps its log",
    "volumeClaimName": "Write the claim into shared_volumes: [{claim: ..., mount_path: ...}]",
    "networkTopology": _NO_OPTION,
    "partitionPolicy": _NO_OPTION,
    "runningEstimate": _NO_OPTION,
    "topologyPolicy": _NO_OPTION,
}


def first_tasks(tasks: Sequence[Options]) -> List[Options]:
    """Return the tasks whose pods are made at once, because they wait for no other task."""
    return [task for task in tasks if not task.get("depends_on")]


def check_tasks(tasks: Sequence[Options]) -> List[Problem]:
    """Return what is wrong with the tasks as a whole, and with their own numbers and policies."""
    problems: List[Problem] = []
    names = [str(task["name"]) for task in tasks]
    for place, task in enumerate(tasks):
        name, field = str(task["name"]), f"tasks.{task['name']}"
        broken = label(name)
        if broken:
            problems.append(Problem(f"tasks[{place}].name", name, broken, "Rename the task"))
        elif name in names[:place]:
            problems.append(Problem(f"tasks[{place}].name", name, "two tasks have this name", "Rename one of them"))
        problems += _check_number(field, "replicas", task["replicas"], 0)
        problems += _check_number(field, "max_retry", task.get("max_retry"), 1, _ZERO)
        least = task.get("min_available")
        if least is not None and not 0 <= least <= max(task["replicas"], 0):
            rule = f"must be between 0 and {task['replicas']}, the replicas of the task"
            problems.append(Problem(f"{field}.min_available", str(least), rule, "Leave it out for all of them"))
        problems += check_policies(task.get("policies"), f"{field}.policies")
    if sum(max(task["replicas"], 0) for task in tasks) == 0:
        way_out = "Give at least one task with a replica, for example [{name: worker, replicas: 2}]"
        shown = ", ".join(f"{task['name']} {task['replicas']}" for task in tasks) or "none"
        problems.append(Problem("tasks", shown, "a job needs at least one replica", way_out))
    return problems + _check_order(tasks, names)


def _check_number(field: str, option: str, value: Any, least: int, zero: str = "") -> List[Problem]:
    if value is None or least <= value <= _MOST:
        return []
    rule = f"must be at most {_MOST}" if value > _MOST else f"must be at least {least}"
    if value == 0 and zero:
        rule = zero
    return [Problem(f"{field}.{option}" if field else option, str(value), rule, "Correct it, or leave it out")]


def _check_order(tasks: Sequence[Options], names: Sequence[str]) -> List[Problem]:
    """Return what is wrong with which task waits for which: a name that is not there, or tasks that wait in a ring."""
    problems: List[Problem] = []
    after: Dict[str, List[str]] = {}
    for task in tasks:
        wanted = [str(each) for each in (task.get("depends_on") or {}).get("name") or ()]
        field, name = f"tasks.{task['name']}.depends_on", str(task["name"])
        if task.get("depends_on") and not wanted:
            problems.append(Problem(field, "nothing", "must name a task", "Name one, or drop depends_on"))
        for other in wanted:
            if other not in names:
                rule = f"no task has this name; there are {', '.join(names)}"
                problems.append(Problem(field, other, rule, "Correct it"))
        after[name] = [other for other in wanted if other in names]
    ring = _ring(after)
    if ring:
        rule = "these tasks wait for each other, and none of them would start"
        problems.append(Problem("tasks.depends_on", " after ".join(ring), rule, "Drop one of the depends_on"))
    return problems


def _ring(after: Mapping[str, Sequence[str]]) -> List[str]:
    """Return tasks that wait for each other in a ring, its first one again at the end; nothing when none do."""
    done: Set[str] = set()

    def walk(name: str, way: List[str]) -> List[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for other in after[name]:
            found = walk(other, [*way, name])
            if found:
                return found
        done.add(name)
        return []

    return next((found for found in (walk(name, []) for name in after) if found), [])


def check_job(options: Options, tasks: Sequence[Options]) -> List[Problem]:
    """Return what is wrong with the options of the job as a whole."""
    problems = check_policies(options.get("policies"), "policies")
    problems += _check_number("", "max_retry", options.get("max_retry"), 1, _ZERO)
    problems += _check_number("", "ttl_seconds_after_finished", options.get("ttl_seconds_after_finished"), 0)
    total = sum(max(task["replicas"], 0) for task in tasks)
    counts = ", ".join(f"{task['name']} {task['replicas']}" for task in tasks)
    for option in ("min_available", "min_success"):
        value = options.get(option)
        if value is not None and total and not 1 <= value <= total:
            rule = f"must be between 1 and {total}, the number of the job's pods ({counts})"
            problems.append(Problem(option, str(value), rule, "Leave it out for all pods"))
    problems += _check_gang_and_order(options, tasks)
    queue = options.get("queue")
    broken = subdomain(queue) if queue else ""
    if broken:
        problems.append(Problem("queue", str(queue), broken, "Name a queue of Volcano"))
    if queue == ROOT:
        rule = "is the top of Volcano's queues, to which no job is submitted"
        problems.append(Problem("queue", ROOT, rule, "Name a queue below it, such as default"))
    if options.get("suspend"):
        rule = "a Volcano Job has no suspend: Volcano stops a job by a command, and counts it as ended"
        way_out = "Use state absent; by hand: vcctl job suspend --name <job>"
        problems.append(Problem("state", "suspended", rule, way_out))
    return problems


def _check_gang_and_order(options: Options, tasks: Sequence[Options]) -> List[Problem]:
    """Return a problem when pods are to start together, some of which are only made when others run."""
    least, first = options.get("min_available"), first_tasks(tasks)
    if least is None or len(first) == len(tasks) or not first:
        return []
    count = sum(max(task["replicas"], 0) for task in first)
    if least <= count:
        return []
    names = ", ".join(str(task["name"]) for task in first)
    rule = f"only {count} pods are made at once ({names}), the others wait for them: none would ever start"
    return [Problem("min_available", str(least), rule, f"Give {count} at most, or drop depends_on")]


def check_pod(pod: Options, field: str, where: Callable[[str], str], options: Options) -> List[Problem]:
    """Return what is wrong with a task's pods beyond what is wrong with any pod. pod: its options, merged."""
    problems: List[Problem] = []
    restart = pod.get("restart_policy") or "Never"
    if restart not in _RESTARTS:
        rule = f"is not for Volcano Jobs; there it is {' or '.join(_RESTARTS)}"
        way_out = "Use Never, and say in policies what happens: {event: PodFailed, action: RestartTask}"
        problems.append(Problem(where("restart_policy"), restart, rule, way_out))
    template = _map(pod.get("template"))
    spec, metadata = _map(template.get("spec")), _map(template.get("metadata"))
    scheduler = spec.get("schedulerName")
    if scheduler not in (None, "", VOLCANO.scheduler):
        rule = f"another scheduler than {VOLCANO.scheduler}, which alone keeps the job's pods together"
        problems.append(Problem(f"{where('template')}.spec.schedulerName", str(scheduler), rule, "Drop it"))
    annotations = {**_map(metadata.get("annotations")), **(pod.get("pod_annotations") or {})}
    groups = {_GROUP_MARK: annotations[_GROUP_MARK]} if _GROUP_MARK in annotations else {}
    if spec.get("schedulingGroup"):
        groups["schedulingGroup"] = spec["schedulingGroup"]
    for key, group in groups.items():
        rule = "names a PodGroup, and Volcano makes the job's own"
        problems.append(Problem(f"{field}: pod: {key}", str(group), rule, "Drop it"))
    if options.get("tf_config") is not None and "TF_CONFIG" in (pod.get("env") or {}):
        problems.append(Problem(where("env"), "TF_CONFIG", "tf_config gives it", "Drop it here"))
    return problems


def _map(value: Any) -> Mapping[str, Any]:
    """Return a part of a native template; its form is judged elsewhere."""
    return value if isinstance(value, Mapping) else {}


def notes(options: Options, tasks: Sequence[Options], plugins: Mapping[str, Any]) -> List[str]:
    """Return what does not stop a job and still is not what its options seem to say."""
    found: List[str] = []
    total = sum(task["replicas"] for task in tasks)
    if total > 1 and SVC not in plugins:
        found.append("plugins has no svc: the pods of the job do not find each other by name")
    if total > 1 and not _says_what_failures_do(options, tasks):
        found.append(
            "no policy says what a failed pod does: the job goes on until all its pods have ended, and holds their"
            " GPUs; {event: PodFailed, action: RestartJob} starts it anew, TerminateJob ends it"
        )
    own = [task["min_available"] for task in tasks if task.get("min_available") is not None]
    if options.get("min_available") is not None and own and options["min_available"] < sum(own):
        found.append("min_available of the job is below those of its tasks, which Volcano then does not look at")
    return found


def _says_what_failures_do(options: Options, tasks: Sequence[Options]) -> bool:
    every = [*(options.get("policies") or ()), *(each for task in tasks for each in task.get("policies") or ())]
    return any(policy.get("exit_code") or set(events_of(policy)) & set(FAILURES) for policy in every)
