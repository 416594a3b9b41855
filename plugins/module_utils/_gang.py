# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of a job that start together or not at all. Pure, but for the question what the cluster offers.

The client makes the PodGroup and marks every replica's template, so one way serves every scheduler and every release
of the operator, whose own gang flag stays off. What differs between schedulers is one row of `BACKENDS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest
from ansible_collections.trainyard.mlstack.plugins.module_utils._store import Store

# Replica type -> {"replicas": number, "template": pod template, ...}
Specs = Mapping[str, Mapping[str, Any]]

KIND = "PodGroup"
DEFAULT_SCHEDULER = "default-scheduler"
# Kubernetes keeps these names for itself, and refuses a PodGroup with their priorities.
_SYSTEM = "system-"
# What one backend has and another has not: what it is, who has it, what serves instead.
_EXTRAS = {
    "timeout": (
        "no time after which a gang stops waiting: scheduler_plugins has it",
        "Leave gang.timeout out; active_deadline_seconds ends a job that takes too long",
    ),
    "queue": (
        "no queues: volcano and kube_batch have them",
        "Leave gang.queue out; a ResourceQuota of the namespace bounds what a team uses",
    ),
}


@dataclass(frozen=True)
class Group:
    """What a PodGroup says, whatever the scheduler. priority: name of the pods' priority class, or empty."""

    least: int
    priority: str = ""
    timeout: Optional[int] = None
    queue: str = ""


@dataclass(frozen=True)
class Backend:
    """One scheduler that knows gangs.

    title: for people. api_version: of its PodGroup. spec: of its PodGroup. scheduler: schedulerName of the pods; empty
    when the default one does it. mark: where in a pod template the group is named. marked: what stands there for a
    group of this name. least: where a PodGroup says how many pods start together. extras: the options beyond
    min_available that it has. way_out: how a cluster without it gets it.
    """

    title: str
    api_version: str
    spec: Callable[[Group], Manifest]
    scheduler: str
    mark: Tuple[str, ...]
    marked: Callable[[str], Any]
    least: Tuple[str, ...]
    extras: Tuple[str, ...]
    way_out: str


def _native_spec(group: Group) -> Manifest:
    return {
        "schedulingPolicy": {"gang": {"minCount": group.least}},
        # What makes room for a gang of higher priority goes whole: its rest would hold GPUs and not train.
        "disruptionMode": {"all": {}},
        # A group has a priority of its own: by default the lowest one, whatever its pods say.
        **({"priorityClassName": group.priority} if group.priority else {}),
    }


BACKENDS: Mapping[str, Backend] = {
    "native": Backend(
        title="Kubernetes' own scheduler",
        api_version="scheduling.k8s.io/v1beta1",
        spec=_native_spec,
        scheduler="",
        mark=("spec", "schedulingGroup"),
        marked=lambda name: {"podGroupName": name},
        least=("spec", "schedulingPolicy", "gang", "minCount"),
        extras=(),
        way_out="Leave gang out; or have it switched on in the control plane (Kubernetes 1.37 or newer): "
        "mlstack_gang_scheduler=native where role kubernetes made the cluster, elsewhere feature gate "
        "GenericWorkload=true on kube-apiserver, kube-controller-manager and kube-scheduler, and "
        "--runtime-config=scheduling.k8s.io/v1beta1=true on kube-apiserver",
    ),
}


def gang_options() -> Dict[str, Any]:
    """Return the argument spec of option `gang`."""
    options = {
        "backend": {"type": "str", "choices": list(BACKENDS), "default": "native"},
        "min_available": {"type": "int"},
        "timeout": {"type": "int"},
        "queue": {"type": "str"},
    }
    return {"gang": {"type": "dict", "options": options}}


def group_name(kind: JobKind, job: str) -> str:
    """Return the name of a job's PodGroup. No two jobs share one, of whatever kind they are."""
    return f"{kind.name.replace('_', '-')}-{job}"


def apply_gang(
    options: Mapping[str, Any], kind: JobKind, name: str, namespace: str, specs: Specs
) -> Tuple[Dict[str, Dict[str, Any]], Optional[Manifest], List[Problem]]:
    """Return the replica types with their templates marked, the PodGroup, and what is wrong.

    options: of the job. Without `gang` among them the replica types come back as they are, and there is no PodGroup.
    """
    group, problems = gang_group(options, kind, name, namespace, specs)
    if group is None:
        return {replica: dict(spec) for replica, spec in specs.items()}, None, problems
    marked = {each: {**spec, "template": mark(options, kind, name, spec["template"])} for each, spec in specs.items()}
    return marked, group, []


def gang_group(
    options: Mapping[str, Any], kind: JobKind, name: str, namespace: str, specs: Specs
) -> Tuple[Optional[Manifest], List[Problem]]:
    """Return the PodGroup of a job, None for one without, and what is wrong."""
    gang = options.get("gang")
    if gang is None:
        return None, []
    backend = BACKENDS[gang["backend"]]
    priority, problems = _priority(specs)
    problems = _check_extras(gang, backend) + _check_least(gang, specs) + _conflicts(backend, specs) + problems
    total = _total(specs)
    if problems or not total:
        return None, problems
    group = Group(gang.get("min_available") or total, priority, gang.get("timeout"), gang.get("queue") or "")
    metadata = {"name": group_name(kind, name), "namespace": namespace}
    return {"apiVersion": backend.api_version, "kind": KIND, "metadata": metadata, "spec": backend.spec(group)}, []


def mark(options: Mapping[str, Any], kind: JobKind, name: str, template: Manifest) -> Manifest:
    """Return a pod template as one of a job's gang; as it is for a job without."""
    gang = options.get("gang")
    if gang is None:
        return template
    backend = BACKENDS[gang["backend"]]
    marked = _with(template, backend.mark, backend.marked(group_name(kind, name)))
    return _with(marked, ("spec", "schedulerName"), backend.scheduler) if backend.scheduler else marked


def _total(specs: Specs) -> int:
    return sum(int(spec["replicas"]) for spec in specs.values())


def _check_extras(gang: Mapping[str, Any], backend: Backend) -> List[Problem]:
    return [
        Problem(f"gang.{name}", str(gang[name]), f"{backend.title} has {lack}", way_out)
        for name, (lack, way_out) in _EXTRAS.items()
        if gang.get(name) is not None and name not in backend.extras
    ]


def _check_least(gang: Mapping[str, Any], specs: Specs) -> List[Problem]:
    least, total = gang.get("min_available"), _total(specs)
    # A job without any replica is refused as such.
    if least is None or not total or 1 <= least <= total:
        return []
    counts = ", ".join(f"{name} {spec['replicas']}" for name, spec in specs.items())
    rule = f"must be between 1 and {total}, the number of the job's pods ({counts})"
    way_out = "Leave gang out" if least < 1 else "Leave it out for all pods; above that the job would never start"
    return [Problem("gang.min_available", str(least), rule, way_out)]


def _conflicts(backend: Backend, specs: Specs) -> List[Problem]:
    """Return what templates say of their scheduling that the gang would say otherwise."""
    problems: List[Problem] = []
    for replica, spec in specs.items():
        template, field = spec["template"], f"replicas.{replica}.template"
        for other in BACKENDS.values():
            found = _standing(template, other.mark)
            if found is not None:
                rule = "names a PodGroup, which gang does by itself"
                problems.append(Problem(".".join((field, *other.mark)), str(found), rule, "Drop it, or leave gang out"))
        wanted, scheduler = backend.scheduler or DEFAULT_SCHEDULER, _standing(template, ("spec", "schedulerName"))
        if scheduler not in (None, "", wanted):
            rule = f"another scheduler than {wanted}, which alone keeps a gang of this backend together"
            problems.append(Problem(f"{field}.spec.schedulerName", str(scheduler), rule, "Drop it, or leave gang out"))
    return problems


def _priority(specs: Specs) -> Tuple[str, List[Problem]]:
    """Return the priority class of all pods; a gang has only one."""
    path = ("spec", "priorityClassName")
    # A template that could not be built is empty; what was wrong with it is reported with it.
    found = {name: str(_standing(spec["template"], path) or "") for name, spec in specs.items() if spec["template"]}
    system = {name: priority for name, priority in found.items() if priority.startswith(_SYSTEM)}
    if system:
        rule = "is for what a node or the cluster cannot live without, and no gang may have it"
        shown = ", ".join(f"{name} {priority}" for name, priority in system.items())
        return "", [Problem("priority_class", shown, rule, "Use a class of your own, of 1000000000 at most")]
    if len(set(found.values())) <= 1:
        return next(iter(found.values()), ""), []
    shown = ", ".join(f"{name} {priority or 'none'}" for name, priority in found.items())
    rule = "differs between replica types, and a gang is scheduled with one priority"
    return "", [Problem("priority_class", shown, rule, "Give one for all replica types, or leave gang out")]


def _standing(template: Manifest, path: Sequence[str]) -> Any:
    """Return what stands at a path of a template; None when nothing does."""
    value: Any = template
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _with(tree: Mapping[str, Any], path: Sequence[str], value: Any) -> Manifest:
    """Return a copy of a tree with one value set; what it shares with the tree stays untouched."""
    below = value if len(path) == 1 else _with(tree.get(path[0]) or {}, path[1:], value)
    return {**tree, path[0]: below}


def least_of(manifests: Sequence[Manifest]) -> Optional[int]:
    """Return how many pods the PodGroup among these objects wants to start together; None without one."""
    paths = {backend.api_version: backend.least for backend in BACKENDS.values()}
    for manifest in manifests:
        if manifest["kind"] == KIND and manifest["apiVersion"] in paths:
            return int(_standing(manifest, paths[manifest["apiVersion"]]) or 0)
    return None


def gang_available(store: Store, groups: Sequence[Manifest]) -> List[Problem]:
    """Return what the cluster lacks for these PodGroups; to be asked before anything is written. Raises ApiError."""
    return [
        Problem(
            "gang.backend",
            name,
            f"the API server does not serve {KIND} in {backend.api_version}, of which these gangs are made",
            backend.way_out,
        )
        for name, backend in BACKENDS.items()
        if any(group["apiVersion"] == backend.api_version for group in groups) and not _served(store, backend)
    ]


def _served(store: Store, backend: Backend) -> bool:
    try:
        store.discovery.served(backend.api_version, KIND)
    except KindUnknown:
        return False
    return True


def explained(refusal: str) -> str:
    """Return what a server has against an object; where its CRD does not know the mark of a gang, with what to do."""
    unknown = "not declared in schema" in refusal or "unknown field" in refusal
    if not unknown or not any(backend.mark[-1] in refusal for backend in BACKENDS.values()):
        return refusal
    return (
        f"{refusal}. Releases of the training operator up to 1.9.3 do not know what marks the pods of a gang: "
        "upgrade it (playbook trainyard.mlstack.operator), or leave gang out"
    )
