# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a pod template before it is sent. Pure."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence, Set

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._quantity import parse
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest

# What the server accepts as the name of an environment variable (printable ASCII but "=").
_ENV_NAME = re.compile(r"[ -<>-~]+")
_CONTAINER_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def check_template(template: Manifest, field: str, main: str) -> List[Problem]:
    """Return what makes a native template unusable as a base."""
    problems: List[Problem] = []
    unknown = sorted(set(template) - {"metadata", "spec"})
    if unknown:
        rule = "a pod template holds metadata and spec"
        problems.append(Problem(field, ", ".join(map(str, unknown)), rule, "Move it under spec"))
    spec = template.get("spec", {})
    if not isinstance(spec, Mapping) or not isinstance(template.get("metadata", {}), Mapping):
        return [
            *problems,
            Problem(field, repr(template)[:60], "metadata and spec must be mappings", "Correct the template"),
        ]
    if "restartPolicy" in spec:
        way_out = "Give it as restart policy of the replica type instead; ExitCode exists only there"
        rule = "the operator sets it on the pods"
        problems.append(Problem(f"{field}.spec.restartPolicy", str(spec["restartPolicy"]), rule, way_out))
    for part in ("containers", "initContainers", "volumes"):
        if not _mappings(spec.get(part, [])):
            rule = "must be a list of mappings"
            return [*problems, Problem(f"{field}.spec.{part}", repr(spec[part])[:60], rule, "Correct the template")]
    names = [str(container.get("name")) for container in spec.get("containers", [])]
    if names and main not in names:
        way_out = f"Name the container that trains {main}: the operator and the logs look for this name"
        problems.append(Problem(f"{field}.spec.containers", ", ".join(names), f"one must be named {main}", way_out))
    return problems


def _mappings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) for item in value)


def check_spec(spec: Manifest, field: str) -> List[Problem]:
    """Return what is wrong with a whole pod spec."""
    containers = [*spec["containers"], *(spec.get("initContainers") or [])]
    problems = _check_names(containers, field)
    volumes: Set[str] = set()
    for volume in spec.get("volumes") or []:
        name = str(volume.get("name", ""))
        sources = [key for key in volume if key != "name"]
        if not name or len(sources) != 1:
            way_out = "Give for example {name: data, emptyDir: {}}"
            problems.append(
                Problem(f"{field}.volumes", repr(volume)[:80], "a volume has a name and one source", way_out)
            )
        elif name in volumes:
            problems.append(Problem(f"{field}.volumes", name, "two volumes have this name", "Rename one of them"))
        volumes.add(name)
    for container in containers:
        problems += _check_container(container, volumes, f"{field}: container {container.get('name')}")
    return problems


def _check_names(containers: Sequence[Dict[str, Any]], field: str) -> List[Problem]:
    problems: List[Problem] = []
    seen: Set[str] = set()
    for container in containers:
        name = str(container.get("name", ""))
        if not _CONTAINER_NAME.fullmatch(name):
            rule = "a container's name is lower-case letters, digits and -, at most 63"
            problems.append(Problem(f"{field}: container name", repr(name), rule, "Rename it"))
        elif name in seen:
            problems.append(
                Problem(f"{field}: container name", name, "two containers have this name", "Rename one of them")
            )
        seen.add(name)
    return problems


def _check_container(container: Dict[str, Any], volumes: Set[str], field: str) -> List[Problem]:
    problems: List[Problem] = []
    if not container.get("image"):
        problems.append(Problem(f"{field}.image", "", "must be given", "Set image for all replicas or for this one"))
    for entry in container.get("env") or []:
        if not isinstance(entry, Mapping) or not _ENV_NAME.fullmatch(str(entry.get("name", ""))):
            rule = "needs a name of printable ASCII characters without ="
            problems.append(Problem(f"{field}.env", repr(entry)[:60], rule, "Rename the variable"))
    paths: Set[str] = set()
    mounts = container.get("volumeMounts") or []
    for mount in mounts if _mappings(mounts) else [{"name": repr(mounts)}]:
        name, path = str(mount.get("name", "")), str(mount.get("mountPath", ""))
        if not name or not path:
            problems.append(
                Problem(f"{field}.volumeMounts", repr(mount)[:60], "needs name and mountPath", "Complete the mount")
            )
        elif name not in volumes:
            problems.append(Problem(f"{field}.volumeMounts", name, "no volume has this name", "Add it to volumes"))
        elif path in paths:
            problems.append(
                Problem(f"{field}.volumeMounts", path, "two volumes are mounted here", "Change one mountPath")
            )
        paths.add(path)
    return problems


def check_shared_memory(size: str, resources: Mapping[str, Any], field: str) -> List[Problem]:
    """Return what is wrong with the size of /dev/shm: what is in it counts against the container's memory limit."""
    try:
        amount = parse(size)
    except ValueError:
        return [Problem(f"{field}.shm_size", size, "must be a quantity", 'Write for example "8Gi"')]
    try:
        limit = parse((resources.get("limits") or {})["memory"])
    except (KeyError, ValueError):
        return []  # no limit, or one that is reported with the resources
    if amount <= limit:
        return []
    rule = f"is above the memory limit {resources['limits']['memory']}, against which it counts"
    return [Problem(f"{field}.shm_size", size, rule, "Raise the limit")]
