"""Alarms, not limits of taste: a file that grows past these holds more than one idea."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.unit.contracts import tree

TASK_FILE, MODULE_CODE, UTILS_FILE, DEFAULTS, PLAYBOOK = 120, 150, 350, 100, 100


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def code_lines(path: Path) -> int:
    """Count a module's lines without those of its documents and imports."""
    others = 0
    for node in ast.parse(path.read_text()).body:
        document = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in tree.DOCUMENTS
        if document or isinstance(node, ast.ImportFrom):
            others += (node.end_lineno or node.lineno) - node.lineno + 1
    return lines(path) - others


def test_files_hold_one_idea() -> None:
    alarms = [
        ("roles/*/tasks/*.yml", TASK_FILE, lines),
        ("roles/*/handlers/*.yml", TASK_FILE, lines),
        ("roles/*/defaults/*.yml", DEFAULTS, lines),
        ("playbooks/*.yml", PLAYBOOK, lines),
        ("plugins/modules/*.py", MODULE_CODE, code_lines),
        ("plugins/action/*.py", MODULE_CODE, lines),
        ("plugins/module_utils/**/*.py", UTILS_FILE, lines),
        ("plugins/plugin_utils/**/*.py", UTILS_FILE, lines),
    ]
    assert len(list(tree.ROOT.glob("plugins/*_utils/*/*.py"))) > 200
    too_long = [
        f"{path.relative_to(tree.ROOT)}: {count(path)} lines, alarm at {limit}"
        for pattern, limit, count in alarms
        for path in sorted(tree.ROOT.glob(pattern))
        if count(path) > limit
    ]
    assert not too_long, "\n".join(too_long)
