# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which collection-wide variables there are, and of what type, as the collection itself tells: never typed twice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

ROOT = Path(__file__).resolve().parents[3]
# Where a variable of the user enters: roles' defaults and constants, lookups' options, playbooks.
READERS = ("roles/*/defaults/*.yml", "roles/*/vars/*.yml", "plugins/lookup/*.py", "playbooks/*.yml")
NAME = re.compile(r"\bmlstack_[a-z0-9_]+\b")
# Facts, which Ansible counts among the variables.
FACTS = ("mlstack_node",)
# An option whose default is the variable, whatever follows: mlstack_x | default(...).
DEFAULT = re.compile(r"^\{\{ (mlstack_\w+) \| default\(")


def known_variables(root: Path = ROOT) -> set[str]:
    """Return the names of all variables that something reads."""
    texts = (path.read_text(encoding="utf-8") for pattern in READERS for path in root.glob(pattern))
    return {name for text in texts for name in NAME.findall(text)} | set(FACTS)


def types(root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """Return type and elements of each variable that is the default of a role's option.

    Where roles differ the variable takes no part: each of them judges it for itself.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for role in sorted(root.glob("roles/*")):
        specs = load(role / "meta" / "argument_specs.yml")["argument_specs"]
        options = {name: option for entry in specs.values() for name, option in entry.get("options", {}).items()}
        for name, default in (load(role / "defaults" / "main.yml") or {}).items():
            variable = DEFAULT.match(default) if isinstance(default, str) else None
            if variable:
                spec = {key: options[name][key] for key in ("type", "elements") if key in options[name]}
                found.setdefault(variable.group(1), []).append(spec)
    return {name: specs[0] for name, specs in found.items() if all(spec == specs[0] for spec in specs)}


def load(path: Path) -> Any:
    """Return what a YAML file holds."""
    # The fast loader is there unless PyYAML was built without its library.
    return yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def mistyped(values: Mapping[str, Any], root: Path = ROOT) -> dict[str, dict[str, str]]:
    """Return `kind` and `reason` of each value that is not of its type, by name. The reason holds no value."""
    wrong = {}
    for name, spec in types(root).items() if values else ():
        if name not in values or spec["type"] == "raw":
            continue
        # Ansible makes text of a number and a list of anything; a list or dictionary as text is no text to us.
        given = values[name]
        if spec["type"] == "str" and isinstance(given, (list, dict, bool)):
            wrong[name] = {"kind": "str", "reason": f"it is {_kind(given)}"}
        elif spec["type"] == "list" and isinstance(given, dict):
            wrong[name] = {"kind": "list", "reason": "it is a dictionary"}
        elif spec.get("elements") in ("str", "path") and any(isinstance(one, (list, dict)) for one in given):
            wrong[name] = {"kind": "list", "reason": "its elements must be text"}
        elif ArgumentSpecValidator({name: dict(spec)}).validate({name: given}).error_messages:
            elements = spec.get("elements")
            of = f", each of its elements {elements}" if elements else ""
            wrong[name] = {"kind": spec["type"], "reason": f"it is {_kind(given)}{of}"}
    return wrong


def _kind(value: Any) -> str:
    names = {bool: "true or false", dict: "a dictionary", list: "a list", int: "a number", float: "a number"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "text that does not fit")
