# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of a job that start together or not at all. Pure, but for the question what the cluster offers.

The client makes the PodGroup and marks every replica's template, so one way serves every scheduler and every release
of the operator, whose own gang flag stays off. What differs between schedulers is one row of `BACKENDS`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem, shown
from .._job_model.kind import JobKind
from .._kube import names as kube_names
from .._kube.cluster import NEWEST, Cluster
from .._kube.resource import Manifest
from .._kube.store import Store, served
from .._pods.demand import Replicas, demand_of_least
from .backend import Backend, Group
from .backend_kube_batch import KUBE_BATCH
from .backend_native import NATIVE, SHAPES
from .backend_scheduler_plugins import SCHEDULER_PLUGINS
from .backend_volcano import VOLCANO
from .shape import shape_of

# Replica type -> {"replicas": number, "template": pod template, ...}
Specs = Mapping[str, Mapping[str, Any]]

DEFAULT_SCHEDULER = "default-scheduler"
BACKENDS: Mapping[str, Backend] = {
    backend.name: backend for backend in (NATIVE, VOLCANO, KUBE_BATCH, SCHEDULER_PLUGINS)
}
# Everything that may stand for a gang in a cluster.
GROUPS: Sequence[Backend] = (*SHAPES, *(backend for backend in BACKENDS.values() if backend is not NATIVE))
# Kubernetes keeps these names for itself, and refuses a PodGroup with their priorities.
SYSTEM = "system-"
# What a field of 32 bits holds.
_LONGEST = 2**31 - 1
# What one backend has and another has not: what it is, and what serves instead.
_EXTRAS = {
    "timeout": (
        "no time after which a gang stops waiting",
        "Leave it out; active_deadline_seconds ends a job that takes too long",
    ),
    "queue": (
        "no queues",
        "Leave it out; a ResourceQuota of the namespace bounds what a team uses",
    ),
    "scheduler": ("only one name", "Leave it out"),
    # These two a job takes from its pods; only who makes a PodGroup alone says them.
    "priority_class": ("no priority in a PodGroup", "Give it to the pods themselves"),
    "min_resources": ("no resources in a PodGroup", "Leave it out: the pods say what they ask for"),
}


def gang_options() -> Dict[str, Any]:
    """Return the argument spec of option `gang`."""
    options = {
        "backend": {"type": "str", "choices": list(BACKENDS), "default": "native"},
        "min_available": {"type": "int"},
        "timeout": {"type": "int"},
        "queue": {"type": "str"},
        "scheduler": {"type": "str"},
    }
    return {"gang": {"type": "dict", "options": options}}


def group_name(kind: JobKind, job: str) -> str:
    """Return the name of a job's PodGroup. No two jobs share one, of whatever kind they are."""
    return f"{kind.name.replace('_', '-')}-{job}"


def apply_gang(
    options: Mapping[str, Any],
    kind: JobKind,
    name: str,
    namespace: str,
    specs: Specs,
    cluster: Cluster = NEWEST,
) -> Tuple[Dict[str, Dict[str, Any]], Optional[Manifest], List[Problem]]:
    """Return the replica types with their templates marked, the PodGroup, and what is wrong.

    options: of the job. Without `gang` among them the replica types come back as they are, and there is no PodGroup.
    """
    group, problems = gang_group(options, kind, name, namespace, specs, cluster)
    if group is None:
        return {replica: dict(spec) for replica, spec in specs.items()}, None, problems
    marked = {
        each: {**spec, "template": mark(options, kind, name, spec["template"], cluster)} for each, spec in specs.items()
    }
    return marked, group, []


def gang_group(
    options: Mapping[str, Any],
    kind: JobKind,
    name: str,
    namespace: str,
    specs: Specs,
    cluster: Cluster = NEWEST,
) -> Tuple[Optional[Manifest], List[Problem]]:
    """Return the PodGroup of a job, None for one without, and what is wrong."""
    gang = options.get("gang")
    if gang is None:
        return None, []
    backend = shape_of(cluster, BACKENDS[gang["backend"]])
    priority, problems = priority_of(specs)
    problems = [
        *check_extras(gang, backend, "gang."),
        *check_name(group_name(kind, name), backend),
        *_check_least(gang, specs),
        *_conflicts(scheduler_of(gang, backend), specs),
        *problems,
    ]
    total = _total(specs)
    if problems or not total:
        return None, problems
    least = gang.get("min_available") or total
    group = Group(least, priority, gang.get("timeout"), gang.get("queue") or "", _resources(specs, least))
    return backend.manifest(group_name(kind, name), namespace, group), []


