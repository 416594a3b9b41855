# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The replica types of a job: their options, and which of them have any replica. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from .._common.problem import Problem
from .._pods.template import pod_options
from .kind import JobKind

# The field is a 32-bit number.
_MOST = 2**31 - 1
# How a problem names the pods of a type as a whole, which common options and its own ones have made together.
_PODS = re.compile(r"((?:replicas|tasks)\.[\w-]+)(: .*)", re.DOTALL)


def replica_options(kind: JobKind, **more: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the option `replicas` of a kind of job. A type is known by its name in lower case, too.

    more: options that only types of this kind have.
    """
    options = {"replicas": {"type": "int", "default": 1}, **pod_options(), **more}
    types = {name: {"type": "dict", "aliases": [name.lower()], "options": options} for name in kind.types}
    return {"type": "dict", "options": types}


def given_replicas(options: Mapping[str, Any], kind: JobKind) -> Tuple[Dict[str, Mapping[str, Any]], List[Problem]]:
    """Return the replica types that have any replica, in their fixed order, and what is wrong with their numbers."""
    wanted = options.get("replicas") or {}
    problems: List[Problem] = []
    result: Dict[str, Mapping[str, Any]] = {}
    for name in kind.types:
        if wanted.get(name) is None:
            continue
        count = wanted[name].get("replicas", 1)
        if not 0 <= count <= _MOST:
            rule = "must not be below 0" if count < 0 else f"must be at most {_MOST}"
            problems.append(Problem(f"replicas.{name}.replicas", str(count), rule, "Give the number of pods"))
        elif count > 0:
            result[name] = wanted[name]
    if not result and not problems:
        way_out = f"Give at least one of {', '.join(kind.types)}, for example {{Worker: {{replicas: 2}}}}"
        problems.append(Problem("replicas", _counts(wanted, kind), "a job needs at least one replica", way_out))
    return result, problems


def _counts(wanted: Mapping[str, Any], kind: JobKind) -> str:
    found = [f"{name} {wanted[name].get('replicas', 1)}" for name in kind.types if wanted.get(name) is not None]
    return ", ".join(found) or "none"


def check_single(counts: Mapping[str, int], *names: str) -> List[Problem]:
    """Return a problem for each of the types that has more than one replica."""
    return [
        Problem(f"replicas.{name}.replicas", str(counts[name]), "there is one at most", "Use Worker for the others")
        for name in names
        if counts.get(name, 0) > 1
    ]


def told_once(problems: Sequence[Problem]) -> List[Problem]:
    """Return the problems of a job without those that are there for several replica types: one names all of them."""
    places: Dict[Problem, List[str]] = {}
    for problem in problems:
        found = _PODS.fullmatch(problem.field)
        place, rest = found.groups() if found else ("", problem.field)
        places.setdefault(replace(problem, field=rest), []).append(place)
    return [
        replace(problem, field=", ".join(dict.fromkeys(found)) + problem.field) for problem, found in places.items()
    ]
