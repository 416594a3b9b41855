"""Thin, documented, tested: what holds for every module and action plugin."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.api import ApiAction
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.job import JobAction
from tests.unit.contracts import tree

RUNTIME = tree.load(tree.ROOT / "meta" / "runtime.yml")
API_MODULES = RUNTIME["action_groups"]["api"]
ROUTED = {name: entry["action_plugin"] for name, entry in RUNTIME["plugin_routing"]["modules"].items()}
# They end before anybody could read a line of progress.
SILENT = ("gang_checks",)
JOB_MODULES = ("jobs", "ps_job", "pytorchjob", "tfjob", "volcano_job")
HEADER = (
    "#!/usr/bin/python\n"
    "# Copyright: (c) 2026, the trainyard founders\n"
    "# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)\n"
    "# SPDX-License-Identifier: GPL-3.0-or-later\n"
)


@pytest.mark.parametrize("module", tree.MODULES)
def test_has_a_unit_test(module: str) -> None:
    """Where the action plugin does all the work, its test is the module's."""
    kinds = ["modules", "action"] if module in tree.ACTIONS else ["modules"]
    wanted = [tree.ROOT / "tests" / "unit" / "plugins" / kind / f"test_{module}.py" for kind in kinds]
    assert any(path.is_file() for path in wanted), f"none of {[str(path.relative_to(tree.ROOT)) for path in wanted]}"


@pytest.mark.parametrize("module", API_MODULES)
def test_has_an_api_test(module: str) -> None:
    assert list((tree.ROOT / "tests" / "integration").glob(f"*/test_{module}*.py"))


@pytest.mark.parametrize("module", tree.MODULES)
def test_begins_with_the_licence(module: str) -> None:
    assert (tree.ROOT / "plugins" / "modules" / f"{module}.py").read_text().startswith(HEADER)


@pytest.mark.parametrize("module", tree.MODULES)
def test_says_what_check_and_diff_mode_do(module: str) -> None:
    """The attributes may stand in the module or in its fragments; ansible-doc in the sanity tier sees both."""
    documentation = tree.module_documents(module)["DOCUMENTATION"]
    attributes = documentation.get("attributes", {})
    assert {"check_mode", "diff_mode"} <= set(attributes) or documentation.get("extends_documentation_fragment")


@pytest.mark.parametrize("module", tree.MODULES)
def test_examples_name_the_module_in_full(module: str) -> None:
    examples = tree.module_documents(module)["EXAMPLES"]
    assert any(f"trainyard.mlstack.{module}" in task for task in examples)
    short = [key for task in examples for key in task if key == module]
    assert not short, "write trainyard.mlstack.<module>"


@pytest.mark.parametrize("action", tree.ACTIONS)
def test_action_plugin_has_a_documented_module(action: str) -> None:
    assert action in tree.MODULES


@pytest.mark.parametrize("module", [name for name in API_MODULES if name not in SILENT])
def test_api_module_shows_its_steps(module: str) -> None:
    """The action plugin is the one of the module's name, or the one that meta/runtime.yml names in its place."""
    assert (module in tree.ACTIONS) != (module in ROUTED)
    collection, _dot, action = ROUTED.get(module, f"trainyard.mlstack.{module}").rpartition(".")
    assert collection == "trainyard.mlstack"
    plugin = importlib.import_module(f"ansible_collections.trainyard.mlstack.plugins.action.{action}").ActionModule
    assert issubclass(plugin, JobAction if module in JOB_MODULES else ApiAction)


def test_no_module_is_routed_that_needs_no_route() -> None:
    assert set(ROUTED) <= set(API_MODULES)
    # Ansible takes module_defaults by the name behind a redirect, so those of one module would reach all the others.
    assert "action" not in RUNTIME["plugin_routing"]


def test_action_group_lists_the_modules_that_take_a_kubeconfig() -> None:
    """Those are the ones for which module_defaults of the group are meant."""
    fragment = (tree.ROOT / "plugins" / "doc_fragments" / "api.py").read_text()
    assert "kubeconfig:" in fragment
    takers = []
    for module in tree.MODULES:
        documentation = tree.module_documents(module)["DOCUMENTATION"]
        fragments = documentation.get("extends_documentation_fragment", [])
        own = "kubeconfig" in documentation.get("options", {})
        if own or any(name.startswith("trainyard.mlstack.api") for name in fragments):
            takers.append(module)
    assert takers == sorted(API_MODULES)


def without_samples(document: Any) -> Any:
    """Return a document without its examples of values: each kind of job has its own."""
    if isinstance(document, dict):
        return {key: without_samples(value) for key, value in document.items() if key != "sample"}
    return document


def test_modules_for_jobs_return_the_same() -> None:
    """What they return is made by one function; RETURN cannot come from a fragment, so one module has the text."""
    documents = {module: tree.module_documents(module) for module in tree.MODULES}
    full = documents["jobs"]["RETURN"]
    returned = {
        module: document["RETURN"]
        for module, document in documents.items()
        if "trainyard.mlstack.job" in document["DOCUMENTATION"].get("extends_documentation_fragment", [])
    }
    assert len(returned) >= 2
    for module, own in returned.items():
        assert without_samples(own) == without_samples(returned["tfjob"]), module
        assert "RV(trainyard.mlstack.jobs#module:jobs)" in own["jobs"]["description"][0], module
        (sample,) = own["jobs"]["sample"]
        assert sample["kind"] == module
        assert set(sample) <= set(full["jobs"]["contains"]), module
        # Without a job of its own at the top.
        assert set(own) - set(full) == {"manifest"}
        assert own["note"] == full["note"], module


def test_every_plugin_file_is_named_in_a_test() -> None:
    """Modules have a test of their own name (above), helpers too (test_layout)."""
    tests = "\n".join(path.read_text() for path in (tree.ROOT / "tests").rglob("*.py"))
    tests += "".join(path.name for path in (tree.ROOT / "tests").rglob("test_*.py"))
    plugins = [
        path
        for kind in ("lookup", "callback", "action")
        for path in sorted((tree.ROOT / "plugins" / kind).glob("*.py"))
    ]
    assert len(plugins) > 10
    untested = [path for path in plugins if path.stem not in tests]
    assert not untested, f"no test names {tree.names(untested)}"
