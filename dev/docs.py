# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what the documentation takes from the code: option tables in role READMEs, tables in README.md and docs.

Usage: python dev/docs.py [--check]
With --check nothing is written, and the status is 1 when a file is not up to date.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from pathlib import Path
from typing import Any, Iterator, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
BEGIN = "<!-- options: made from meta/argument_specs.yml by dev/docs.py -->"
END = "<!-- options: end -->"
PUBLIC_BEGIN = "<!-- modules and roles: made from their short descriptions by dev/docs.py -->"
PUBLIC_END = "<!-- modules and roles: end -->"
# The first word in the short description of a module or role that only other parts of the collection use.
INTERNAL = "Internal:"

MARKUP = (
    (re.compile(r"\b(?:C|V|O|RV|E|I|B)\(([^()]*(?:\([^()]*\))?[^()]*)\)"), r"`\1`"),
    (re.compile(r"\b(?:M|P)\(([\w.]+)(?:#\w+)?\)"), r"`\1`"),
    (re.compile(r"\bL\(([^,()]+),\s*([^()]+)\)"), r"[\1](\2)"),
    (re.compile(r"\bU\(([^()]+)\)"), r"<\1>"),
)
FROM_RELEASE = re.compile(r"^\{\{ lookup\('trainyard\.mlstack\.release', '([\w.-]+)'\) \}\}$")
FROM_VARIABLE = re.compile(r"^\{\{ (mlstack_\w+) \| default\((.*)\) \}\}$")
BUNDLE_DIR = "{{ lookup('trainyard.mlstack.bundle_dir') }}"

# Where the rules of preflight are.
CHECKS = ("plugin_utils/_preflight/*.py", "module_utils/_cluster/*.py")
PORTS = ROOT / "plugins" / "module_utils" / "_host" / "ports.py"
FIELDS = {
    "Rule": ("field", "rule", "way_out"),
    "Cause": ("case", "sentence", "way_out"),
    "Port": ("port", "protocol", "on", "users", "why"),
}
HARDENING_LEFT = ROOT / "tests" / "lab" / "support" / "hardening" / "left.yml"
LEFT_BEGIN = "<!-- items left: made from tests/lab/support/hardening/left.yml by dev/docs.py -->"
CAUSES_BEGIN = "<!-- causes: made from the code by dev/docs.py -->"
# In the order in which a job meets them.
CAUSES = (
    "_job_status/why_no_pods",
    "_job_kinds/operator_why",
    "_job_kinds/ps_why",
    "_job_kinds/volcano_why",
    "_job_status/why_placing",
    "_job_status/why_gang",
    "_job_status/why_gang_left",
    "_gangs/why_queue",
    "_job_status/why_starting",
    "_job_status/why_exit",
    "_job_status/why",
)
RULES_BEGIN = "<!-- rules and ports: made from the code by dev/docs.py -->"


class Variable(NamedTuple):
    """A collection-wide variable: name, default as Markdown, what it means, and who reads it."""

    name: str
    default: str
    meaning: str
    readers: tuple[str, ...]


def load(path: Path) -> Any:
    """Return what a YAML file holds."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def roles() -> list[str]:
    """Return the names of all roles."""
    return sorted(path.parent.parent.name for path in ROOT.glob("roles/*/meta/argument_specs.yml"))


def prose(text: str | list[str]) -> str:
    """Return a description as one line of Markdown that fits a table cell."""
    line = " ".join(" ".join([text] if isinstance(text, str) else text).split())
    for expression, replacement in MARKUP:
        line = expression.sub(replacement, line)
    return line.replace("|", "\\|")


def value(default: Any) -> str:
    """Return a default as Markdown; the two usual references are said in words."""
    if isinstance(default, str):
        release = FROM_RELEASE.match(default)
        if release:
            return f"the release's `{release.group(1)}`"
        if default == BUNDLE_DIR:
            return "the release's bundle"
        variable = FROM_VARIABLE.match(default)
        if variable:
            return f"`{variable.group(1)}`, else {literal(variable.group(2))}"
    if default in ("", [], {}):
        return "empty"
    text = yaml.safe_dump(default, default_flow_style=True, width=10**6, sort_keys=False).strip()
    text = text.removesuffix("...").strip()
    if isinstance(default, str):
        # In a table a value has one line, however the file has it.
        text = " ".join(default.split())
    return f"`{text}`".replace("|", "\\|")


def literal(expression: str) -> str:
    """Return the default in a Jinja expression as Markdown."""
    if expression.startswith("lookup("):
        return value(f"{{{{ {expression} }}}}")
    if expression.startswith("'") and expression.endswith("'") and expression.count("'") == 2:
        expression = expression.strip("'")
    return f"`{expression}`".replace("|", "\\|") if expression not in ("", "[]", "{}") else "empty"


def rows(options: dict[str, Any], defaults: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Return a table row for each option, those of a dictionary below it."""
    for name, option in options.items():
        kind = option["type"] + (f" of {option['elements']}" if "elements" in option else "")
        if "choices" in option:
            kind += ": " + ", ".join(f"`{choice}`" for choice in option["choices"])
        given = defaults.get(name, option.get("default"))
        default = "**required**" if option.get("required") else "" if given is None else value(given)
        yield f"| `{prefix}{name}` | {kind} | {default} | {prose(option['description'])} |"
        mark = "[]." if option["type"] == "list" else "."
        yield from rows(option.get("options", {}), {}, f"{prefix}{name}{mark}")


