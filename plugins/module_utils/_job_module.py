# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all modules for training jobs do: read options, bring the jobs to their state, wait, report."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NoReturn, Tuple

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._api_module import (
    api_spec,
    no_cluster_yet,
    open_store,
    progress,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job import Renderer
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_options import (
    Maker,
    Spec,
    Wanted,
    laid_over,
    rendered,
    twice,
    validated,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_report import details, headline, replica_results
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_run import Ending, JobRefused, JobRunner
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_state import JobState
from ansible_collections.trainyard.mlstack.plugins.module_utils._outcome import ObjectsFailed, Outcome, diffs
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem, report

STATES = ("present", "suspended", "absent", "rendered")


def run_options() -> Spec:
    """Return what is to be done with the jobs: the other part of the doc fragment `job`."""
    return {
        "jobs": {"type": "list", "elements": "dict"},
        "state": {"type": "str", "choices": list(STATES), "default": "present"},
        "recreate": {"type": "bool", "default": False},
        "wait": {"type": "bool", "default": False},
        "timeout": {"type": "int", "default": 3600},
        "logs": {"type": "bool", "default": False},
        "log_lines": {"type": "int", "default": 20},
        **api_spec(),
    }


class JobModule(AnsibleModule):
    """A module for jobs of one kind. It judges all of them before AnsibleModule stops at the first thing it dislikes.

    wanted: the jobs that are asked for, in their order.
    """

    def __init__(self, maker: Maker) -> None:
        self.maker = maker
        self.wanted: List[Wanted] = []
        self._problems: List[Problem] = []
        name = {"name": {"type": "str"}}
        super().__init__(
            argument_spec={**maker.job_spec(), **name, **run_options()},
            mutually_exclusive=[("name", "jobs")],
            required_one_of=[("name", "jobs")],
            supports_check_mode=True,
        )
        if self._problems:
            self.fail_json(msg="")

    def _load_params(self) -> None:
        """Read what the user wrote; AnsibleModule validates it afterwards."""
        super()._load_params()
        raw = {key: value for key, value in self.params.items() if not key.startswith("_ansible_")}
        self.wanted, self._problems = read(self.maker, raw)

    def fail_json(self, msg: str, **kwargs: Any) -> NoReturn:
        """End with everything that is wrong with the options, else with the message."""
        super().fail_json(msg=report(self._problems) if self._problems else msg, **kwargs)


def read(maker: Maker, raw: Mapping[str, Any]) -> Tuple[List[Wanted], List[Problem]]:
    """Return the jobs that are asked for, and all that is wrong with what the user wrote."""
    spec, page = maker.job_spec(), maker.kind.name
    run, problems = validated({**{key: {"type": "raw"} for key in spec}, **run_options()}, raw, page, page)
    common = {key: value for key, value in raw.items() if key in spec}
    if run.get("jobs") is None:
        asked: List[Tuple[str, Mapping[str, Any]]] = [(page, common)]
    else:
        common.pop("name", None)
        asked = [(f"jobs[{n}]", laid_over(common, own)) for n, own in enumerate(run["jobs"]) if isinstance(own, dict)]
    wanted: List[Wanted] = []
    for title, options in asked:
        found, wrong = _one(maker, title, options, str(run.get("state")))
        wanted += found
        problems += wrong
    return wanted, problems + twice(wanted)


def _one(maker: Maker, title: str, raw: Mapping[str, Any], state: str) -> Tuple[List[Wanted], List[Problem]]:
    """Return one job in a list, empty when its options cannot be read, and what is wrong with it."""
    options, problems = validated(maker.job_spec(), raw, title, maker.kind.name)
    if problems:
        return [], problems
    wanted = Wanted(maker, title, {**options, "suspend": True} if state == "suspended" else options)
    if state == "absent":
        return [wanted], []
    wanted, problems = rendered(wanted)
    return [wanted], problems


def state_result(state: JobState, logs: Dict[str, str]) -> Dict[str, Any]:
    """Return a state as the module returns it."""
    result: Dict[str, Any] = {
        "state": state.state,
        "reason": state.reason,
        "message": state.message,
        "replicas": replica_results(state.replicas, logs),
    }
    if state.duration_s is not None:
        result["duration_s"] = state.duration_s
    return result


def ending_result(ending: Ending, with_logs: bool) -> Dict[str, Any]:
    """Return the end of the wait as the module returns it."""
    result = {"end": ending.end, **state_result(ending.state, ending.tails)}
    if with_logs:
        result["logs"] = ending.log
        if ending.no_log:
            result["logs_unavailable"] = ending.no_log
    return result


def identity_result(wanted: Wanted) -> Dict[str, Any]:
    """Return what is known of a job without a cluster."""
    result: Dict[str, Any] = {"kind": wanted.maker.kind.name, "name": wanted.name, "namespace": wanted.namespace}
    if wanted.job:
        manifests = [wanted.job.root, *wanted.job.parts]
        result.update(manifest=wanted.job.root, manifests=manifests, notes=list(wanted.job.notes))
    return result


def bring(module: JobModule) -> None:
    """Bring the jobs to their state and end the module."""
    params, check_mode = module.params, module.check_mode
    results = [{**identity_result(wanted), "changed": False} for wanted in module.wanted]
    note = no_cluster_yet(module)
    outcomes: List[Outcome] = []
    if note:
        for wanted, result in zip(module.wanted, results):
            ref = wanted.maker.kind.ref(wanted.name, wanted.namespace)
            predicted = Outcome(ref, "created", None, wanted.job.root) if wanted.job else Outcome(ref, "absent")
            outcomes.append(predicted)
            result["changed"] = outcomes[-1].changed
        finish(module, results, outcomes, note=note)
    store, say = open_store(module), progress(module)
    runners = [
        JobRunner(store, wanted.maker.kind, wanted.maker.kind.ref(wanted.name, wanted.namespace), say)
        for wanted in module.wanted
    ]
    for wanted, runner, result in zip(module.wanted, runners, results):
        if wanted.job is None:
            outcome = runner.absent(check_mode)
        else:
            outcome = runner.present(wanted.job, params["recreate"], check_mode)
        outcomes.append(outcome)
        result["changed"] = outcome.changed
    waits = params["wait"] and params["state"] in ("present", "suspended") and not check_mode
    lines: List[str] = []
    for wanted, runner, result in zip(module.wanted, runners, results):
        if not waits:
            result.update(state_result(runner.reader.look(), {}))
            continue
        ending = runner.wait(
            Deadline(params["timeout"]), params["log_lines"], params["logs"], wanted.options.get("suspend", False)
        )
        result.update(ending_result(ending, params["logs"]))
        if ending.end not in ("succeeded", "suspended"):
            ref = wanted.maker.kind.ref(wanted.name, wanted.namespace)
            lines.append(headline(ref, ending.end, ending.state, ending.spent))
            lines += details(ending.state.replicas, ending.tails)
    finish(module, results, outcomes, failure="\n".join(lines))


def finish(
    module: JobModule, results: List[Dict[str, Any]], outcomes: List[Outcome], failure: str = "", **more: Any
) -> None:
    """End the module. With one job that stands at the top its result stands there, too."""
    result: Dict[str, Any] = dict(results[0]) if module.params["jobs"] is None else {}
    result.update(changed=any(item["changed"] for item in results), jobs=results, **more)
    if module._diff:
        result["diff"] = diffs(outcomes)
    for item in results:
        for note in item.get("notes", ()):
            module.warn(f"{item['namespace']}/{item['name']}: {note}")
    if failure:
        module.fail_json(msg=failure, **result)
    module.exit_json(**result)


def main(kind: JobKind, render: Renderer, spec: Mapping[str, Any]) -> None:
    """Entry point of a module for jobs of one kind. spec: its options of one job, but for name, namespace and the like.

    Its documentation takes these from the doc fragment `job`.
    """
    module = JobModule(Maker(kind, render, spec))
    if module.params["state"] == "rendered":
        finish(module, [{**identity_result(wanted), "changed": False} for wanted in module.wanted], [])
    try:
        bring(module)
    except JobRefused as error:
        module.fail_json(msg=report(error.problems))
    except ObjectsFailed as error:
        module.fail_json(msg=str(error))
    except ApiError as error:
        module.fail_json(msg=error.message)
