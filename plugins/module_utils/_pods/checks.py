# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a pod template before it is sent, as far as its parts do not say it by themselves. Pure."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Sequence, Set

from .._common.problem import Problem
from .._kube.quantity import parse
from .._kube.resource import Manifest
from .ports import check_ports
from .resources import check_huge_page_volumes

Container = Dict[str, Any]

# Fields of a pod's spec that have no place in a template: why not, and the way out.
_ELSEWHERE = {
    "restartPolicy": (
        "the operator sets it on the pods",
        "Give it as restart policy of the replica type instead; ExitCode exists only there",
    ),
    "priority": ("is computed from the class, and a pod that names another one is refused", "Give priority_class"),
    "preemptionPolicy": (
        "is what the PriorityClass says, and a pod that names another one is refused",
        "Drop it, and give priority_class: a class has a preemptionPolicy of its own",
    ),
    "overhead": (
        "is what the RuntimeClass says, and a pod that says it by itself is refused",
        "Drop it, and name the class in runtimeClassName",
    ),
}
MISPLACED = tuple(_ELSEWHERE)


def check_template(template: Manifest, field: str, main: str) -> List[Problem]:
    """Return what belongs elsewhere in a native template, and whether its main container is missing.

    Its form may be broken, which is said elsewhere.
    """
    spec = template.get("spec") if isinstance(template, Mapping) else None
    spec = spec if isinstance(spec, Mapping) else {}
    problems = [Problem(f"{field}.spec.{key}", str(spec[key]), *_ELSEWHERE[key]) for key in MISPLACED if key in spec]
    containers = spec.get("containers")
    items = containers if isinstance(containers, list) else []
    names = [str(item.get("name")) for item in items if isinstance(item, Mapping)]
    if names and main not in names:
        way_out = f"Name the container that trains {main}: the operator and the logs look for this name"
        problems.append(Problem(f"{field}.spec.containers", ", ".join(names), f"one must be named {main}", way_out))
    return problems


def check_spec(spec: Manifest, field: str) -> List[Problem]:
    """Return what is wrong with a whole pod spec whose parts have a sound form."""
    containers = [*spec["containers"], *(spec.get("initContainers") or [])]
    problems = list(_names(containers, f"{field}: container name", "containers"))
    volumes = spec.get("volumes") or []
    problems += _names(volumes, f"{field}.volumes", "volumes")
    claims = {str(item["name"]) for item in spec.get("resourceClaims") or []}
    for container in containers:
        place = f"{field}: container {container.get('name')}"
        if not container.get("image"):
            problems.append(
                Problem(f"{place}.image", "", "must be given", "Set image for all replicas or for this one")
            )
        problems += _mounts(container, {str(volume["name"]): volume for volume in volumes}, place)
        problems += check_ports(container, place)
        for claim in (container.get("resources") or {}).get("claims") or []:
            if str(claim.get("name")) not in claims:
                rule, way_out = "no resource claim has this name", "Add it to resourceClaims of the pod's spec"
                problems.append(Problem(f"{place}.resources.claims", str(claim.get("name")), rule, way_out))
        problems += _files(container, volumes, place)
    problems += _restarts(spec, field) + list(_host_ports(spec, field))
    return problems + check_huge_page_volumes(containers, volumes, field)


def _names(items: Sequence[Mapping[str, Any]], field: str, what: str) -> Iterator[Problem]:
    seen: Set[str] = set()
    for item in items:
        name = str(item.get("name"))
        if name in seen:
            yield Problem(field, name, f"two {what} have this name", "Rename one of them")
        seen.add(name)


def _mounts(container: Container, volumes: Mapping[str, Mapping[str, Any]], field: str) -> Iterator[Problem]:
    places: Set[str] = set()
    for part, key in (("volumeMounts", "mountPath"), ("volumeDevices", "devicePath")):
        for mount in container.get(part) or []:
            name, path = str(mount["name"]), str(mount[key])
            # The runtime takes /data and /data/ for one folder.
            place = path.rstrip("/") or "/"
            if name not in volumes:
                yield Problem(f"{field}.{part}", name, "no volume has this name", "Add it to volumes")
            elif part == "volumeDevices" and not {"persistentVolumeClaim", "ephemeral"} & set(volumes[name]):
                yield Problem(f"{field}.{part}", name, "only a claim can be a device", "Mount it in volumeMounts")
            if place in places:
                yield Problem(f"{field}.{part}", path, "two volumes are mounted here", f"Change one {key}")
            places.add(place)
            privileged = (container.get("securityContext") or {}).get("privileged")
            if mount.get("mountPropagation") == "Bidirectional" and not privileged:
                rule = "mountPropagation Bidirectional is for privileged containers only"
                yield Problem(f"{field}.{part}", path, rule, "Use HostToContainer")


