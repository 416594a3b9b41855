"""Documentation made from argument specs reads well and breaks no table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dev import docs as make_docs


@pytest.mark.parametrize(
    ("default", "shown"),
    [
        ("", "empty"),
        ([], "empty"),
        ({}, "empty"),
        (False, "`false`"),
        (20, "`20`"),
        ("off", "`off`"),
        (["a", "b"], "`[a, b]`"),
        ({"cpu": "100m"}, "`{cpu: 100m}`"),
        ("{{ lookup('trainyard.mlstack.release', 'images.pause') }}", "the release's `images.pause`"),
        ("{{ lookup('trainyard.mlstack.bundle_dir') }}", "the release's bundle"),
        ("{{ mlstack_pod_cidr | default('10.244.0.0/16') }}", "`mlstack_pod_cidr`, else `10.244.0.0/16`"),
        ("{{ mlstack_samples | default([]) }}", "`mlstack_samples`, else empty"),
        ("{{ a | b }}", "`{{ a \\| b }}`"),
    ],
)
def test_value(default: Any, shown: str) -> None:
    assert make_docs.value(default) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One C(file) and V(value).", "One `file` and `value`."),
        (["First.", "Second\n  line."], "First. Second line."),
        ("See M(trainyard.mlstack.objects).", "See `trainyard.mlstack.objects`."),
        ("Read L(the page, https://example.org/a).", "Read [the page](https://example.org/a)."),
        ("C(a | b)", "`a \\| b`"),
        ("Call C(f(x)) first.", "Call `f(x)` first."),
    ],
)
def test_prose(text: str | list[str], shown: str) -> None:
    assert make_docs.prose(text) == shown


def test_rows_show_what_is_required_and_what_lies_below() -> None:
    options = {
        "x_list": {
            "type": "list",
            "elements": "dict",
            "description": "All.",
            "options": {"host": {"type": "str", "required": True, "description": "One."}},
        },
        "x_mode": {"type": "str", "choices": ["a", "b"], "description": "How."},
    }
    assert list(make_docs.rows(options, {"x_list": [], "x_mode": "a"})) == [
        "| `x_list` | list of dict | empty | All. |",
        "| `x_list[].host` | str | **required** | One. |",
        "| `x_mode` | str: `a`, `b` | `a` | How. |",
    ]


def test_a_variable_is_told_once_with_all_its_readers() -> None:
    found = {variable.name: variable for variable in make_docs.variables()}
    assert len(found) == len(make_docs.variables())
    assert {"lookup `release`", "lookup `bundle_dir`"} <= set(found["mlstack_release"].readers)


def test_rules_are_read_from_the_code(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text(
        'MORE = " or " "{other}"\nFIRST = Rule("{name}", "a|b {limit:.0f}", "set {{a: <b>}}" + MORE)\nLIMIT = 5\n'
        "SECOND = Other(1)\n"
    )
    (rule,) = make_docs.constants(source, "Rule")
    cells = [make_docs.cell(text) for text in rule.values()]
    assert cells == ["`<name>`", "a\\|b `<limit>`", "set {a: `<b>`} or `<other>`"]
    source.write_text("X = Rule(1, 'a', 'b')\n")
    with pytest.raises(ValueError, match="1 is no text"):
        list(make_docs.constants(source, "Rule"))


def test_every_check_is_on_the_page() -> None:
    page = make_docs.preflight_page()
    files = [path for path in (make_docs.ROOT / "plugins").glob("**/*.py") if " = Rule(" in path.read_text()]
    assert len(files) > 15
    for path in files:
        if path.name == "proof.py":  # asked after a change, so no rule of preflight
            continue
        assert path.read_text().split('"""')[1].splitlines()[0].partition(". Pure")[0].rstrip(".") in page
    assert "| 6443/tcp | control plane |" in page


@pytest.mark.parametrize("name", make_docs.CAUSES)
def test_no_sentence_of_the_page_is_one_that_nobody_says(name: str) -> None:
    folder = make_docs.ROOT / "plugins" / "module_utils"
    code, others = (folder / f"{name}.py").read_text(), "".join(path.read_text() for path in folder.glob("**/*.py"))
    name = name.rpartition("/")[2]
    causes = re.findall(r"^([A-Z_]+) = Cause\(", code, re.MULTILINE)
    assert causes
    for cause in causes:
        used = len(re.findall(rf"\b{cause}\b", code)) > 1
        assert used or re.search(rf"\.{name} import (?:\([^)]*|.*)\b{cause}\b", others), f"{cause} is never said"


def test_every_cause_is_on_the_page() -> None:
    folder = make_docs.ROOT / "plugins" / "module_utils"
    saying = [path for path in folder.glob("**/*.py") if " = Cause(" in path.read_text()]
    assert {str(path.relative_to(folder).with_suffix("")) for path in saying} == set(make_docs.CAUSES)