def options_section(role: str) -> str:
    """Return the part of a role's README that holds its options."""
    specs = load(ROOT / "roles" / role / "meta" / "argument_specs.yml")["argument_specs"]
    defaults = load(ROOT / "roles" / role / "defaults" / "main.yml") or {}
    parts = [BEGIN, "", "## Options"]
    for entry, spec in specs.items():
        if len(specs) > 1:
            parts += ["", f"### Entry point `{entry}`: {prose(spec['short_description'])}"]
        if spec.get("options"):
            parts += ["", "| option | type | default | meaning |", "| --- | --- | --- | --- |"]
            parts += rows(spec["options"], defaults)
        else:
            parts += ["", "None."]
    return "\n".join([*parts, "", END, ""])


def readme(role: str) -> str:
    """Return a role's README with its options brought up to date; the rest is written by hand."""
    path = ROOT / "roles" / role / "README.md"
    head = path.read_text(encoding="utf-8").partition(BEGIN)[0].rstrip()
    return f"{head}\n\n{options_section(role)}"


def role_variables() -> Iterator[Variable]:
    """Return what each role's defaults take from collection-wide variables."""
    for role in roles():
        described = {}
        for spec in load(ROOT / "roles" / role / "meta" / "argument_specs.yml")["argument_specs"].values():
            described.update(spec.get("options", {}))
        for name, default in (load(ROOT / "roles" / role / "defaults" / "main.yml") or {}).items():
            taken = FROM_VARIABLE.match(default) if isinstance(default, str) else None
            if taken:
                variable, expression = taken.groups()
                yield Variable(variable, literal(expression), prose(described[name]["description"]), (f"`{role}`",))


def documentation(path: Path) -> dict[str, Any]:
    """Return the DOCUMENTATION of a plugin."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DOCUMENTATION":
            found: dict[str, Any] = yaml.safe_load(ast.literal_eval(node.value))
            return found
    raise ValueError(f"{path} has no DOCUMENTATION")


def lookup_variables() -> Iterator[Variable]:
    """Return what the lookups read from variables."""
    for path in sorted((ROOT / "plugins" / "lookup").glob("*.py")):
        for option in documentation(path)["options"].values():
            default = value(option["default"]) if "default" in option else ""
            for variable in option.get("vars", []):
                yield Variable(variable["name"], default, prose(option["description"]), (f"lookup `{path.stem}`",))


def public() -> list[tuple[str, str, str]]:
    """Return name, kind and short description of each module and role that users call."""
    paths = sorted((ROOT / "plugins" / "modules").glob("*.py"))
    entries = [(path.stem, "module", documentation(path)["short_description"]) for path in paths]
    for role in roles():
        specs = load(ROOT / "roles" / role / "meta" / "argument_specs.yml")["argument_specs"]
        entries.append((role, "role", specs["main"]["short_description"]))
    return [entry for entry in entries if not entry[2].startswith(INTERNAL)]


def front_page() -> str:
    """Return README.md with its table of modules and roles brought up to date; the rest is written by hand."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    head, tail = text.partition(PUBLIC_BEGIN)[0].rstrip(), text.partition(PUBLIC_END)[2].lstrip()
    lines = [head, "", PUBLIC_BEGIN, "", "| name | kind | what it does |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {kind} | {prose(does)} |" for name, kind, does in public()]
    return "\n".join([*lines, "", PUBLIC_END, "", tail])


def variables() -> list[Variable]:
    """Return all collection-wide variables by name, each once, with all its readers."""
    merged: dict[str, Variable] = {}
    for found in [*lookup_variables(), *role_variables()]:
        known = merged.get(found.name)
        readers = tuple(dict.fromkeys([*(known.readers if known else ()), *found.readers]))
        merged[found.name] = (known or found)._replace(readers=readers)
    return [merged[name] for name in sorted(merged)]