def mark(
    options: Mapping[str, Any], kind: JobKind, name: str, template: Manifest, cluster: Cluster = NEWEST
) -> Manifest:
    """Return a pod template as one of a job's gang; as it is for a job without."""
    gang = options.get("gang")
    if gang is None:
        return template
    backend = shape_of(cluster, BACKENDS[gang["backend"]])
    return marked_template(backend, group_name(kind, name), scheduler_of(gang, backend), template)


def marked_template(backend: Backend, group: str, scheduler: str, template: Manifest) -> Manifest:
    """Return a pod template as one of a group. scheduler: empty for the default one."""
    marked = _with(template, backend.mark, backend.marked(group))
    return _with(marked, ("spec", "schedulerName"), scheduler) if scheduler else marked


def scheduler_of(gang: Mapping[str, Any], backend: Backend) -> str:
    """Return the schedulerName of the pods; empty for the default one."""
    return gang.get("scheduler") or backend.scheduler


def _resources(specs: Specs, least: int) -> Dict[str, Decimal]:
    """Return what this many of the pods ask for at the very least."""
    each = [Replicas(name, int(spec["replicas"]), spec["template"].get("spec") or {}) for name, spec in specs.items()]
    try:
        return demand_of_least(each, least).requests
    except ValueError:
        # What is no quantity is told with its template, and then nothing is written.
        return {}


def _total(specs: Specs) -> int:
    return sum(int(spec["replicas"]) for spec in specs.values())


def check_extras(gang: Mapping[str, Any], backend: Backend, prefix: str = "") -> List[Problem]:
    """Return which options a backend does not have, or not with this value. prefix: of their names."""
    problems = []
    for name, (lack, way_out) in _EXTRAS.items():
        value = gang.get(name)
        if value is None:
            continue
        if name in backend.extras:
            rule = _value_rule(value)
            way_out = "Correct it, or leave it out"
        else:
            others = " and ".join(key for key, other in BACKENDS.items() if name in other.extras)
            rule = f"{backend.title} has {lack}, unlike {others}"
        if rule:
            problems.append(Problem(f"{prefix}{name}", shown(value), rule, way_out))
    return problems


def _value_rule(value: Any) -> str:
    """Return the rule that a value breaks: a name, or a number of seconds; a map is judged by who asks for it."""
    if isinstance(value, str):
        return kube_names.subdomain(value)
    return f"must be between 1 and {_LONGEST} seconds" if isinstance(value, int) and not 1 <= value <= _LONGEST else ""


def check_name(name: str, backend: Backend) -> List[Problem]:
    """Return why a PodGroup cannot have a name."""
    if len(name) <= backend.longest:
        return []
    rule = f"{len(name)} characters; {backend.title} finds pods by a label with it, which has at most {backend.longest}"
    return [Problem("name", f"(PodGroup {name})", rule, "Give the job a shorter name, or leave gang out")]


def _check_least(gang: Mapping[str, Any], specs: Specs) -> List[Problem]:
    least, total = gang.get("min_available"), _total(specs)
    # A job without any replica is refused as such.
    if least is None or not total or 1 <= least <= total:
        return []
    counts = ", ".join(f"{name} {spec['replicas']}" for name, spec in specs.items())
    rule = f"must be between 1 and {total}, the number of the job's pods ({counts})"
    way_out = "Leave gang out" if least < 1 else "Leave it out for all pods; above that the job would never start"
    return [Problem("gang.min_available", str(least), rule, way_out)]


def _conflicts(own: str, specs: Specs) -> List[Problem]:
    """Return what templates say of their scheduling that the gang would say otherwise. own: its scheduler."""
    problems: List[Problem] = []
    for replica, spec in specs.items():
        template, field = spec["template"], f"replicas.{replica}.template"
        for path in dict.fromkeys(other.mark for other in GROUPS):
            found = standing(template, path)
            if found is not None:
                rule = "names a PodGroup, which gang does by itself"
                problems.append(Problem(".".join((field, *path)), str(found), rule, "Drop it, or leave gang out"))
        wanted, scheduler = own or DEFAULT_SCHEDULER, standing(template, ("spec", "schedulerName"))
        if scheduler not in (None, "", wanted):
            rule = f"another scheduler than {wanted}, which alone keeps a gang of this backend together"
            # Kubernetes' own scheduler has one name only.
            way_out = "Drop it, or name it in gang.scheduler" if own else "Drop it, or leave gang out"
            problems.append(Problem(f"{field}.spec.schedulerName", str(scheduler), rule, way_out))
    return problems


