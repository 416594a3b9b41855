# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a task's arguments to the jobs that it asks for, and all that is wrong with them at once. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.gang import BACKENDS
from .._kube.module import api_spec
from .keys import Keys, read_keys
from .name_clash import check_list
from .options import JobType, RequestedJob, Spec, laid_over, rendered, twice, validated
from .quota import MODES, WARN

STATES = ("present", "suspended", "absent", "rendered")

Raw = Mapping[str, Any]
Read = Tuple[List[RequestedJob], List[Problem]]
Reader = Callable[[Raw], Read]


@dataclass(frozen=True)
class _Asked:
    """One job as it was written. raw: its options, with the common ones. keys: what its keys say."""

    job_type: JobType
    title: str
    raw: Raw
    keys: Keys


def run_options() -> Spec:
    """Return what is to be done with the jobs: the doc fragment `job_run`."""
    return {
        "state": {"type": "str", "choices": list(STATES), "default": "present"},
        "recreate": {"type": "bool", "default": False},
        "quota_check": {"type": "str", "choices": list(MODES), "default": WARN},
        "wait": {"type": "bool", "default": False},
        "timeout": {"type": "int", "default": 3600},
        "logs": {"type": "bool", "default": False},
        "log_lines": {"type": "int", "default": 20},
        "manifest_dir": {"type": "path"},
        **api_spec(),
    }


def spec_of(job_type: JobType) -> Spec:
    """Return the argument spec of a module for jobs of one kind."""
    jobs = {"type": "list", "elements": "dict"}
    return {**job_type.job_spec(), "name": {"type": "str"}, "jobs": jobs, **run_options()}


def read(job_type: JobType, raw: Raw) -> Read:
    """Return the jobs of one kind that a task asks for: one, or a list with what stands beside it as defaults."""
    page, job_spec = job_type.kind.name, job_type.job_spec()
    keys = read_keys(raw, spec_of(job_type), job_type.kind)
    raw = keys.options
    # What a job has is validated with it.
    run, problems = validated({**spec_of(job_type), **{key: {"type": "raw"} for key in job_spec}}, raw, page, page)
    problems = [*keys.problems, *problems, *_misplaced(run)]
    common, state = {key: value for key, value in raw.items() if key in _words(job_spec)}, str(run.get("state"))
    if run.get("jobs") is None:
        wanted, more = _one(_Asked(job_type, page, common, keys), state)
        return wanted, problems + more
    common.pop("name", None)
    asked = []
    for number, own in enumerate(run["jobs"]):
        if isinstance(own, dict):
            title = f"jobs[{number}]"
            own_keys = _keys(own, job_type, title)
            # Without a common option much would seem to be missing.
            own_keys = own_keys._replace(clear=own_keys.clear and keys.clear)
            asked.append(_Asked(job_type, title, laid_over(common, own_keys.options), own_keys))
    wanted, more = _each(asked, state)
    return wanted, problems + more


def mixed_spec() -> Spec:
    """Return the argument spec of the module for jobs of all kinds."""
    return {
        "jobs": {"type": "list", "elements": "dict"},
        "defaults": {"type": "dict", "default": {}},
        "gang_backend": {"type": "str", "choices": list(BACKENDS), "default": "native"},
        # These two are for the action plugin, which takes them out.
        "file": {"type": "path"},
        "report_file": {"type": "path"},
        **run_options(),
    }


