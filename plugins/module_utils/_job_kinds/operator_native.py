# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a training job that comes as a native object. Pure.

The API server takes some of it without a word and the job misbehaves later, or says less than it could.
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from .._common.problem import Problem, shown
from .._job_model.names import check_names
from .._kube.resource import Manifest
from .._pods.checks import check_spec, check_template
from .._pods.old_forms import check_marks, check_old_pod
from .._pods.pieces import check_native_template
from .._pods.resources import check_pod_resources, normal
from .._pods.schema import POD_SPEC, fields
from .operator_job import OperatorJob
from .pytorchjob import PYTORCHJOB
from .tfjob import TFJOB

# Older versions and other operators have these directly under spec.
_RUN_POLICY = (
    "activeDeadlineSeconds",
    "backoffLimit",
    "cleanPodPolicy",
    "managedBy",
    "schedulingPolicy",
    "suspend",
    "ttlSecondsAfterFinished",
)
_REPLICA = ("replicas", "restartPolicy", "template")
_SPEC = {
    "TFJob": ("runPolicy", "successPolicy", "enableDynamicWorker", "tfReplicaSpecs"),
    "PyTorchJob": ("runPolicy", "elasticPolicy", "nprocPerNode", "pytorchReplicaSpecs"),
}
_WORDS = {
    "cleanPodPolicy": ("None", "Running", "All"),
    "restartPolicy": ("Never", "OnFailure", "Always", "ExitCode"),
}
_OLD_VERSION = re.compile(r"(kubeflow\.org|tensorflow\.org|pytorch\.org)/(v1alpha[12]|v1beta[12])")
_OLD_KEYS = {
    "backend": "The program names it, in init_process_group: hand it on in args",
    "masterPort": "Give the Master's container a port named pytorchjob-port",
    "RuntimeId": "Leave it out",
    "terminationPolicy": "A Chief ends the job; without one spec.successPolicy says how workers do",
    "tfImage": "Write it as image of the container tensorflow",
}
_TYPE_KEYS = ("tfReplicaType", "replicaType")


def check_job(manifest: Manifest) -> List[Problem]:
    """Return what is wrong with a job of the training operator; nothing for any other object."""
    version, spec = str(manifest.get("apiVersion")), manifest.get("spec")
    old = _OLD_VERSION.fullmatch(version)
    kind = _kind(str(manifest.get("kind")), version, bool(old))
    if kind is None:
        return []
    metadata = manifest.get("metadata") or {}
    title = f"{kind.kind} {metadata.get('name')}"
    problems: List[Problem] = []
    if old or manifest.get("kind") != kind.kind:
        rule = "no operator of today serves it"
        way_out = f"Write apiVersion: {kind.api_version} and kind: {kind.kind}"
        problems.append(Problem(title, f"{version} {manifest.get('kind')}", rule, way_out))
    if not isinstance(spec, Mapping):
        return problems
    problems += check_marks(metadata, "", f"{title}: metadata") + _check_spec_keys(kind, spec, title)
    for field, replica in _replicas(kind, spec, title):
        problems += _check_replica(kind, replica, field)
    problems += _check_least(kind, spec, title)
    return problems + _check_names(kind, metadata, spec, title)


def _check_least(kind: OperatorJob, spec: Mapping[str, Any], title: str) -> List[Problem]:
    """Return what is wrong with a gang of the operator's own: it takes any minimum, and the job never starts."""
    policy: Any = spec.get("runPolicy")
    for key in ("schedulingPolicy", "minAvailable"):
        policy = policy.get(key) if isinstance(policy, Mapping) else None
    replicas = spec.get(kind.replica_specs)
    each = replicas.values() if isinstance(replicas, Mapping) else ()
    counts = [replica.get("replicas", 1) for replica in each if isinstance(replica, Mapping)]
    if not isinstance(policy, int) or not all(isinstance(count, int) for count in counts) or 0 <= policy <= sum(counts):
        return []
    rule = f"must be between 0 and {sum(counts)}, the number of the job's pods"
    way_out = "Leave it out for all pods; above that the job would never start"
    return [Problem(f"{title}: spec.runPolicy.schedulingPolicy.minAvailable", str(policy), rule, way_out)]


def _check_names(kind: OperatorJob, metadata: Mapping[str, Any], spec: Mapping[str, Any], title: str) -> List[Problem]:
    """Return what is wrong with the names of a job and of the pods and Services that come of it."""
    if not metadata.get("name"):
        return []  # made up by the server
    replicas, counts = spec.get(kind.replica_specs), {}
    for name, replica in replicas.items() if isinstance(replicas, Mapping) else ():
        count = replica.get("replicas", 1) if isinstance(replica, Mapping) else 0
        if isinstance(count, int) and not isinstance(count, bool) and count > 0:
            counts[str(name)] = count
    found = check_names(kind, str(metadata["name"]), str(metadata.get("namespace") or "default"), counts)
    return [Problem(f"{title}: metadata.{each.field}", each.value, each.rule, each.way_out) for each in found]


def _kind(name: str, version: str, old: bool) -> Optional[OperatorJob]:
    """Return the kind of job that an object is, also in a version and a spelling of old."""
    for kind in (TFJOB, PYTORCHJOB):
        if name.lower() == kind.kind.lower() and (old or (version, name) == kind.identity):
            return kind
    return None


