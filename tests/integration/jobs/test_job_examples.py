# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every task that documentation shows for a module that renders jobs: the server takes what it renders.

Modules and guides are found by what they say, so a new one is tested the day it comes.
"""

from __future__ import annotations

import ast
import re
from importlib import import_module
from typing import Any, Iterator

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object
from tests.integration.support.strict import refusals
from tests.support.paths import ROOT
from tests.support.volcano import needed_for

_COLLECTION = "trainyard.mlstack"
_FENCED = re.compile(r"^( *)```ya?ml\n(.*?)^\1```", re.DOTALL | re.MULTILINE)


def renderers() -> list[str]:
    """Return the modules that have a state `rendered`."""
    return [path.stem for path in sorted((ROOT / "plugins/modules").glob("*.py")) if "rendered" in _states(path.stem)]


def _states(module: str) -> list[str]:
    documentation = yaml.safe_load(_constant(module, "DOCUMENTATION"))
    fragments = documentation.get("extends_documentation_fragment") or []
    texts = [documentation]
    for name in [fragments] if isinstance(fragments, str) else fragments:
        fragment = import_module(f"ansible_collections.{_COLLECTION}.plugins.doc_fragments.{name.rpartition('.')[2]}")
        texts.append(yaml.safe_load(fragment.ModuleDocFragment.DOCUMENTATION))
    return [state for text in texts for state in (text.get("options") or {}).get("state", {}).get("choices", [])]


def _constant(module: str, name: str) -> str:
    for node in ast.parse((ROOT / f"plugins/modules/{module}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return str(ast.literal_eval(node.value))
    return ""


MODULES = renderers()


def shown() -> Iterator[Any]:
    """Return every task for such a module in EXAMPLES and in the YAML of the guides, named by where it stands."""
    for module in MODULES:
        yield from _tasks(module, _constant(module, "EXAMPLES"))
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted(ROOT.glob("roles/*/README.md"))]:
        for indent, block in _FENCED.findall(path.read_text(encoding="utf-8")):
            yield from _tasks(str(path.relative_to(ROOT)), re.sub(f"^{indent}", "", block, flags=re.MULTILINE))


def _tasks(where: str, text: str) -> Iterator[Any]:
    words = [*(f"{_COLLECTION}.{module}:" for module in MODULES), *(f"kind: {name}" for name in JOB_KINDS)]
    if any(word in text for word in words):
        for number, (module, options) in enumerate(_found(list(yaml.safe_load_all(text)))):
            yield pytest.param(module, options, id=f"{where}-{number}")


def _found(thing: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return module and options of every task in a YAML document, and of every file of jobs."""
    if isinstance(thing, list):
        for item in thing:
            yield from _found(item)
    elif isinstance(thing, dict):
        jobs = thing.get("jobs")
        if isinstance(jobs, list) and all(isinstance(job, dict) and job.get("kind") in JOB_KINDS for job in jobs):
            yield "jobs", thing
        for key, value in thing.items():
            module = str(key).removeprefix(f"{_COLLECTION}.")
            if module == key or module not in MODULES:
                yield from _found(value)
            # What lies in a file of the user's is not shown.
            elif "file" not in value:
                yield module, value


def questions() -> Iterator[Any]:
    """Return every task that EXAMPLES show for a module that only reads jobs, named by where it stands."""
    for path in sorted((ROOT / "plugins/modules").glob("*job*_info.py")):
        tasks = yaml.safe_load(_constant(path.stem, "EXAMPLES"))
        asked = [task[f"{_COLLECTION}.{path.stem}"] for task in tasks if f"{_COLLECTION}.{path.stem}" in task]
        assert asked, f"{path.stem} shows no task"
        for number, options in enumerate(asked):
            yield pytest.param(path.stem, options, id=f"{path.stem}-{number}")


TASKS = list(shown())


def test_every_module_shows_a_job() -> None:
    assert {"tfjob"} <= set(MODULES)
    assert {task.values[0] for task in TASKS} == set(MODULES)


@pytest.mark.parametrize(("module", "options"), TASKS)
def test_what_is_shown_works(judge: ApiServer, run_on_cluster: Run, module: str, options: dict[str, Any]) -> None:
    needed_for(module)
    if options.get("state") == "absent":
        gone = run_on_cluster(module, **options)
        assert (gone.get("failed"), gone["changed"]) == (None, False), gone
        return
    result = run_on_cluster(module, **{**options, "state": "rendered"})
    assert not result.get("failed"), result["msg"]
    assert result["jobs"]
    for entry in result["jobs"]:
        run_on_cluster("objects", objects=[namespace_object(entry["namespace"])])
        root, *parts = entry["manifests"]
        job = Job(JOB_KINDS[entry["kind"]], entry["name"], entry["namespace"], root, parts)
        assert refusals(judge, job) == []


@pytest.mark.parametrize(("module", "options"), list(questions()))
def test_what_is_asked_is_answered(judge: ApiServer, run_on_cluster: Run, module: str, options: dict[str, Any]) -> None:
    run_on_cluster("objects", objects=[namespace_object("team-a")])
    job = {"name": "bert", "namespace": "team-a", "image": "t:1", "replicas": {"Worker": {"replicas": 2}}}
    # Nobody starts it: there is no kubelet that could be asked for a log.
    run_on_cluster("tfjob", **job, template={"spec": {"schedulerName": "nobody"}})
    with judge.quiet():
        answer = run_on_cluster(module, **options)
    assert not answer.get("failed"), answer["msg"]
    assert not answer["changed"]
