# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with each option of a pod by itself, native pieces included. Pure."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Tuple

from .._common.problem import Problem, shown
from .._kube.image_name import image_rule
from .._kube.names import annotation_map, env_name, label_map, node_name, qualified, subdomain
from .checks import MISPLACED
from .schema import CONTAINER, TEMPLATE, check_form, typed
from .values import VALUES

Options = Mapping[str, Any]
Where = Callable[[str], str]

# In the options of one replica type: which of them are its own. A common one is reported once, by its own name.
OWN = "_own"

# Set by who makes the pods, to find them again.
_RESERVED = ("training.kubeflow.org/", "trainyard.mlstack/", "volcano.sh/job-", "volcano.sh/task-")
_LISTS = {
    "volumes": "Volume",
    "volume_mounts": "VolumeMount",
    "init_containers": CONTAINER,
    "tolerations": "Toleration",
    "env_from": "EnvFromSource",
    "ports": "ContainerPort",
}
_OBJECTS = {
    "affinity": "Affinity",
    "security_context": "PodSecurityContext",
    "container_security_context": "SecurityContext",
}


def without_none(value: Any) -> Any:
    """Return a native value without the keys that were left empty: the server's strict validation takes no null."""
    if isinstance(value, Mapping):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value if item is not None]
    return value


def _labels(values: Mapping[Any, Any]) -> str:
    reserved = [str(key) for key in values if str(key).startswith(_RESERVED)]
    return f"key {reserved[0]} is set by who makes the pods" if reserved else label_map(values)


def _device(name: str) -> str:
    return qualified(name) or ("" if "/" in name else "must have a domain, such as nvidia.com/gpu")


_RULES: Dict[str, Callable[[Any], str]] = {
    "image": image_rule,
    "gpu_resource": _device,
    "node": node_name,
    "node_selector": label_map,
    "pod_annotations": annotation_map,
    "pod_labels": _labels,
    "priority_class": subdomain,
    "service_account_name": subdomain,
}
_SHARED = {
    "claim": subdomain,
    "mount_path": VALUES["VolumeMount.mountPath"],
    "sub_path": VALUES["VolumeMount.subPath"],
}


def place_of(options: Options, field: str) -> Where:
    """Return how problems name an option of a replica type: what is common to all types is wrong once."""
    own = options.get(OWN)
    return lambda option: f"{field}.{option}" if own is None or option in own else option


def check_pieces(options: Options, field: str) -> Tuple[Dict[str, Any], List[Problem]]:
    """Return a copy of the options without what is broken, so that the rest can be checked, and what is wrong.

    options: of one replica type. field: how a problem names it. The template comes back as None when it is broken.
    """
    sound, where = dict(options), place_of(options, field)
    problems: List[Problem] = []
    for option, rule in _RULES.items():
        value = options.get(option)
        broken = rule(value) if value else ""
        if broken:
            problems.append(Problem(where(option), shown(value), broken, "Correct it"))
    for index, secret in enumerate(options.get("image_pull_secrets") or []):
        if subdomain(secret):
            problems.append(Problem(f"{where('image_pull_secrets')}[{index}]", secret, subdomain(secret), "Correct it"))
    for index, shared in enumerate(options.get("shared_volumes") or []):
        problems += [
            Problem(f"{where('shared_volumes')}[{index}].{key}", shared[key], rule(shared[key]), "Correct it")
            for key, rule in _SHARED.items()
            if shared.get(key) is not None and rule(shared[key])
        ]
    problems += _natives(options, sound, where) + _env(options, sound, where)
    return sound, problems


def _natives(options: Options, sound: Dict[str, Any], where: Where) -> List[Problem]:
    """Check native pieces; leave in `sound` those that can be built on."""
    problems: List[Problem] = []
    for option, kind in _LISTS.items():
        kept: List[Any] = []
        for index, item in enumerate(typed(without_none(options.get(option) or []), f"[{kind}]")):
            found = check_form(_unresourced(item) if kind == CONTAINER else item, kind, f"{where(option)}[{index}]")
            problems += found
            if not found:
                kept.append(item)
            elif kind == "Volume" and isinstance(item, Mapping) and isinstance(item.get("name"), str):
                # Whoever mounts it must not be told that it is not there.
                kept.append({"name": item["name"], "emptyDir": {}})
        sound[option] = kept
    for option, kind in _OBJECTS.items():
        sound[option] = typed(without_none(options.get(option)), kind)
        found = check_form(sound[option], kind, where(option)) if sound[option] else []
        problems += found
        sound[option] = None if found else sound[option]
    sound["template"] = typed(without_none(options.get("template") or {}), TEMPLATE)
    found = check_native_template(sound["template"], where("template"))
    sound["template"] = None if found else sound["template"]
    return problems + found


def _env(options: Options, sound: Dict[str, Any], where: Where) -> List[Problem]:
    problems: List[Problem] = []
    sound["env"] = {}
    for name, value in (options.get("env") or {}).items():
        place = f"{where('env')}.{name}"
        broken = env_name(str(name))
        found = [Problem(where("env"), str(name), broken, "Rename the variable")] if broken else []
        if isinstance(value, Mapping):
            value = typed(without_none(value), "EnvVarSource")
            found += check_form(value, "EnvVarSource", place)
        elif isinstance(value, list):
            found.append(Problem(place, "a list", "must be text, a number, true or false", "Join it to one text"))
        problems += found
        if not found:
            sound["env"][name] = value
    return problems


def check_native_template(template: Any, field: str) -> List[Problem]:
    """Return what is wrong with the form of a native pod template, but for what `check_template` says.

    Its containers may be left out.
    """
    spec = template.get("spec") if isinstance(template, Mapping) else None
    if isinstance(spec, Mapping):
        parts = {key: _unresourced_all(spec[key]) for key in ("containers", "initContainers") if key in spec}
        rest = {key: value for key, value in spec.items() if key not in MISPLACED}
        template = {**template, "spec": {**rest, **parts}}
        if not spec.get("containers"):
            # The container that trains is made from the options.
            template["spec"]["containers"] = [{"name": "main"}]
    return check_form(template, TEMPLATE, field)


def _unresourced_all(containers: Any) -> Any:
    return [_unresourced(item) for item in containers] if isinstance(containers, list) else containers


def _unresourced(container: Any) -> Any:
    """Return a container without its resources, whose rules are their own."""
    if not isinstance(container, Mapping):
        return container
    return {key: value for key, value in container.items() if key != "resources"}
