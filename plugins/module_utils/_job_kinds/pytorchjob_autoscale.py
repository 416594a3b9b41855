# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics by which a job's workers are scaled: of the operator's autoscaler, in Kubernetes' own form. Pure.

The operator makes a HorizontalPodAutoscaler of them. When the server refuses it the job never starts, and only the
operator's log says why; so what autoscaling/v2 asks for is asked for here.
"""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._kube.quantity import parse
from .._kube.resource import Manifest

# The keys on the way to a value.
Path = Tuple[str, ...]

# Type of a metric: the key that holds it, what must stand there beside the target, and how the target may be given.
_SOURCES = {
    "Resource": ("resource", ("name",), ("averageUtilization", "averageValue")),
    "ContainerResource": ("containerResource", ("name", "container"), ("averageUtilization", "averageValue")),
    "Pods": ("pods", ("metric",), ("averageValue",)),
    "Object": ("object", ("describedObject", "metric"), ("value", "averageValue")),
    "External": ("external", ("metric",), ("value", "averageValue")),
}
_TARGETS = {"averageUtilization": "Utilization", "averageValue": "AverageValue", "value": "Value"}
_UTILIZATION = "averageUtilization"
_MOST = 2**31 - 1
# Keys of the mappings inside a metric: (allowed, needed).
_INSIDE = {
    "metric": (("name", "selector"), ("name",)),
    "describedObject": (("apiVersion", "kind", "name"), ("kind", "name")),
}
_EXAMPLE = (
    "Write for example {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}"
)


def check_metrics(metrics: List[Any], field: str) -> List[Problem]:
    """Return what is wrong with the metrics."""
    problems: List[Problem] = []
    for index, metric in enumerate(metrics):
        where = f"{field}[{index}]"
        for path, value, rule in _wrong(metric):
            problems.append(Problem(f"{where}{path}", _shown(value), rule, _EXAMPLE))
    return problems


def _wrong(metric: Any) -> List[Tuple[str, Any, str]]:
    """Return (path below the metric, value, rule) of what is wrong with it."""
    kind = metric.get("type") if isinstance(metric, Mapping) else None
    if not isinstance(kind, str) or kind not in _SOURCES:
        return [(".type", kind, f"must be one of {', '.join(_SOURCES)}")]
    key, needed, targets = _SOURCES[kind]
    found = _keys("", metric, ("type", key), (key,))
    if found:
        return found
    source = metric[key]
    found = _keys(f".{key}", source, (*needed, "target"), (*needed, "target"))
    if found:
        return found
    for name in needed:
        if name in _INSIDE:
            found += _keys(f".{key}.{name}", source[name], *_INSIDE[name])
        elif not isinstance(source[name], str):
            found.append((f".{key}.{name}", source[name], "must be a name"))
    return found + _target(f".{key}.target", source["target"], targets)


def _keys(path: str, value: Any, allowed: Tuple[str, ...], needed: Tuple[str, ...]) -> List[Tuple[str, Any, str]]:
    if not isinstance(value, Mapping):
        return [(path, value, f"must be a mapping of {', '.join(allowed)}")]
    unknown = [
        (f"{path}.{key}", value[key], f"is unknown; {', '.join(allowed)} may stand here")
        for key in value
        if key not in allowed
    ]
    missing = [(f"{path}.{key}", value.get(key), "must be given") for key in needed if value.get(key) in (None, "")]
    return unknown + missing


def _target(path: str, target: Any, amounts: Tuple[str, ...]) -> List[Tuple[str, Any, str]]:
    found = _keys(path, target, ("type", *amounts), ("type",))
    if found:
        return found
    chosen = [name for name in amounts if target.get(name) is not None]
    if len(chosen) != 1:
        return [(path, dict(target), f"needs {' or '.join(amounts)}" + (", not both" if chosen else ""))]
    (name,) = chosen
    if target["type"] != _TARGETS[name]:
        return [(f"{path}.type", target["type"], f"must be {_TARGETS[name]} beside {name}")]
    if not _positive(target[name], whole=name == _UTILIZATION):
        return [
            (
                f"{path}.{name}",
                target[name],
                "must be a whole number from 1" if name == _UTILIZATION else "must be a quantity above 0",
            )
        ]
    return []


def _positive(value: Any, whole: bool) -> bool:
    if whole:
        return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST
    try:
        return parse(value) > 0
    except ValueError:
        return False


def without_request(metrics: List[Manifest], spec: Manifest) -> List[str]:
    """Return a sentence for each share of a request that is to be watched where pods request nothing.

    metrics: without problems. spec: of the workers' pods.
    """
    notes: List[str] = []
    for index, metric in enumerate(metrics):
        source: Dict[str, Any] = metric[_SOURCES[metric["type"]][0]]
        if _UTILIZATION not in source["target"]:
            continue
        for container in spec["containers"]:
            resources = container.get("resources") or {}
            requested = any(source["name"] in (resources.get(part) or {}) for part in ("requests", "limits"))
            if not requested and source.get("container", container["name"]) == container["name"]:
                notes.append(
                    f"elastic.metrics[{index}] watches a share of the requested {source['name']}, and container"
                    f" {container['name']} of the workers requests none: the number of workers will stay as it is"
                )
    return notes


def _shown(value: Any) -> str:
    return repr(value)[:80]


def keep_scaled(wanted: Manifest, scaled: Sequence[Path], live: Optional[Manifest], manager: str) -> Manifest:
    """Return a job's root as it is to be applied over the live one. manager: the name under which we apply.

    A number that we alone own must be sent, or the server takes it away; and it must be the live one. Once the
    autoscaler has written it, it is the autoscaler's: not sent, so that it cannot be set back between read and write.
    """
    if live is None or not scaled:
        return wanted
    root = copy.deepcopy(wanted)
    for path in scaled:
        place, current = _inside(root, path[:-1]), _inside(live, path)
        if place is None or current is None:
            continue
        if _owns(live, manager, path):
            place[path[-1]] = current
        else:
            place.pop(path[-1], None)
    return root


def _inside(tree: Any, path: Path) -> Any:
    """Return what stands at a path, None when nothing does."""
    for key in path:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def _owns(live: Manifest, manager: str, path: Path) -> bool:
    """Return True if a manager has applied the field."""
    keys = tuple(f"f:{key}" for key in path)
    return any(
        entry.get("manager") == manager
        and entry.get("operation") == "Apply"
        and _inside(entry.get("fieldsV1"), keys) is not None
        for entry in (live.get("metadata") or {}).get("managedFields") or []
    )
