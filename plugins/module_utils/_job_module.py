# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all modules for training jobs do: read options, bring the jobs to their state, wait, report."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple

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
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_live import JobsReader
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_options import (
    Maker,
    Spec,
    Wanted,
    laid_over,
    rendered,
    twice,
    validated,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_result import (
    ending_result,
    failure,
    identity_result,
    state_result,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_run import JobsRefused, JobsRunner
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_wait import JobsWait
from ansible_collections.trainyard.mlstack.plugins.module_utils._name_clash import check_list
from ansible_collections.trainyard.mlstack.plugins.module_utils._outcome import ObjectsFailed, Outcome, diffs
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem, report
from ansible_collections.trainyard.mlstack.plugins.module_utils._quota import MODES
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Ref

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
        "quota_check": {"type": "str", "choices": list(MODES), "default": "warn"},
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
    problems += twice(wanted) or check_list([each.job for each in wanted if each.job])
    return wanted, problems


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


def bring(module: JobModule) -> None:
    """Bring the jobs to their state and end the module."""
    params, check_mode = module.params, module.check_mode
    note = no_cluster_yet(module)
    if note:
        finish(module, {wanted.ref: [predicted(wanted)] for wanted in module.wanted}, note=note)
    store, say = open_store(module), progress(module)
    reader = JobsReader(store, [(wanted.maker.kind, wanted.ref) for wanted in module.wanted])
    runner = JobsRunner(store, reader, say, check_mode, params["quota_check"])
    if params["state"] == "absent":
        done = runner.absent([wanted.ref for wanted in module.wanted])
    else:
        done = runner.present([wanted.job for wanted in module.wanted if wanted.job], params["recreate"])
    for warning in runner.warnings:
        module.warn(warning)
    if not params["wait"] or params["state"] == "absent" or check_mode:
        finish(module, done, {ref: state_result(state, {}) for ref, state in reader.look().items()})
    suspended = [wanted.ref for wanted in module.wanted if wanted.options.get("suspend")]
    wait = JobsWait(reader, say, params["log_lines"], params["logs"], suspended)
    endings = wait.run(Deadline(params["timeout"]))
    told = {ref: ending_result(ending, params["logs"]) for ref, ending in endings.items()}
    finish(module, done, told, failure=failure(endings))


def predicted(wanted: Wanted) -> Outcome:
    """Return what would be done with a job where there is no cluster yet."""
    return Outcome(wanted.ref, "created", None, wanted.job.root) if wanted.job else Outcome(wanted.ref, "absent")


def finish(
    module: JobModule,
    done: Mapping[Ref, Sequence[Outcome]],
    told: Optional[Mapping[Ref, Mapping[str, Any]]] = None,
    failure: str = "",
    **more: Any,
) -> NoReturn:
    """End the module. With one job that stands at the top its result stands there, too.

    done: what became of the objects of each job. told: what the cluster says of each job. failure: why the task fails.
    """
    results = [
        {
            **identity_result(wanted),
            "changed": any(outcome.changed for outcome in done.get(wanted.ref, ())),
            **((told or {}).get(wanted.ref) or {}),
        }
        for wanted in module.wanted
    ]
    result: Dict[str, Any] = dict(results[0]) if module.params["jobs"] is None else {}
    result.update(changed=any(item["changed"] for item in results), jobs=results, **more)
    if module._diff:
        result["diff"] = diffs([outcome for wanted in module.wanted for outcome in done.get(wanted.ref, ())])
    for item in results:
        for note in item.get("notes", ()):
            module.warn(f"{item['kind']} {item['namespace']}/{item['name']}: {note}")
    if failure:
        module.fail_json(msg=failure, **result)
    module.exit_json(**result)


def main(kind: JobKind, render: Renderer, spec: Mapping[str, Any]) -> None:
    """Entry point of a module for jobs of one kind. spec: its options of one job, but for name, namespace and the like.

    Its documentation takes these from the doc fragment `job`.
    """
    module = JobModule(Maker(kind, render, spec))
    if module.params["state"] == "rendered":
        finish(module, {})
    try:
        bring(module)
    except JobsRefused as error:
        module.fail_json(msg=str(error), changed=False)
    except ObjectsFailed as error:
        done: Dict[Ref, List[Outcome]] = {}
        for outcome in error.outcomes:
            done.setdefault(outcome.ref, []).append(outcome)
        finish(module, done, failure=str(error))
    except ApiError as error:
        module.fail_json(msg=error.message)
