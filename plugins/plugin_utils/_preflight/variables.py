# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory's variables: names that nothing reads, values of the wrong kind, passwords that arrive altered."""

from __future__ import annotations

import difflib
from typing import Any, List, Mapping, Optional, Sequence

from ...module_utils._common.problem import Problem, Rule

# How alike two names must be for one to be a slip of the other: mlstack_pod_cird and mlstack_pod_cidr are.
ALIKE = 0.85

MISSPELT = Rule(
    "{name}",
    "nothing in the collection reads a variable of this name, it would have no effect",
    "Did you mean {meant}? Correct the name, or take the variable out",
)
UNKNOWN = Rule(
    "{name}",
    "nothing in the collection reads a variable of this name, it has no effect",
    "Take it out, or rename one of your own: names that begin with mlstack_ are the collection's",
)
WRONG_TYPE = Rule("{name}", "it must be {kind} ({reason})", "Correct it in the inventory")
INVALID_OPTION = Rule("{name}", "{reason}", "Correct it in the inventory; the README of its role shows its form")
PASSWORD_NUMBER = Rule(
    "{name}",
    "a password must be text, a number loses zeros and signs",
    "Put it in quotes; on a host line of an INI inventory in two: {name}='\"<password>\"'",
)

KINDS = {
    "bool": "true or false",
    "dict": "a dictionary",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "path": "a path",
    "str": "text",
}


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the variables of the run as a whole. No value is shown: it may be a secret.

    facts: `variables`, the names of all variables of the collection that any host has; `known`, those that something
        reads; `mistyped`, name -> `kind` and `reason` of each value that is not of its type.
    options: none is used.
    """
    problems = [
        MISSPELT.broken("set", name=name, meant=meant)
        for name in sorted(set(facts["variables"]) - set(facts["known"]))
        for meant in [_meant(name, facts["known"])]
        if meant
    ]
    return problems + [
        WRONG_TYPE.broken("set", name=name, kind=KINDS.get(wrong["kind"], wrong["kind"]), reason=wrong["reason"])
        for name, wrong in sorted(facts["mistyped"].items())
    ]


def notes(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is worth a warning, as checks: a name that is like no other may be the user's own."""
    unknown = sorted(set(facts["variables"]) - set(facts["known"]))
    return [UNKNOWN.broken("set", name=name) for name in unknown if not _meant(name, facts["known"])]


def password_problems(names: Sequence[str]) -> List[Problem]:
    """Return a problem for each variable of the connection that holds a password and is no text."""
    return [PASSWORD_NUMBER.broken("a number", name=name) for name in sorted(names)]


def option_problems(invalid: Mapping[str, str]) -> List[Problem]:
    """Return a problem for each option of a role that its argument spec refuses.

    invalid: option -> reason.
    """
    return [
        INVALID_OPTION.broken("set", name=name, reason=reason)
        for name, reason in sorted(invalid.items())
    ]


def _meant(name: str, known: Sequence[str]) -> Optional[str]:
    alike = difflib.get_close_matches(name, sorted(known), n=1, cutoff=ALIKE)
    return alike[0] if alike else None
