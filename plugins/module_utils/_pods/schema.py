# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a native piece of a pod has the form that the API server takes: its fields, their types, their words. Pure.

The API server would refuse what is found here, some of it not before the operator makes the pod.
"""

from __future__ import annotations

import difflib
import json
import re
from functools import lru_cache
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Set, Tuple

from .._common.problem import Problem, shown
from .._kube.quantity import is_quantity
from .objects import OBJECTS
from .schema_data import SCHEMA
from .values import VALUES

TEMPLATE, POD_SPEC, CONTAINER = "PodTemplateSpec", "PodSpec", "Container"

_WORDS = {
    "str": "text",
    "bool": "true or false",
    "int32": "a whole number",
    "int64": "a whole number",
    "intstr": "a whole number or text",
    "quantity": "a quantity",
}
_BITS = {"int32": 31, "int64": 63, "intstr": 31}
_ENDED_DRIVERS = (
    "cephfs",
    "flocker",
    "gitRepo",
    "glusterfs",
    "photonPersistentDisk",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
)
# What was found sound, as text: the jobs of a list have most of their pods' pieces in common.
_SOUND: Set[Tuple[str, str]] = set()
# These may be empty text though they must be given.
_MAY_BE_EMPTY = ("HTTPHeader.value", "Sysctl.value")


class Field(NamedTuple):
    """A field of a type. kind: its type in the words of the schema."""

    kind: str
    needed: bool


@lru_cache(maxsize=None)
def _types() -> Dict[str, Dict[str, Field]]:
    types: Dict[str, Dict[str, Field]] = {}
    # A line that begins with a blank goes on with the one before; a long list of words is broken after its |.
    for line in re.sub(r"\n +", " ", SCHEMA).replace("| ", "|").strip().splitlines():
        name, *words = line.split(" ")
        types[name] = {}
        for word in words:
            key, _colon, kind = word.partition(":")
            types[name][key.rstrip("!")] = Field(kind or "str", key.endswith("!"))
    return types


def fields(kind: str) -> List[str]:
    """Return the names of the fields of a type."""
    return list(_types()[kind])


def typed(value: Any, kind: str) -> Any:
    """Return a copy of a native value in which numbers are text where text is wanted, and the other way round.

    What a template in a playbook yields is a number or text as it comes; the server takes only what its field says.
    """
    if isinstance(value, list):
        inner = kind[1:-1].partition("/")[0] if kind.startswith("[") else "any"
        return [typed(item, inner) for item in value]
    if isinstance(value, dict):
        if kind.startswith("{"):
            return {str(key): typed(item, kind[1:-1]) for key, item in value.items()}
        known = _types().get(kind, {})
        return {key: typed(item, known[key].kind if key in known else "any") for key, item in value.items()}
    if kind == "str" and isinstance(value, (bool, int, float)):
        return json.dumps(value)
    # The server reads a number beyond 64 bits as a fraction, which it does not take; as text it does.
    if kind == "quantity" and (isinstance(value, float) or (isinstance(value, int) and abs(value) >= 2**63)):
        return str(value)
    if kind in ("int32", "int64") and isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value):
        return int(value)
    return value


def check_form(value: Any, kind: str, path: str) -> List[Problem]:
    """Return what is wrong with a native value. kind: its type, such as "[Volume]"; path: how problems name it."""
    key = (kind, repr(value))
    if key in _SOUND:
        return []
    problems = list(_check(value, kind, path, ""))
    if not problems:
        _SOUND.add(key)
    return problems


def _check(value: Any, kind: str, path: str, name: str) -> Iterator[Problem]:
    """name: of the field in the schema, such as Volume.name."""
    if kind.startswith("["):
        inner, _slash, keys = kind[1:-1].partition("/")
        if not isinstance(value, list):
            yield _problem(path, value, "must be a list", "Write each item after a -")
            return
        for index, item in enumerate(value):
            yield from _check(item, inner, f"{path}[{index}]", f"{name}[]")
        yield from _twice(value, keys, path)
    elif kind.startswith("{"):
        if not isinstance(value, dict):
            yield _problem(path, value, "must be a map", "Write key: value pairs")
            return
        for key, item in value.items():
            if item is not None:
                yield from _check(item, kind[1:-1], f"{path}.{key}", f"{name}{{}}")
    elif kind in _types():
        if not isinstance(value, dict):
            example = next((key for key, field in _types()[kind].items() if field.needed), fields(kind)[0])
            yield _problem(path, value, "must be a map", f"Write its fields, such as {example}")
            return
        yield from _object(value, kind, path)
    else:
        yield from _scalar(value, kind, path, name == "EnvVar.value")
    rule = VALUES.get(name)
    broken = rule(value) if rule and _is(value, kind) else ""
    if broken:
        yield _problem(path, value, broken, "Correct it")


def _object(value: Mapping[Any, Any], kind: str, path: str) -> Iterator[Problem]:
    known = _types()[kind]
    sound = True
    value = {key: item for key, item in value.items() if item is not None}
    for key, item in value.items():
        if key not in known:
            sound = False
            yield _problem(f"{path}.{key}", item, "there is no such field", _way_out(str(key), kind))
            continue
        for problem in _check(item, known[key].kind, f"{path}.{key}", f"{kind}.{key}"):
            sound = False
            yield problem
    for key, field in known.items():
        empty = value.get(key) == "" and f"{kind}.{key}" not in _MAY_BE_EMPTY
        if field.needed and (key not in value or empty):
            sound = False
            yield Problem(f"{path}.{key}", "" if empty else "nothing", "must be given", f"Give {key}")
    if sound and kind in OBJECTS:
        for rule, way_out in OBJECTS[kind](value):
            yield Problem(path, ", ".join(str(key) for key in value) or "an empty map", rule, way_out)


def _scalar(value: Any, kind: str, path: str, secret: bool) -> Iterator[Problem]:
    if not _is(value, kind):
        words = kind.split("|")
        if len(words) > 1 or kind not in _WORDS:
            allowed = ", ".join(word or '""' for word in words[:10]) + (", ..." if len(words) > 10 else "")
            near = difflib.get_close_matches(str(value), words, 1, 0.6)
            rule = f"must be {allowed}" if len(words) == 1 else f"must be one of {allowed}"
            yield _problem(path, value, rule, f"Write {near[0]}" if near else "Use one of them")
        elif isinstance(value, int) and not isinstance(value, bool) and kind in _BITS:
            yield _problem(path, value, f"must be below 2^{_BITS[kind]}", "Correct it")
        else:
            told = type(value).__name__ if secret else value
            yield _problem(path, told, f"must be {_WORDS[kind]}", _retype(value, kind))


def _is(value: Any, kind: str) -> bool:
    """Tell whether a value has a type. Python takes true for 1, Kubernetes does not."""
    if kind.startswith("["):
        return isinstance(value, list) and all(_is(item, kind[1:-1].partition("/")[0]) for item in value)
    if kind.startswith("{"):
        return isinstance(value, dict) and all(_is(item, kind[1:-1]) for item in value.values())
    if kind in _types():
        return isinstance(value, dict)
    if isinstance(value, bool):
        return kind in ("bool", "any")
    if isinstance(value, int):
        return kind == "quantity" or (kind in _BITS and -(2 ** _BITS[kind]) <= value < 2 ** _BITS[kind])
    if not isinstance(value, str):
        return kind == "any"
    if kind == "quantity":
        return is_quantity(value)
    return kind in ("str", "intstr", "any") or value in kind.split("|")


def _twice(items: List[Any], keys: str, path: str) -> Iterator[Problem]:
    """Find items that the server takes for one."""
    if not keys:
        return
    seen = set()
    for index, item in enumerate(items):
        names = keys.split(",")
        if keys == "*":
            key: Tuple[str, ...] = (str(item),)
        elif isinstance(item, dict):
            key = tuple(str(item.get(name, "TCP" if name == "protocol" else "")) for name in names)
        else:
            continue
        if key in seen:
            what = "item" if keys == "*" else " and ".join(names)
            rule = f"another item of the list has the same {what}"
            yield Problem(f"{path}[{index}]", ", ".join(key), rule, "Drop or rename one of them")
        seen.add(key)


def _way_out(key: str, kind: str) -> str:
    if kind == "Volume" and key in _ENDED_DRIVERS:
        return "Its driver ended: use a claim (persistentVolumeClaim) or csi"
    known = fields(kind)
    near = difflib.get_close_matches(key, known, 1, 0.7)
    same = [name for name in known if name.lower() == key.replace("_", "").lower()]
    if same or near:
        return f"Write {(same or near)[0]}"
    if kind == TEMPLATE:
        place = "spec" if key in fields(POD_SPEC) else ""
        return f"Move it to {place}.{key}" if place else "A pod template holds metadata and spec"
    if kind == POD_SPEC and key in fields(CONTAINER):
        return f"Move it into the container, as {key}"
    if kind == CONTAINER and key in fields(POD_SPEC):
        return f"Move it to the pod's spec, as {key}"
    return f"Leave it out; there are {', '.join(known[:8])}{' and others' if len(known) > 8 else ''}"


def _retype(value: Any, kind: str) -> str:
    """Say how YAML gives a value another type."""
    if kind == "str":
        return "Write it in quotes" if isinstance(value, (int, float, bool)) else "Write plain text"
    if kind == "quantity":
        return 'Write for example 2, "500m" or "4Gi"'
    if isinstance(value, str):
        return "Write it without quotes"
    return "Correct it"


def _problem(path: str, value: Any, rule: str, way_out: str) -> Problem:
    return Problem(path, shown(value), rule, way_out)
