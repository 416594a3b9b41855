# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of roles that an inventory sets, validated by the roles' argument specs before any role runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from .known_variables import ROOT, load


@lru_cache(maxsize=1)
def role_options() -> dict[str, dict[str, Any]]:
    """Return the argument spec of each option of each role, by the option's name."""
    options: dict[str, dict[str, Any]] = {}
    for path in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        for entry in load(path)["argument_specs"].values():
            options.update(entry.get("options", {}))
    return {name: _argument(option) for name, option in options.items()}


def invalid_options(values: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """Return why each value is not what its role's argument spec asks for, by option. No reason holds a value.

    values: pairs of an option's name and its value; names that are no option are ignored.
    """
    found = {}
    for name, value in values:
        option = role_options().get(name)
        if option is None:
            continue
        errors = ArgumentSpecValidator({name: option}).validate({name: value}).error_messages
        if errors:
            found[name] = _reason(option, value)
    return found


def _argument(option: Mapping[str, Any]) -> dict[str, Any]:
    """Return an option of an argument spec as modules write it."""
    kept = {key: option[key] for key in ("type", "elements", "choices", "required") if key in option}
    if option.get("options"):
        kept["options"] = {name: _argument(each) for name, each in option["options"].items()}
    return kept


def _reason(option: Mapping[str, Any], value: Any) -> str:
    if option.get("choices") and not isinstance(value, (list, dict)):
        return f"it must be one of {', '.join(map(str, option['choices']))}"
    each = f" of {option['elements']}" if option.get("elements") else ""
    return f"it must be {option['type']}{each} as its role documents it"