def _files(container: Container, volumes: Sequence[Mapping[str, Any]], field: str) -> Iterator[Problem]:
    """Check variables that are read from a file: it lies in an emptyDir that another container fills."""
    scratch = [volume["name"] for volume in volumes if "emptyDir" in volume]
    for entry in container.get("env") or []:
        name = ((entry.get("valueFrom") or {}).get("fileKeyRef") or {}).get("volumeName")
        if name is not None and name not in scratch:
            place = f"{field}.env {entry.get('name')}"
            yield Problem(place, str(name), "no emptyDir volume has this name", "Add it to volumes")


def _restarts(spec: Manifest, field: str) -> List[Problem]:
    """Check what containers say about being started again, which is the replica type's to say."""
    problems: List[Problem] = []
    for container in spec["containers"]:
        if "restartPolicy" in container:
            place = f"{field}: container {container['name']}.restartPolicy"
            way_out = "Give it as restart policy of the replica type instead"
            rule = "a container beside others has none of its own"
            problems.append(Problem(place, str(container["restartPolicy"]), rule, way_out))
    for container in spec.get("initContainers") or []:
        place = f"{field}: container {container['name']}"
        policy = container.get("restartPolicy")
        if policy not in (None, "Always"):
            rule, way_out = "an init container has Always, which makes it a sidecar, or none", "Leave it out"
            problems.append(Problem(f"{place}.restartPolicy", str(policy), rule, way_out))
        probes = [key for key in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe") if key in container]
        if probes and policy != "Always":
            rule = "an init container that ends has none of them"
            problems.append(Problem(place, ", ".join(probes), rule, "Drop them, or set its restartPolicy: Always"))
        resized = [
            item for item in container.get("resizePolicy") or [] if item.get("restartPolicy") == "RestartContainer"
        ]
        if resized and policy != "Always":
            rule, way_out = "an init container that ends is not restarted for it", "Use NotRequired"
            problems.append(Problem(f"{place}.resizePolicy", "RestartContainer", rule, way_out))
    return problems


def check_resizing(containers: Sequence[Mapping[str, Any]], field: str) -> List[Problem]:
    """Return what is wrong with how containers are resized in a pod that is not restarted."""
    return [
        Problem(
            f"{field}: container {container['name']}.resizePolicy",
            "RestartContainer",
            "restart policy Never restarts nothing",
            "Use NotRequired, or restart policy OnFailure",
        )
        for container in containers
        if any(item.get("restartPolicy") == "RestartContainer" for item in container.get("resizePolicy") or [])
    ]


def _host_ports(spec: Manifest, field: str) -> Iterator[Problem]:
    """Two containers of a pod cannot take one port of their node."""
    taken: Set[Any] = set()
    for container in spec["containers"]:
        for port in container.get("ports") or []:
            number = port.get("hostPort") or (port["containerPort"] if spec.get("hostNetwork") else 0)
            place = f"{field}: container {container['name']}.ports"
            if not number:
                continue
            if spec.get("hostNetwork") and number != port["containerPort"]:
                rule = "must be the containerPort with hostNetwork"
                yield Problem(f"{place}.hostPort", str(number), rule, "Leave hostPort out")
            key = (number, port.get("protocol", "TCP"), port.get("hostIP", ""))
            if key in taken:
                yield Problem(f"{place}.hostPort", str(number), "two ports of the pod take it", "Change one of them")
            taken.add(key)


def check_shared_memory(size: str, resources: Mapping[str, Any], field: str) -> List[Problem]:
    """Return what is wrong with the size of /dev/shm: what is in it counts against the container's memory limit."""
    try:
        amount = parse(size)
    except ValueError:
        return [Problem(field, size, "must be a quantity", 'Write for example "8Gi"')]
    if amount <= 0:
        return [Problem(field, size, "must be above 0", "Leave it out for the 64Mi of the runtime")]
    try:
        limit = parse((resources.get("limits") or {})["memory"])
    except (KeyError, ValueError):
        return []  # no limit, or one that is reported with the resources
    if amount <= limit:
        return []
    rule = f"is above the memory limit {resources['limits']['memory']}, against which it counts"
    return [Problem(field, size, rule, "Raise the limit")]
