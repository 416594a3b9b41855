# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the options of one replica type to its pod template. Pure.

Serves every kind of job: the name of the main container is handed in.
"""

from __future__ import annotations

import copy
import json
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .._common.problem import Problem
from .._kube.resource import Manifest
from .checks import check_resizing, check_shared_memory, check_spec, check_template
from .old_forms import check_old_pod
from .pieces import OWN, check_native_template, check_pieces, place_of
from .ports import name_ports
from .resources import are_resources, check_pod_resources, normal
from .volumes import add_shared_volumes

Options = Mapping[str, Any]

DEFAULT_GPU_RESOURCE = "nvidia.com/gpu"
NODE_NAME_LABEL = "kubernetes.io/hostname"
INJECTION = "sidecar.istio.io/inject"
SHM_VOLUME, SHM_PATH = "shared-memory", "/dev/shm"

# Given for one replica type they add to the common ones; every other option replaces the common one.
MERGED = ("env", "pod_labels", "pod_annotations", "node_selector")


def pod_options() -> Dict[str, Any]:
    """Return the argument spec of the options that shape a pod: for all replica types, and again in each of them."""
    native_list: Dict[str, Any] = {"type": "list", "elements": "dict"}
    return {
        "image": {"type": "str"},
        "image_pull_policy": {"type": "str", "choices": ["Always", "IfNotPresent", "Never"]},
        "image_pull_secrets": {"type": "list", "elements": "str", "no_log": False},
        "command": {"type": "list", "elements": "str"},
        "args": {"type": "list", "elements": "str"},
        "working_dir": {"type": "str"},
        "env": {"type": "dict"},
        "env_from": native_list,
        "ports": native_list,
        "resources": {"type": "dict"},
        "gpus": {"type": "int"},
        "gpu_resource": {"type": "str"},
        "shm_size": {"type": "str"},
        "shared_volumes": {
            "type": "list",
            "elements": "dict",
            "options": {
                "claim": {"type": "str", "required": True},
                "mount_path": {"type": "str", "required": True},
                "sub_path": {"type": "str"},
                "read_only": {"type": "bool", "default": False},
            },
        },
        "volumes": native_list,
        "volume_mounts": native_list,
        "init_containers": native_list,
        "node": {"type": "str"},
        "node_selector": {"type": "dict"},
        "affinity": {"type": "dict"},
        "tolerations": native_list,
        "priority_class": {"type": "str"},
        "service_account_name": {"type": "str"},
        "security_context": {"type": "dict"},
        "container_security_context": {"type": "dict"},
        "pod_labels": {"type": "dict"},
        "pod_annotations": {"type": "dict"},
        "restart_policy": {"type": "str", "choices": ["Never", "OnFailure", "Always", "ExitCode"]},
        "spread": {"type": "bool"},
        "template": {"type": "dict"},
    }


def merged(common: Options, own: Options) -> Dict[str, Any]:
    """Return the options of one replica type: its own before the common ones."""
    result: Dict[str, Any] = {}
    for name in pod_options():
        if name in MERGED:
            result[name] = {**(common.get(name) or {}), **(own.get(name) or {})}
        else:
            result[name] = own[name] if own.get(name) is not None else common.get(name)
    result[OWN] = [name for name in result if own.get(name) is not None]
    return result


def text(value: Any) -> str:
    """Return a value as Kubernetes wants it where only text is allowed: a boolean as true, not as True."""
    return value if isinstance(value, str) else json.dumps(value)


def texts(values: Optional[Mapping[Any, Any]]) -> Dict[str, str]:
    """Return a map of labels, annotations or the like, keys and values as text."""
    return {str(key): text(value) for key, value in (values or {}).items() if value is not None}


def given(**values: Any) -> Dict[str, Any]:
    """Return the entries that say something."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def main_container(options: Options, name: str) -> Mapping[str, Any]:
    """Return the container that trains, of the user's own template; empty when there is none. name: of the container.

    options: of one replica type, as `merged` returns them. The template may have any form yet.
    """
    spec = (options.get("template") or {}).get("spec")
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    items = containers if isinstance(containers, list) else []
    found = [item for item in items if isinstance(item, Mapping) and item.get("name") == name]
    return found[0] if found else {}


def command_given(options: Options, name: str) -> Tuple[List[str], List[str]]:
    """Return the command that is given for that container, and its arguments: by option, else in the template."""
    main = main_container(options, name)
    command, arguments = (options.get(key) or main.get(key) for key in ("command", "args"))
    return _words(command), _words(arguments)


def _words(value: Any) -> List[str]:
    """Return a list of words as it stands; nothing for what is none, which is refused with the template."""
    return [str(part) for part in value] if isinstance(value, list) else []


def build(options: Options, field: str, main: str, spread_labels: Mapping[str, str]) -> Tuple[Manifest, List[Problem]]:
    """Return the pod template and what is wrong with it.

    options: of one replica type, as `merged` returns them. field: how a problem names them. main: name of the
    container that the operator looks for. spread_labels: labels that all pods of the job carry.
    """
    given_template, where = options.get("template") or {}, place_of(options, field)
    options, problems = check_pieces(options, field)
    sound = options["template"] is not None
    problems += check_template(given_template, where("template"), main)
    template: Manifest = options["template"] or {}
    spec = template.setdefault("spec", {})
    containers = spec["containers"] = spec.get("containers") or [{"name": main}]
    container = next((item for item in containers if item.get("name") == main), None)
    if container is None:
        return {}, problems
    _fill_container(container, options)
    problems += _add_gpus(container, options, where("gpus"))
    _fill_spec(spec, options, spread_labels)
    problems += _pin(spec, options, where("node"))
    add_shared_volumes(spec, container, options.get("shared_volumes") or [])
    problems += _add_shared_memory(spec, container, options, where("shm_size"))
    for item in [*containers, *(spec.get("initContainers") or [])]:
        resources, found = normal(item.pop("resources", None) or {}, f"{field}: container {item.get('name')}.resources")
        problems += found
        item.update(given(resources=resources))
    _fill_metadata(template, options)
    name_ports(container)
    problems += check_old_pod(template, f"{field}: pod")
    problems += check_pod_resources(spec, f"{where('template')}.spec.resources")
    if options.get("restart_policy") not in ("OnFailure", "Always"):
        problems += check_resizing([*containers, *(spec.get("initContainers") or [])], field)
    # Without the broken template much would seem to be missing.
    problems += check_spec(spec, field) if sound else []
    # What only shows when all pieces are together.
    return template, problems or check_native_template(template, f"{field}: pod")


