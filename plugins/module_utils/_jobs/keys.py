# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unknown and misplaced keys among a job's options, each with its right place. Pure.

AnsibleModule would name them, too, but not where they belong, and one level at a time.
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from .._common.problem import Problem, shown
from .._job_model.kind import JobKind
from .._pods.schema import CONTAINER, POD_SPEC, fields
from .keys_places import NATIVE, OLD, OTHER_WORDS, TWOFOLD, TYPE_WORDS

Spec = Mapping[str, Any]

# Native keys whose parts are told one by one.
_OPENED = ("metadata", "spec", "runPolicy", "schedulingPolicy")
_RULE = "there is no such option here"
_WRITE_IT = "Write it "


class Keys(NamedTuple):
    """What the keys of a job's options say.

    options: with each key that is only spelled otherwise under its right name, without all others that no option has.
    clear: what was meant is known for every key, so that the values may be judged, too, and nothing will seem missing.
    """

    problems: List[Problem]
    options: Dict[str, Any]
    clear: bool


def read_keys(
    raw: Mapping[str, Any],
    spec: Spec,
    kind: Optional[JobKind] = None,
    places: Optional[Spec] = None,
    path: str = "",
) -> Keys:
    """Return what is wrong with the keys of options, and the options as far as they are understood.

    raw: the module's arguments as they were given. spec: its argument spec. kind: of the job; None where a module
    takes several kinds. places: where options stand, when the spec itself does not say all of it. path: where these
    options stand, such as jobs[0].
    """
    reader = _Reader(places or spec, kind)
    options = reader.level(raw, spec, path)
    return Keys(reader.problems, options, reader.clear)


class _Reader:
    """Walks through options. Knows where each option of the module stands."""

    def __init__(self, spec: Spec, kind: Optional[JobKind]) -> None:
        self._kind = kind
        self._places: Dict[str, List[str]] = {}
        for path, name in _walk(spec, ""):
            self._places.setdefault(name, []).append(path)
        self._all_types = [name for name in self._places if name[:1].isupper()]
        self.problems: List[Problem] = []
        self.clear = True

    def level(self, raw: Mapping[Any, Any], spec: Spec, path: str) -> Dict[str, Any]:
        """Read one mapping of options and all below it; return it with its keys put right."""
        known = {alias: name for name, option in spec.items() for alias in (name, *option.get("aliases", ()))}
        given = {known[str(key)] for key in raw if str(key) in known}
        result: Dict[str, Any] = {}
        taken: Dict[str, str] = {}
        for key, value in raw.items():
            word = str(key)
            field = f"{path}.{word or repr(word)}" if path else word or repr(word)
            name = known.get(word)
            if word.startswith("_ansible_"):
                continue
            if name is None:
                name = self._unknown(word, value, field, list(spec), path)
                if name is None or name in given:
                    self.clear = self.clear and name is not None
                    continue
                given.add(name)
                word = name
            if name in taken:
                rule = f"is {name} by another name, which is given too"
                self.problems.append(Problem(field, shown(value), rule, "Keep one of them"))
                continue
            taken[name] = word
            result[word] = self._value(value, spec[name], f"{path}.{name}" if path else name)
        return result

    def _value(self, value: Any, option: Spec, path: str) -> Any:
        inner = option.get("options")
        # A text may stand for a map; who reads the values tells what it holds.
        if not inner or value is None or isinstance(value, str):
            return value
        if option.get("type") == "list" and isinstance(value, list):
            return [self._map(item, inner, f"{path}[{index}]") for index, item in enumerate(value)]
        if option.get("type") == "list":
            self._misshapen(path, value, "must be a list", "Write each item after a -")
            return None
        return self._map(value, inner, path)

    def _map(self, value: Any, inner: Spec, path: str) -> Any:
        if isinstance(value, Mapping):
            return self.level(value, inner, path)
        if path.endswith("replicas") and isinstance(value, int):
            way_out = f"Name the type, for example {{Worker: {{replicas: {value}}}}}"
            self._misshapen(path, value, "maps replica types to what they are", way_out)
        elif not isinstance(value, str):
            self._misshapen(path, value, "must be a map", f"Write its parts, such as {next(iter(inner))}")
        return value if isinstance(value, str) else None

    def _misshapen(self, path: str, value: Any, rule: str, way_out: str) -> None:
        self.problems.append(Problem(path, shown(value), rule, way_out))
        self.clear = False

    def _unknown(self, word: str, value: Any, field: str, here: List[str], path: str) -> Optional[str]:
        """Tell what is wrong with a key; return the option of the same level that was meant, if it is known."""
        if _NATIVE_SNAKES.get(word, word) in _OPENED and isinstance(value, Mapping) and value:
            for key, item in value.items():
                self._unknown(str(key), item, f"{field}.{key}", here, path)
            return None
        way_out = self._way_out(word, here, path)
        self.problems.append(Problem(field, shown(value), _RULE, way_out))
        meant = way_out[len(_WRITE_IT) :] if way_out.startswith(_WRITE_IT) else ""
        return meant if meant in here else None

    def _way_out(self, word: str, here: List[str], path: str) -> str:
        hint = self._kind.key_hint(word) if self._kind else ""
        if hint:
            return hint
        if word in OLD or word in TWOFOLD:
            return OLD.get(word) or TWOFOLD[word]
        types = self._types(here)
        if types:
            found = _type(word, types)
            if found:
                return f"{_WRITE_IT}{found}"
        if not types and _type(word, self._all_types, near=False):
            return f"Write it replicas.{_type(word, self._all_types, near=False)}"
        option = OTHER_WORDS.get(_snake(word), _snake(word))
        # Whoever knows a native key may write it as options are written.
        word = word if option in self._places else _NATIVE_SNAKES.get(word, word)
        if f"pod_{option}" in here and option not in here:
            option = f"pod_{option}"
        if word in NATIVE and not (option in here and option != word):
            return NATIVE[word]
        places = self._places.get(option, [])
        if option in here and not types:
            return f"{_WRITE_IT}{option}"
        if places:
            return f"It belongs {_place(places, path)}" + (f", as {option}" if option != word else "")
        template = _in_template(word, self._kind)
        if template:
            return template
        near = difflib.get_close_matches(word, here, 1, 0.7) or difflib.get_close_matches(option, here, 1, 0.7)
        if near:
            return f"{_WRITE_IT}{near[0]}"
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
    """Say where an option stands: within the job that has the wrong key, or in the task around it."""
    if not path:
        # Of several places below the outermost serves most.
        places = sorted(places, key=lambda place: place.count("."))
    job = re.match(r"jobs\[\d+\]", path)
    of_job = [place for place in places if place.startswith("jobs[]")]
    if not job and path != "defaults":
        return _told(([place for place in places if place not in of_job] or places)[0])
    told = [_told(place) for place in (of_job or places)[:1]]
    if "" in places:
        # What is to be done with the jobs is said once, for all of them.
        task = "to the task, beside jobs"
        told = [task, *told] if of_job and path in ("defaults", job and job[0]) else told if of_job else [task]
    return ", or ".join(told)


def _told(place: str) -> str:
    place = re.sub(r"^jobs\[\]\.?", "", place)
    if not place:
        return "to the job, beside name"
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


_NATIVE_SNAKES = {_snake(word): word for word in NATIVE}
