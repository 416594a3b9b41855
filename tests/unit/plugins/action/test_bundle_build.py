# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bundle is built as a task asks for it, with a compiler that only writes down what it was to compile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.action.bundle_build import ActionModule
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index, verify

RELEASE = """
release: "2027.01"
components: {tool: "1.0.0"}
programs: {one: tool, two: tool}
images: {}
manifests: {}
data: {}
"""
GROUP = """
components: {tool: "1.0.0"}
programs: {one: example.org/one, two: example.org/two, three: example.org/three}
"""
GO = """#!/bin/sh
if [ "$1" = env ]; then echo go1.26.8; exit; fi
for argument; do
    if [ "$before" = -o ]; then output=$argument; fi
    before=$argument
done
if [ "$before" = "$BROKEN" ]; then echo "$before: undefined: x" >&2; exit 1; fi
echo "program $before" > "$output"
"""


@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    group = tmp_path / "recipes/go/tool/1.0.0"
    group.mkdir(parents=True)
    (group / "build.yml").write_text(GROUP)
    (group / "go.mod").write_text("module x\n\ngo 1.26.0\n")
    (group / "go.sum").write_text("")
    recipes = "layers: {}\nimages: {}\nmanifests: {}\ndata: {}\n"
    (tmp_path / "recipes/recipes.yml").write_text(recipes)
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases/2027.01.yml").write_text(RELEASE)
    (tmp_path / "go").write_text(GO)
    (tmp_path / "go").chmod(0o755)
    return {
        "release": "2027.01",
        "release_dirs": [str(tmp_path / "releases")],
        "recipes": str(tmp_path / "recipes"),
        "cache": str(tmp_path / "cache"),
        "bundle": str(tmp_path / "bundles/2027.01"),
        "go": [str(tmp_path / "go")],
        "pip": ["pip"],
    }


Run = Callable[..., tuple[dict[str, Any], list[str]]]


@pytest.fixture
def run(arguments: dict[str, Any]) -> Run:
    """Return a function that runs the task and returns its result and the lines that were shown."""

    def run_task(check: bool = False, **more: Any) -> tuple[dict[str, Any], list[str]]:
        task: Any = SimpleNamespace(args={**arguments, **more}, check_mode=check, async_val=0, action="bundle_build")
        action = ActionModule(task, MagicMock(), MagicMock(), MagicMock(), MagicMock(), MagicMock())
        action._display = MagicMock()
        result = action.run(task_vars={})
        return result, [call.args[0] for call in action._display.display.call_args_list]

    return run_task


def test_a_bundle_is_built_shown_and_returned(run: Run, arguments: dict[str, Any]) -> None:
    result, shown = run()
    assert result["changed"]
    assert result["bundle"] == arguments["bundle"]
    assert [item["name"] for item in result["built"]] == ["program one", "program two"]
    assert [item["was"] for item in result["files"]] == ["missing", "missing"]
    assert "bin/one: missing" in result["diff"][0]["before"]
    assert shown[0] == "bundle  [1/2] program one is being built"
    assert shown[-1].startswith(f"bundle  {arguments['bundle']}: 2 files, 0 MB, 2 items built, ")
    assert Path(arguments["bundle"], "bin/one").read_text() == "program example.org/one\n"
    assert verify(arguments["bundle"]) == []
    assert read_index(arguments["bundle"]).release == "2027.01"


def test_a_second_run_changes_nothing(run: Run) -> None:
    run()
    result, shown = run()
    assert (result["changed"], result["built"], result["files"]) == (False, [], [])
    assert len(shown) == 1


def test_check_mode_says_what_would_be_built(run: Run, tmp_path: Path) -> None:
    result, shown = run(check=True)
    assert result["changed"]
    assert result["built"] == [{"name": "program one", "seconds": None}, {"name": "program two", "seconds": None}]
    assert "bin/one: to be built" in result["diff"][0]["before"]
    assert shown == []
    assert not (tmp_path / "cache").exists()


def test_check_mode_works_before_go_is_installed(run: Run) -> None:
    result, _shown = run(check=True, go=["/nowhere/go"])
    assert [item["name"] for item in result["built"]] == ["program one", "program two"]


def test_test_programs_lie_beside_the_bundle(run: Run, arguments: dict[str, Any]) -> None:
    run(test_programs=["three"])
    assert [entry.path for entry in read_index(f"{arguments['bundle']}-tests").files] == ["bin/three"]
    assert [entry.path for entry in read_index(arguments["bundle"]).files] == ["bin/one", "bin/two"]


def test_a_failed_build_names_the_item_the_command_and_its_last_lines(
    run: Run, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "example.org/two")
    with pytest.raises(AnsibleActionFail) as failed:
        run()
    text = str(failed.value)
    assert "program two could not be built" in text
    assert f"command: {arguments['go'][0]} build -mod=readonly" in text
    assert text.endswith("example.org/two: undefined: x")
    assert not Path(arguments["bundle"], "index.json").exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"release": 2026.11}, 'mlstack_release: "2026.11"'),
        ({"release": "2020.01"}, "no such release; known: 2026.08, 2026.11, 2027.01"),
        ({"go": ["/nowhere/go"]}, "Go 1.26.0 or newer is needed (/nowhere/go: not there)"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_done(
    run: Run, tmp_path: Path, options: dict[str, Any], expected: str
) -> None:
    with pytest.raises(AnsibleActionFail) as refused:
        run(**options)
    assert expected in str(refused.value)
    assert not (tmp_path / "cache").exists()


def test_volcano_is_refused_before_anything_is_built(run: Run, arguments: dict[str, Any]) -> None:
    with pytest.raises(AnsibleActionFail, match="mlstack_bundle_source = build: Volcano's Go module"):
        run(gang_scheduler="volcano")
    assert not Path(arguments["cache"]).exists()