def _fill_metadata(template: Manifest, options: Options) -> None:
    metadata = template.get("metadata") or {}
    labels = {**texts(metadata.get("labels")), **texts(options.get("pod_labels"))}
    # With a sidecar a job never ends: the proxy outlives the training.
    annotations = {INJECTION: "false", **texts(metadata.get("annotations")), **texts(options.get("pod_annotations"))}
    template["metadata"] = {**metadata, **given(labels=labels, annotations=annotations)}


def _fill_container(container: Dict[str, Any], options: Options) -> None:
    container.update(
        given(
            image=options.get("image"),
            imagePullPolicy=options.get("image_pull_policy"),
            command=options.get("command"),
            args=options.get("args"),
            workingDir=options.get("working_dir"),
            securityContext=options.get("container_security_context"),
            resources=copy.deepcopy(options.get("resources")),
        )
    )
    env = _env(options.get("env") or {})
    names = {entry["name"] for entry in env}
    env = [entry for entry in container.get("env") or [] if entry.get("name") not in names] + env
    mounts = [*(container.get("volumeMounts") or []), *(options.get("volume_mounts") or [])]
    container.update(
        given(
            env=env,
            volumeMounts=mounts,
            envFrom=[*(container.get("envFrom") or []), *(options.get("env_from") or [])],
            ports=[*(container.get("ports") or []), *(options.get("ports") or [])],
        )
    )


def _env(values: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """Return environment variables; a mapping as value is where the value comes from."""
    return [
        {
            "name": str(name),
            **({"valueFrom": value} if isinstance(value, Mapping) else {"value": text(value)}),
        }
        for name, value in values.items()
        if value is not None
    ]


def _add_gpus(container: Dict[str, Any], options: Options, field: str) -> List[Problem]:
    gpus, name = options.get("gpus"), options.get("gpu_resource") or DEFAULT_GPU_RESOURCE
    if gpus is None:
        return []
    resources = container.get("resources") or {}
    if not are_resources(resources):
        return []  # said with the resources
    if any(name in (resources.get(part) or {}) for part in ("requests", "limits")):
        return [Problem(field, str(gpus), f"resources names {name} too", "Give the GPUs in one of the two")]
    container["resources"] = {**resources, "limits": {**(resources.get("limits") or {}), name: gpus}}
    return []


def _add_shared_memory(spec: Manifest, container: Dict[str, Any], options: Options, field: str) -> List[Problem]:
    size = options.get("shm_size")
    if not size:
        return []
    if any(mount.get("mountPath") == SHM_PATH for mount in container.get("volumeMounts") or []):
        return [Problem(field, size, f"a volume is mounted at {SHM_PATH} already", "Drop one of the two")]
    volume = {"name": SHM_VOLUME, "emptyDir": {"medium": "Memory", "sizeLimit": size}}
    spec["volumes"] = [*(spec.get("volumes") or []), volume]
    container["volumeMounts"] = [*(container.get("volumeMounts") or []), {"name": SHM_VOLUME, "mountPath": SHM_PATH}]
    resources = container.get("resources") or {}
    return check_shared_memory(size, resources if are_resources(resources) else {}, field)


def _fill_spec(spec: Manifest, options: Options, spread_labels: Mapping[str, str]) -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": NODE_NAME_LABEL,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": dict(spread_labels)},
    }
    given_secrets = spec.get("imagePullSecrets") or []
    secrets = [{"name": name} for name in dict.fromkeys(options.get("image_pull_secrets") or [])]
    constraints = [constraint] if options.get("spread") else []
    spec.update(
        given(
            initContainers=[*(spec.get("initContainers") or []), *(options.get("init_containers") or [])],
            volumes=[*(spec.get("volumes") or []), *(options.get("volumes") or [])],
            nodeSelector={**texts(spec.get("nodeSelector")), **texts(options.get("node_selector"))},
            affinity=options.get("affinity"),
            tolerations=[*(spec.get("tolerations") or []), *(options.get("tolerations") or [])],
            priorityClassName=options.get("priority_class"),
            serviceAccountName=options.get("service_account_name"),
            securityContext=options.get("security_context"),
            imagePullSecrets=[*given_secrets, *(secret for secret in secrets if secret not in given_secrets)],
            topologySpreadConstraints=[*(spec.get("topologySpreadConstraints") or []), *constraints],
        )
    )


def _pin(spec: Manifest, options: Options, field: str) -> List[Problem]:
    """Bind the pods to one node by a label that each node carries: nodeName would pass the scheduler by."""
    node, selector = options.get("node"), spec.get("nodeSelector") or {}
    if not node:
        return []
    if selector.get(NODE_NAME_LABEL, node) != node:
        rule = f"node_selector wants {selector[NODE_NAME_LABEL]} by the label {NODE_NAME_LABEL}"
        return [Problem(field, node, rule, "Name the node in one of the two")]
    spec["nodeSelector"] = {**selector, NODE_NAME_LABEL: node}
    return []
