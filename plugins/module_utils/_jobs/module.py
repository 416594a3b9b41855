# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all modules for training jobs do: read options, bring the jobs to their state, wait, report."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible.module_utils.common.yaml import HAS_YAML

from .._common.deadline import Deadline
from .._common.problem import Problem, report
from .._job_model.kind import JobKind
from .._kube.cluster import Cluster, LiveCluster
from .._kube.errors import ApiError
from .._kube.module import no_cluster_yet, open_store, progress
from .._kube.outcome import ObjectsFailed, Outcome, diffs
from .._kube.resource import Ref
from .files import file_of, write
from .keys import read_keys
from .live import JobsReader
from .options import RequestedJob, Spec, for_cluster, job_type
from .read import Reader, read, spec_of
from .result import ending_result, failure, identity_result, state_result
from .run import JobsRefused, JobsRunner
from .wait import JobsWait


class JobModule(AnsibleModule):
    """A module for jobs. It judges all of them before AnsibleModule stops at the first thing it dislikes.

    wanted: the jobs that are asked for, in their order.
    """

    def __init__(self, read_jobs: Reader, spec: Spec, **rules: Any) -> None:
        self.wanted: List[RequestedJob] = []
        self._read = read_jobs
        self._spec = spec
        self._problems: List[Problem] = []
        super().__init__(argument_spec=spec, supports_check_mode=True, **rules)
        if self._problems:
            self.fail_json(msg="")

    def _load_params(self) -> None:
        """Read what the user wrote; AnsibleModule validates it afterwards."""
        super()._load_params()
        raw = {key: value for key, value in self.params.items() if not key.startswith("_ansible_")}
        self.wanted, self._problems = self._read(raw)
        if self._problems:
            # AnsibleModule breaks off with a traceback where a map is wanted and something else is given.
            internal = {key: value for key, value in self.params.items() if key not in raw}
            self.params = {**internal, **read_keys(raw, self._spec).options}

    def render_for(self, cluster: Cluster) -> None:
        """Bring the jobs into the form that a cluster wants; end with what is wrong with them there."""
        found = [for_cluster(wanted, cluster) for wanted in self.wanted]
        self.wanted = [wanted for wanted, _problems in found]
        self._problems = [problem for _wanted, problems in found for problem in problems]
        if self._problems:
            self.fail_json(msg="")

    def fail_json(self, msg: str, **kwargs: Any) -> NoReturn:
        """End with everything that is wrong with the options, else with the message."""
        super().fail_json(msg=report(self._problems) if self._problems else msg, **kwargs)


def bring(module: JobModule) -> None:
    """Bring the jobs to their state and end the module."""
    params, check_mode = module.params, module.check_mode
    note = no_cluster_yet(module)
    if note:
        finish(module, {wanted.ref: [predicted(wanted)] for wanted in module.wanted}, note=note)
    store, say = open_store(module), progress(module)
    module.render_for(LiveCluster(store))
    reader = JobsReader(store, [(wanted.type.kind, wanted.ref) for wanted in module.wanted])
    runner = JobsRunner(store, reader, say, check_mode, params["quota_check"])
    if params["state"] == "absent":
        done = runner.absent([wanted.ref for wanted in module.wanted])
    else:
        done = runner.present([wanted.job for wanted in module.wanted if wanted.job], params["recreate"])
    for warning in runner.warnings:
        module.warn(warning)
    if not params["wait"] or params["state"] == "absent" or check_mode:
        told = {ref: state_result(state, {}) for ref, state in reader.look().items()}
        finish(module, together(done, runner.clear()), told)
    suspended = [wanted.ref for wanted in module.wanted if wanted.options.get("suspend")]
    cleared: List[Mapping[Ref, Sequence[Outcome]]] = []

    def clear(ended: Sequence[Ref]) -> None:
        cleared.append(runner.clear(ended))

    wait = JobsWait(reader, say, params["log_lines"], params["logs"], suspended, clear)
    endings = wait.run(Deadline(params["timeout"]))
    told = {ref: ending_result(ending, params["logs"]) for ref, ending in endings.items()}
    finish(module, together(done, *cleared, runner.clear()), told, failure=failure(endings))


def together(*several: Mapping[Ref, Sequence[Outcome]]) -> Dict[Ref, List[Outcome]]:
    """Return what became of the objects of each job, from several steps."""
    found: Dict[Ref, List[Outcome]] = {}
    for outcomes in several:
        for ref, each in outcomes.items():
            found.setdefault(ref, []).extend(each)
    return found


def write_files(module: JobModule) -> NoReturn:
    """Write each job as a file where that is asked for, and end the module."""
    folder = module.params["manifest_dir"]
    if folder and not HAS_YAML:
        module.fail_json(msg=missing_required_lib("PyYAML"))
    try:
        files = {wanted.ref: file_of(wanted.job, folder) for wanted in module.wanted if wanted.job and folder}
        for file in files.values():
            if file.changed and not module.check_mode:
                write(file)
    except OSError as error:
        problem = Problem("manifest_dir", folder, str(error), "Name a folder that can be written")
        module.fail_json(msg=report([problem]))
    told = {ref: {"changed": file.changed, "file": file.path} for ref, file in files.items()}
    finish(module, {}, told, files=[file.diff() for file in files.values() if file.changed])


def predicted(wanted: RequestedJob) -> Outcome:
    """Return what would be done with a job where there is no cluster yet."""
    return Outcome(wanted.ref, "created", None, wanted.job.root) if wanted.job else Outcome(wanted.ref, "absent")


def finish(
    module: JobModule,
    done: Mapping[Ref, Sequence[Outcome]],
    told: Optional[Mapping[Ref, Mapping[str, Any]]] = None,
    failure: str = "",
    files: Sequence[Mapping[str, str]] = (),
    **more: Any,
) -> NoReturn:
    """End the module. With one job that stands at the top its result stands there, too.

    done: what became of the objects of each job. told: what the cluster says of each job. failure: why the task fails.
    files: the diff of files.
    """
    results = [
        {
            **identity_result(wanted),
            "changed": any(outcome.changed for outcome in done.get(wanted.ref, ())),
            **((told or {}).get(wanted.ref) or {}),
        }
        for wanted in module.wanted
    ]
    result: Dict[str, Any] = {}
    if module.params["jobs"] is None:
        root = {"manifest": results[0]["manifests"][0]} if "manifests" in results[0] else {}
        result = {**results[0], **root}
    result.update(changed=any(item["changed"] for item in results), jobs=results, **more)
    if module._diff:
        outcomes = [outcome for wanted in module.wanted for outcome in done.get(wanted.ref, ())]
        result["diff"] = [*files, *diffs(outcomes)]
    for item in results:
        log = [f"its log is {item['logs_unavailable']}"] if "logs_unavailable" in item else []
        for note in [*item.get("notes", ()), *log]:
            module.warn(f"{item['kind']} {item['namespace']}/{item['name']}: {note}")
    if failure:
        module.fail_json(msg=failure, **result)
    module.exit_json(**result)


def main(kind: JobKind) -> None:
    """Entry point of a module for jobs of one kind. Its documentation takes common options from doc fragment `job`."""
    of_kind, one_or_list = job_type(kind), [("name", "jobs")]
    spec = spec_of(of_kind)
    run(JobModule(partial(read, of_kind), spec, mutually_exclusive=one_or_list, required_one_of=one_or_list))


def run(module: JobModule) -> None:
    """Do what the module's options say, and end it."""
    try:
        if module.params["state"] == "rendered":
            write_files(module)
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