def _check_spec_keys(kind: OperatorJob, spec: Mapping[str, Any], title: str) -> List[Problem]:
    problems: List[Problem] = []
    known = _SPEC[kind.kind]
    for key, value in spec.items():
        field = f"{title}: spec.{key}"
        if key in _RUN_POLICY:
            problems.append(
                Problem(field, shown(value), "stands in the wrong place", f"Move it to spec.runPolicy.{key}")
            )
        elif key in _OLD_KEYS:
            problems.append(Problem(field, shown(value), "is of v1alpha1", _OLD_KEYS[key]))
        elif key == "replicaSpecs":
            way_out = f"Write spec.{kind.replica_specs} with a key for each type, such as Worker"
            problems.append(Problem(field, shown(value), "is the list of v1alpha1", way_out))
        elif key not in known:
            way_out = _place(kind, str(key)) or _near(str(key), known)
            problems.append(Problem(field, shown(value), "there is no such field", way_out))
    policy = spec.get("runPolicy")
    for key, value in policy.items() if isinstance(policy, Mapping) else ():
        field = f"{title}: spec.runPolicy.{key}"
        if key not in _RUN_POLICY:
            way_out = _place(kind, str(key)) or _near(str(key), _RUN_POLICY)
            problems.append(Problem(field, shown(value), "there is no such field", way_out))
        problems += _check_word(str(key), value, field)
    if not isinstance(spec.get("nprocPerNode", ""), str):
        rule = "must be text"
        problems.append(Problem(f"{title}: spec.nprocPerNode", str(spec["nprocPerNode"]), rule, "Write it in quotes"))
    return problems


def _replicas(kind: OperatorJob, spec: Mapping[str, Any], title: str) -> Iterator[Any]:
    """Yield each replica type with its place; those of v1alpha1 stand in a list."""
    replicas = spec.get(kind.replica_specs)
    for name, replica in replicas.items() if isinstance(replicas, Mapping) else ():
        yield f"{title}: spec.{kind.replica_specs}.{name}", replica
    old = spec.get("replicaSpecs")
    for index, replica in enumerate(old if isinstance(old, list) else ()):
        yield f"{title}: spec.replicaSpecs[{index}]", replica


def _check_replica(kind: OperatorJob, replica: Any, field: str) -> List[Problem]:
    if not isinstance(replica, Mapping):
        return []
    problems: List[Problem] = []
    name = field.rpartition(".")[2]
    if name not in kind.types and not name.startswith("replicaSpecs["):
        exact = {word.lower(): word for word in kind.types}
        way_out = f"Write it {exact[name.lower()]}" if name.lower() in exact else f"There are {', '.join(kind.types)}"
        problems.append(Problem(field, shown(replica), "there is no such replica type", way_out))
    for key, value in replica.items():
        if key in _TYPE_KEYS:
            word = {each.upper(): each for each in kind.types}.get(str(value).upper(), str(value))
            way_out = f"The type is the key: spec.{kind.replica_specs}.{word}"
            problems.append(Problem(f"{field}.{key}", str(value), "is of v1alpha1", way_out))
        elif key == "tfPort":
            way_out = "Give the container tensorflow a port named tfjob-port"
            problems.append(Problem(f"{field}.{key}", str(value), "is of v1alpha1", way_out))
        elif key not in _REPLICA:
            way_out = _place(kind, str(key)) or _near(str(key), _REPLICA)
            problems.append(Problem(f"{field}.{key}", shown(value), "there is no such field", way_out))
        problems += _check_word(str(key), value, f"{field}.{key}")
    return problems + _check_pod(kind, replica.get("template", {}), f"{field}.template")


def _check_pod(kind: OperatorJob, template: Dict[str, Any], field: str) -> List[Problem]:
    form = check_native_template(template, field)
    problems = [*form, *check_template(template, field, kind.container), *check_old_pod(template, field)]
    if form:
        return problems
    spec = template.get("spec") or {}
    if not spec.get("containers"):
        way_out = f"Give a container named {kind.container}"
        return [*problems, Problem(f"{field}.spec.containers", "nothing", "must be given", way_out)]
    for container in [*spec["containers"], *(spec.get("initContainers") or [])]:
        place = f"{field}: container {container.get('name')}.resources"
        problems += normal(container.get("resources") or {}, place)[1]
    problems += check_pod_resources(spec, f"{field}.spec.resources")
    return problems + check_spec(dict(spec), field)


def _check_word(key: str, value: Any, field: str) -> List[Problem]:
    """Check words that the CRD leaves open, and that the operator takes for something else without a word."""
    words = _WORDS.get(key)
    if not words or value is None or value in words:
        return []
    near = {word.lower(): word for word in words}.get(str(value).lower())
    way_out = f"Write it {near}" if near else "Use one of them"
    return [Problem(field, shown(value), f"must be one of {', '.join(words)}", way_out)]


def _place(kind: OperatorJob, key: str) -> str:
    """Say where a known key stands that was found elsewhere."""
    types = {word.lower(): word for word in kind.types}
    if key in _RUN_POLICY:
        return f"Move it to spec.runPolicy.{key}"
    if key in _SPEC[kind.kind]:
        return f"Move it to spec.{key}"
    if key in _REPLICA:
        return f"Move it into a replica type, such as spec.{kind.replica_specs}.Worker.{key}"
    if key.lower() in types:
        return f"Move it to spec.{kind.replica_specs}.{types[key.lower()]}"
    if key in fields(POD_SPEC):
        return f"Move it into the template of a replica type, as spec.{key}"
    return ""


def _near(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, 1, 0.7)
    return f"Write it {near[0]}" if near else f"Leave it out; there are {', '.join(known)}"
