# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unknown and misplaced keys among a job's options, each with its right place. Pure.

AnsibleModule would name them, too, but not where they belong, and one level at a time.
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_keys_places import (
    NATIVE,
    OLD,
    OTHER_WORDS,
    TWOFOLD,
    TYPE_WORDS,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._pod_schema import CONTAINER, POD_SPEC, fields
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem

Spec = Mapping[str, Any]

# Native keys whose parts are told one by one.
_OPENED = ("metadata", "spec", "runPolicy", "schedulingPolicy")
_RULE = "there is no such option here"


def check_keys(raw: Mapping[str, Any], spec: Spec, kind: Optional[JobKind] = None) -> List[Problem]:
    """Return a problem for each key that no option has.

    raw: the module's arguments as they were given. spec: its argument spec. kind: of the job; None where a module
    takes several kinds.
    """
    return list(_Keys(spec, kind).level(raw, spec, ""))


class _Keys:
    """Walks through options. Knows where each option of the module stands."""

    def __init__(self, spec: Spec, kind: Optional[JobKind]) -> None:
        self._kind = kind
        self._places: Dict[str, List[str]] = {}
        for path, name in _walk(spec, ""):
            self._places.setdefault(name, []).append(path)
        self._all_types = [name for name in self._places if name[:1].isupper()]

    def level(self, raw: Mapping[Any, Any], spec: Spec, path: str) -> Iterator[Problem]:
        """Yield the problems of one mapping of options and of those below it."""
        known = {alias: name for name, option in spec.items() for alias in (name, *option.get("aliases", ()))}
        for key, value in raw.items():
            word = str(key) or "''"
            field = f"{path}.{word}" if path else word
            if word in known:
                yield from self._value(value, spec[known[word]], f"{path}.{known[word]}" if path else known[word])
            elif not word.startswith("_ansible_"):
                yield from self._unknown(word, value, field, list(spec), path)
        for name, option in spec.items():
            twice = [word for word in (name, *option.get("aliases", ())) if word in raw]
            if len(twice) > 1:
                rule = f"is {name} by another name, which is given too"
                yield Problem(
                    f"{path}.{twice[1]}" if path else twice[1], _short(raw[twice[1]]), rule, "Keep one of them"
                )

    def _value(self, value: Any, option: Spec, path: str) -> Iterator[Problem]:
        inner = option.get("options")
        if not inner:
            return
        if option.get("type") == "list":
            for index, item in enumerate(value if isinstance(value, list) else []):
                if isinstance(item, Mapping):
                    yield from self.level(item, inner, f"{path}[{index}]")
        elif isinstance(value, Mapping):
            yield from self.level(value, inner, path)
        elif path.endswith("replicas") and isinstance(value, int):
            way_out = f"Name the type, for example {{Worker: {{replicas: {value}}}}}"
            yield Problem(path, str(value), "maps replica types to what they are", way_out)

    def _unknown(self, word: str, value: Any, field: str, here: List[str], path: str) -> Iterator[Problem]:
        if word in _OPENED and isinstance(value, Mapping) and value:
            for key, item in value.items():
                yield from self._unknown(str(key), item, f"{field}.{key}", here, path)
            return
        yield Problem(field, _short(value), _RULE, self._way_out(word, here, path))

    def _way_out(self, word: str, here: List[str], path: str) -> str:
        if word in OLD or word in TWOFOLD:
            return OLD.get(word) or TWOFOLD[word]
        types = self._types(here)
        if types:
            found = _type(word, types)
            if found:
                return f"Write it {found}"
        if not types and _type(word, self._all_types, near=False):
            return f"Write it replicas.{_type(word, self._all_types, near=False)}"
        option = OTHER_WORDS.get(_snake(word), _snake(word))
        if f"pod_{option}" in here and option not in here:
            option = f"pod_{option}"
        if word in NATIVE and not (option in here and option != word):
            return NATIVE[word]
        places = self._places.get(option, [])
        if option in here and not types:
            return f"Write it {option}"
        if places:
            return f"It belongs {_place(places, path)}" + (f", as {option}" if option != word else "")
        template = _in_template(word, self._kind)
        if template:
            return template
        near = difflib.get_close_matches(word, here, 1, 0.7) or difflib.get_close_matches(option, here, 1, 0.7)
        if near:
            return f"Write it {near[0]}"
        if types:
            return f"The replica types are {', '.join(types)}"
        return "Leave it out, or put what a pod takes into template"

    def _types(self, here: List[str]) -> List[str]:
        """Return the names of the level when they are replica types."""
        return here if all(name[:1].isupper() for name in here) else []


def _walk(spec: Spec, path: str) -> Iterator[Tuple[str, str]]:
    for name, option in spec.items():
        yield path, name
        inner = option.get("options")
        if inner:
            mark = "[]" if option.get("type") == "list" else ""
            yield from _walk(inner, f"{path}.{name}{mark}" if path else name + mark)


def _type(word: str, types: List[str], near: bool = True) -> str:
    """Return the replica type that a word means, or nothing. near: also by what is only spelled nearly so."""
    lower = word.lower()
    exact = {name.lower(): name for name in types}
    candidates = [lower, TYPE_WORDS.get(lower, "").lower(), lower[:-1] if lower.endswith("s") else ""]
    candidates += difflib.get_close_matches(lower, list(exact), 1, 0.7) if near else []
    return next((exact[name] for name in candidates if name in exact), "")


def _place(places: List[str], path: str) -> str:
    """Say where an option stands, the nearest place first: within the job that has the wrong key."""
    job = re.match(r"jobs\[\d+\]", path)
    inside = [place for place in places if bool(re.match(r"jobs\[\]", place)) is bool(job)] or places
    place = re.sub(r"^jobs\[\]\.?", "", inside[0])
    if not place:
        return "to the module, beside jobs" if job and not inside[0] else "to the job, beside name"
    if place == "replicas":
        return "into replicas"
    if place.startswith("replicas."):
        return f"into a replica type, such as {place}"
    return f"into {place}"


def _in_template(word: str, kind: Optional[JobKind]) -> str:
    """Say where a field of pods that has no option goes."""
    if word in fields(POD_SPEC):
        return f"Put it into the template: {{spec: {{{word}: ...}}}}"
    if word in fields(CONTAINER):
        name = kind.container if kind else "the name of the container that trains"
        return f"Put it into the template: {{spec: {{containers: [{{name: {name}, {word}: ...}}]}}}}"
    return ""


def _snake(word: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", word).replace("-", "_").lower()


def _short(value: Any) -> str:
    """Return a value as a problem shows it; what is inside a list or a map may be a secret."""
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