def variables_page() -> str:
    """Return docs/variables.md."""
    lines = [
        "# Collection-wide variables",
        "",
        "Set them in your inventory. Each is the default of role options; a role's own option overrides it.",
        "Generated by `dev/docs.py` from the roles' defaults and argument specs, and the lookups' documentation.",
        "",
        "| variable | default | meaning | read by |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| `{name}` | {default} | {meaning} | {', '.join(by)} |" for name, default, meaning, by in variables()]
    return "\n".join([*lines, ""])


def constants(path: Path, kind: str) -> Iterator[dict[str, str]]:
    """Return the arguments of each call of `kind` that a file names at its top, where all are text.

    The arguments go by the names of the fields: what the code says is what the page says.
    """
    texts: dict[str, str] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == kind:
            yield dict(zip(FIELDS[kind], [text_of(argument, texts) for argument in node.value.args]))
        else:
            with contextlib.suppress(ValueError):
                texts[node.targets[0].id] = text_of(node.value, texts)


def text_of(node: ast.expr, names: dict[str, str]) -> str:
    """Return the text that an expression of literals and names of texts stands for. Raises ValueError for another."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left, names) + text_of(node.right, names)
    raise ValueError(f"{ast.unparse(node)} is no text")


def cell(text: str) -> str:
    """Return a rule's text as a table cell: what differs from case to case is in angle brackets."""
    text = re.sub(r"\{(\w+)(?::[^{}]*)?\}", r"<\1>", text.replace("{{", "\0").replace("}}", "\1"))
    text = text.replace("\0", "{").replace("\1", "}")
    return re.sub(r"<[^<>]+>", r"`\g<0>`", text).replace("|", "\\|")


def preflight_page() -> str:
    """Return docs/preflight.md with its rules and ports brought up to date; the rest is written by hand."""
    head = (ROOT / "docs" / "preflight.md").read_text(encoding="utf-8").partition(RULES_BEGIN)[0].rstrip()
    lines = [head, "", RULES_BEGIN]
    for path in [path for pattern in CHECKS for path in sorted((ROOT / "plugins").glob(pattern))]:
        rules = list(constants(path, "Rule"))
        if rules:
            title = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()[0]
            title = title.partition(". Pure")[0].rstrip(".")
            lines += ["", f"## {title}", "", "| field | rule | fix |", "| --- | --- | --- |"]
            lines += [f"| {cell(r['field'])} | {cell(r['rule'])} | {cell(r['way_out'])} |" for r in rules]
    lines += ["", "## Ports", "", "| port | on | from | what listens |", "| --- | --- | --- | --- |"]
    for port in constants(PORTS, "Port"):
        lines.append(f"| {port['port']}/{port['protocol']} | {port['on']} | {port['users']} | {port['why']} |")
    return "\n".join([*lines, ""])


def pending_page() -> str:
    """Return docs/pending.md with its sentences brought up to date; the rest is written by hand."""
    head = (ROOT / "docs" / "pending.md").read_text(encoding="utf-8").partition(CAUSES_BEGIN)[0].rstrip()
    lines = [head, "", CAUSES_BEGIN]
    for name in CAUSES:
        path = ROOT / "plugins" / "module_utils" / f"{name}.py"
        title = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition(". Pure")[0]
        lines += ["", f"### {title.partition(':')[0]}", "", "| when | sentence | what to do |", "| --- | --- | --- |"]
        lines += [
            f"| {cell(c['case'])} | {cell(c['sentence'])} | {cell(c['way_out'])} |" for c in constants(path, "Cause")
        ]
    return "\n".join([*lines, ""])


def hardening_page() -> str:
    """Return docs/hardening.md with what is left of a benchmark's items brought up to date."""
    head = (ROOT / "docs" / "hardening.md").read_text(encoding="utf-8").partition(LEFT_BEGIN)[0].rstrip()
    lines = [head, "", LEFT_BEGIN, "", "| item | asks for | of | why it stays |", "| --- | --- | --- | --- |"]
    for left in load(HARDENING_LEFT):
        cells = (left["item"], prose(left["asks"]), ", ".join(left["in"]), prose(left["why"]))
        lines += [f"| {' | '.join(cells)} |"]
    return "\n".join([*lines, ""])


def pages() -> dict[Path, str]:
    """Return every file that this tool writes, with what it must hold."""
    made = {ROOT / "roles" / role / "README.md": readme(role) for role in roles()}
    made[ROOT / "README.md"] = front_page()
    made[ROOT / "docs" / "variables.md"] = variables_page()
    made[ROOT / "docs" / "preflight.md"] = preflight_page()
    made[ROOT / "docs" / "hardening.md"] = hardening_page()
    made[ROOT / "docs" / "pending.md"] = pending_page()
    return made


def main(arguments: list[str]) -> int:
    """Write, or check, all pages; return the exit status."""
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'out of date' if '--check' in arguments else 'written'}: {path.relative_to(ROOT)}")
        if "--check" not in arguments:
            path.write_text(pages()[path], encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