def priority_of(specs: Specs) -> Tuple[str, List[Problem]]:
    """Return the priority class of all pods; a gang has only one."""
    path = ("spec", "priorityClassName")
    # A template that could not be built is empty; what was wrong with it is reported with it.
    found = {name: str(standing(spec["template"], path) or "") for name, spec in specs.items() if spec["template"]}
    system = {name: priority for name, priority in found.items() if priority.startswith(SYSTEM)}
    if system:
        return "", [refused_priority(", ".join(f"{name} {priority}" for name, priority in system.items()))]
    if len(set(found.values())) <= 1:
        return next(iter(found.values()), ""), []
    shown = ", ".join(f"{name} {priority or 'none'}" for name, priority in found.items())
    rule = "differs between replica types, and a gang is scheduled with one priority"
    return "", [Problem("priority_class", shown, rule, "Give one for all replica types, or leave gang out")]


def refused_priority(classes: str) -> Problem:
    """Return why a gang has no priority class of Kubernetes' own."""
    rule = "is for what a node or the cluster cannot live without, and no gang may have it"
    return Problem("priority_class", classes, rule, "Use a class of your own, of 1000000000 at most")


def standing(tree: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return what stands at a path of a tree, in a list by its number; None when nothing does."""
    value: Any = tree
    for key in path:
        if isinstance(value, list):
            value = value[int(key)] if int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _with(tree: Mapping[str, Any], path: Sequence[str], value: Any) -> Manifest:
    """Return a copy of a tree with one value set; what it shares with the tree stays untouched."""
    below = value if len(path) == 1 else _with(tree.get(path[0]) or {}, path[1:], value)
    return {**tree, path[0]: below}


def least_of(manifests: Sequence[Manifest]) -> Optional[int]:
    """Return how many pods the PodGroup among these objects wants to start together; None without one."""
    for manifest in manifests:
        backend = backend_of(manifest)
        if backend:
            return int(standing(manifest, backend.least) or 0)
    return None


def backend_of(manifest: Manifest) -> Optional[Backend]:
    """Return whose PodGroup an object is; None when it is something else."""
    identity = (manifest["apiVersion"], manifest["kind"])
    return next((backend for backend in GROUPS if backend.identity == identity), None)


def group_of(pod: Manifest) -> str:
    """Return the name of the PodGroup in which a pod is; empty for none."""
    return next(filter(None, (named_in(pod, backend) for backend in GROUPS)), "")


def backends_of(pod: Manifest) -> List[Backend]:
    """Return whose PodGroup a pod may be in: the marks of some are the same."""
    found = [backend for backend in GROUPS if named_in(pod, backend)]
    scheduler = standing(pod, ("spec", "schedulerName"))
    return [backend for backend in found if backend.scheduler and backend.scheduler == scheduler] or found


def named_in(pod: Manifest, backend: Backend) -> str:
    """Return the name of the PodGroup that a pod or a template names in the mark of a backend; empty for none."""
    mark = standing(pod, backend.mark)
    if isinstance(mark, Mapping):
        mark = mark.get("podGroupName") or mark.get("name")
    return str(mark or "")


def gang_available(store: Store, groups: Sequence[Manifest]) -> List[Problem]:
    """Return what the cluster lacks for these PodGroups; to be asked before anything is written. Raises ApiError."""
    return lacking(store, {backend.identity: backend for backend in map(backend_of, groups) if backend}.values())


def lacking(store: Store, wanted: Iterable[Backend]) -> List[Problem]:
    """Return which of these backends a cluster does not have. Raises ApiError."""
    missing = [backend for backend in wanted if not served(store, *backend.identity)]
    if not missing:
        return []
    others = [name for name, each in BACKENDS.items() if each not in missing and served(store, *each.identity)]
    first = f"This cluster has gang.backend {' and '.join(others)}: use it; or" if others else "Leave gang out; or"
    return [
        Problem(
            "gang.backend",
            backend.name,
            f"the API server does not serve {backend.kind} in {backend.api_version}, of which these gangs are made",
            f"{first} {backend.way_out}",
        )
        for backend in missing
    ]


def explained(refusal: str) -> str:
    """Return what a server has against an object; where its CRD does not know the mark of a gang, with what to do."""
    unknown = "not declared in schema" in refusal or "unknown field" in refusal
    if not unknown or not any(shape.mark[-1] in refusal for shape in SHAPES):
        return refusal
    return (
        f"{refusal}. Releases of the training operator up to 1.9.3 do not know what marks the pods of a native gang, "
        "and those after it not what does so in Kubernetes 1.35: upgrade (playbook trainyard.mlstack.operator), use "
        "another gang.backend or a ps_job, or leave gang out"
    )
