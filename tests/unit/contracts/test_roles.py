"""Know one role, know them all."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit.contracts import tree

pytestmark = pytest.mark.parametrize("role", tree.ROLES)

FILE_SET = ("README.md", "defaults/main.yml", "meta/argument_specs.yml", "tasks/main.yml")
TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "dict": (dict,),
    "float": (float, int),
    "int": (int,),
    "list": (list,),
    "path": (str,),
    "raw": (object,),
    "str": (str,),
}


def defaults(role: str) -> dict[str, Any]:
    """Return what defaults/main.yml holds."""
    return dict(tree.load(tree.ROOT / "roles" / role / "defaults" / "main.yml") or {})


def options(role: str) -> dict[str, dict[str, Any]]:
    """Return the options of all entry points."""
    specs = tree.load(tree.ROOT / "roles" / role / "meta" / "argument_specs.yml")["argument_specs"]
    return {name: option for entry in specs.values() for name, option in entry.get("options", {}).items()}


def is_template(value: Any) -> bool:
    """Tell whether a default is worked out when it is used."""
    return isinstance(value, str) and "{{" in value


def test_has_the_file_set(role: str) -> None:
    missing = [name for name in FILE_SET if not (tree.ROOT / "roles" / role / name).is_file()]
    assert not missing, f"role {role} lacks {', '.join(missing)}"


def test_argument_specs_name_the_defaults(role: str) -> None:
    with_default = {name for name, option in options(role).items() if not option.get("required")}
    assert with_default == set(defaults(role))


def test_descriptions_are_no_templates(role: str) -> None:
    """Ansible renders all of an argument spec before it validates, descriptions too."""
    found = [name for name, option in options(role).items() if re.search(r"\{[{%#]", str(option["description"]))]
    assert not found


def test_argument_specs_hold_the_same_values(role: str) -> None:
    """The one exception: antsibull-docs takes a template as default of a text only, so other such options have none."""
    given = defaults(role)
    different = {}
    for name, option in options(role).items():
        no_text = {"dict", "int", "bool", "float"} & {option["type"], option.get("elements")}
        if option.get("required") or (no_text and is_template(given[name]) and "default" not in option):
            continue
        if option.get("default") != given[name]:
            different[name] = (option.get("default"), given[name])
    assert not different


def test_types_fit_the_values(role: str) -> None:
    given = defaults(role)
    for name, option in options(role).items():
        if name in given and not is_template(given[name]):
            assert isinstance(given[name], TYPES[option["type"]]), f"{name} is not of type {option['type']}"
            assert option["type"] == "bool" or not isinstance(given[name], bool), f"{name} is of type bool"
        assert option["type"] != "list" or "elements" in option, f"{name} does not say what its elements are"
        assert option.get("description"), f"{name} is not described"
        assert option.get("required") is None or "default" not in option, f"{name} is required and has a default"


def test_names_begin_with_the_role(role: str) -> None:
    foreign = [name for name in options(role) if not name.startswith(f"{role}_")]
    path = tree.ROOT / "roles" / role / "vars" / "main.yml"
    constants = tree.load(path) if path.exists() else {}
    foreign += [name for name in constants if not name.startswith(f"__{role}_")]
    assert not foreign, f"these names belong to no role or to another one: {foreign}"


def test_reads_no_other_host_and_no_group(role: str) -> None:
    """A role gets what it needs from the playbook, so that it also runs under --limit and with other group names."""
    reader = re.compile(r"\bhostvars\b|\bgroups\s*[\[.|]|\bgroup_names\b")
    found = [
        path
        for path in tree.files()
        if path.is_relative_to(tree.ROOT / "roles" / role)
        and path.suffix in (".yml", ".j2")
        and path.name != "argument_specs.yml"
        and "files" not in path.parts
        and any(reader.search(line.partition(" #")[0]) for line in path.read_text().splitlines())
    ]
    assert not found, f"hostvars or groups in {tree.names(found)}"


def test_readme_names_the_role(role: str) -> None:
    lines = (tree.ROOT / "roles" / role / "README.md").read_text().splitlines()
    assert lines[0] == f"# {role}"
    assert f"trainyard.mlstack.{role}" in "\n".join(lines), "a README shows a play that uses the role"