def read_mixed(types: Mapping[str, JobType], raw: Raw) -> Read:
    """Return the jobs of any kind that a task asks for."""
    every = _union([job_type.job_spec() for job_type in types.values()])
    keys = read_keys(raw, mixed_spec(), None, {**mixed_spec(), "defaults": {"type": "dict", "options": every}})
    run, problems = validated(mixed_spec(), keys.options, "jobs", "jobs")
    problems = [*keys.problems, *problems, *_misplaced(run)]
    defaults, jobs = run.get("defaults"), run.get("jobs")
    if jobs is None and not problems:
        problems = [Problem("jobs", "nothing", "must be given", "Give jobs, or file with a list of them")]
    common = defaults if isinstance(defaults, dict) else {}
    # Which kinds know a default is seen below; what none of them knows is wrong.
    common_keys = read_keys(common, every, None, {**mixed_spec(), **_list_of(every)}, "defaults")
    problems += common_keys.problems
    asked = []
    for number, own in enumerate(jobs if isinstance(jobs, list) else []):
        title, kind = f"jobs[{number}]", str(own.get("kind")) if isinstance(own, dict) else ""
        if kind not in types:
            rule = f"must be one of {', '.join(types)}"
            way_out = f"Write it {kind.lower()}" if kind.lower() in types else "Say what kind of job it is"
            problems.append(Problem(f"{title}.kind", kind or "None", rule, way_out))
            continue
        mine = {key: value for key, value in own.items() if key != "kind"}
        words = _words(types[kind].job_spec())
        known = {key: value for key, value in common_keys.options.items() if key in words}
        own_keys = _keys(mine, types[kind], title)
        own_keys = own_keys._replace(clear=own_keys.clear and common_keys.clear)
        options = _with_backend(laid_over(known, own_keys.options), run.get("gang_backend"))
        asked.append(_Asked(types[kind], title, options, own_keys))
    wanted, more = _each(asked, str(run.get("state")))
    return wanted, problems + more


def _with_backend(raw: Raw, backend: Any) -> Raw:
    """Return the options of a job with the backend of its gang, if it has a gang and does not name one."""
    gang = raw.get("gang")
    if not isinstance(gang, dict) or gang.get("backend") is not None or backend not in BACKENDS:
        return raw
    return {**raw, "gang": {**gang, "backend": backend}}


def _union(specs: Sequence[Spec]) -> Dict[str, Any]:
    """Return all options of several specs, each with the parts that it has in any of them."""
    result: Dict[str, Any] = {}
    for spec in specs:
        for name, option in spec.items():
            known: Dict[str, Any] = {**option, **result.get(name, {})}
            parts = {**known.get("options", {}), **option.get("options", {})}
            result[name] = {**known, "options": parts} if parts else known
    return result


def _words(spec: Spec) -> List[str]:
    """Return the names of options and their aliases."""
    return [word for name, option in spec.items() for word in (name, *option.get("aliases", ()))]


def _misplaced(run: Raw) -> List[Problem]:
    """Return the arguments that have no effect beside the others."""
    folder, state = run.get("manifest_dir"), run.get("state")
    if not folder or state == "rendered":
        return []
    rule = f"has no effect with state {state}, which writes to the cluster"
    return [Problem("manifest_dir", str(folder), rule, "Drop it, or set state to rendered")]


def _keys(own: Raw, job_type: JobType, title: str) -> Keys:
    """Return what the keys of a job in a list say."""
    spec = job_type.job_spec()
    return read_keys(own, spec, job_type.kind, {**run_options(), **_list_of(spec)}, title)


def _list_of(spec: Spec) -> Dict[str, Any]:
    """Return the option that is a list of jobs with these options."""
    return {"jobs": {"type": "list", "elements": "dict", "options": spec}}


def _each(asked: Sequence[_Asked], state: str) -> Read:
    """Return the jobs of a list, and what is wrong with each and between them."""
    wanted: List[RequestedJob] = []
    problems: List[Problem] = []
    for one in asked:
        found, more = _one(one, state)
        wanted += found
        problems += [*one.keys.problems, *more]
    problems += twice(wanted) or check_list([each.job for each in wanted if each.job])
    return wanted, problems


def _one(asked: _Asked, state: str) -> Read:
    """Return one job in a list, empty when its options cannot be read, and what is wrong with their values."""
    job_type, title = asked.job_type, asked.title
    options, problems = validated(job_type.job_spec(), asked.raw, title, job_type.kind.name)
    if problems or not asked.keys.clear:
        return [], problems
    wanted = RequestedJob(job_type, title, {**options, "suspend": True} if state == "suspended" else options)
    if state == "absent":
        return [wanted], []
    wanted, problems = rendered(wanted)
    # With a key put right all else could be judged; it is not run.
    return [] if asked.keys.problems else [wanted], problems
