# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs against the quotas and limits of their namespaces, before they are submitted.

The API server takes a job whatever the quota says and refuses its pods one by one: half of a job then holds what
another half waits for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Dict, List, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.gang import least_of
from .._job_model.job import Job
from .._job_model.run_policy import is_suspended
from .._kube.errors import ApiError
from .._kube.quantity import readable
from .._kube.resource import Manifest
from .._kube.store import Store
from .._pods.demand import Amounts, Replicas, sum_of_all, sum_of_least
from .._pods.limit_range import filled, range_problems
from .quota_rules import PRIORITY, concerns, hard_and_used, scopes_of, unsaid, usage_of_objects, usage_of_pod

WARN, REFUSE, IGNORE = "warn", "refuse", "ignore"
MODES = (WARN, REFUSE, IGNORE)
_ENDED = ("Failed", "Succeeded")
# Names in one label selector: an address has its limit.
_AT_ONCE = 100
_NOTHING = Decimal(0)
_RIGHTS = "Let the user list resourcequotas and limitranges there, or set quota_check to ignore"


@dataclass
class Namespace:
    """What was read of one namespace.

    quotas, ranges: its ResourceQuotas and LimitRanges. priority: the class of pods that name none. pods: those of the
    jobs in question that are there already, from a run before: what they use is theirs again.
    """

    name: str
    quotas: Sequence[Manifest] = ()
    ranges: Sequence[Manifest] = ()
    priority: str = ""
    pods: Sequence[Manifest] = ()


@dataclass
class Findings:
    """What became clear.

    refused: pods that are refused whatever is used. short: jobs that find no room. partly: gangs that do, while some of
    their pods do not.
    """

    refused: List[Problem] = field(default_factory=list)
    short: List[Problem] = field(default_factory=list)
    partly: List[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _Asked:
    """One job: its pods as admission leaves them, and how many of them start together (0: all, each by itself)."""

    job: Job
    replicas: Sequence[Replicas]
    least: int


@dataclass(frozen=True)
class _Charge:
    """What one job would use of one quota: all of it, and what it starts with."""

    title: str
    all: Amounts
    least: Amounts


@dataclass(frozen=True)
class _Row:
    """One line of a quota."""

    field: str
    resource: str
    hard: Decimal
    used: Decimal


def judge(namespace: Namespace, jobs: Sequence[Job]) -> Findings:
    """Return what becomes of jobs that are submitted in this order. Pure."""
    found = Findings()
    asked = [_asked(job, namespace) for job in jobs if not _suspended(job)]
    for each in asked:
        found.refused += _refused(each, namespace)
    for quota in namespace.quotas:
        _compare(quota, namespace, [_charge(quota, each) for each in asked], found)
    return found


def _suspended(job: Job) -> bool:
    return any(is_suspended(manifest) for manifest in (job.root, *job.parts))


def _asked(job: Job, namespace: Namespace) -> _Asked:
    default = {"priorityClassName": namespace.priority} if namespace.priority else {}
    replicas = [
        replace(each, spec={**default, **filled(each.spec, namespace.ranges)})
        for each in job.kind.replicas(job.root, job.parts)
    ]
    least = job.kind.gang_minimum(job.root) or least_of(job.parts) or 0
    return _Asked(job, replicas, least)


def _title(job: Job) -> str:
    return f"{job.kind.title} {job.name}"


def _refused(asked: _Asked, namespace: Namespace) -> List[Problem]:
    """Return why pods are refused; what several replica types have in common is said once."""
    where: Dict[Problem, List[str]] = {}
    for each in asked.replicas:
        problems = range_problems(each.spec, namespace.ranges)
        for quota in namespace.quotas:
            if concerns(quota, each.spec):
                problems += unsaid(quota, each.spec)
        for problem in problems:
            where.setdefault(problem, []).append(each.title)
    return [
        replace(problem, field=f"{_title(asked.job)}: {_some(titles)}: {problem.field}")
        for problem, titles in where.items()
    ]


def _charge(quota: Manifest, asked: _Asked) -> _Charge:
    hard, _used = hard_and_used(quota)
    pods: List[Tuple[int, Amounts]] = [
        (each.count, _of(hard, usage_of_pod(each.spec)) if concerns(quota, each.spec) else {})
        for each in asked.replicas
    ]
    everything = sum_of_all(pods)
    least = sum_of_least(pods, asked.least) if asked.least else everything
    objects: Amounts = {}
    if not scopes_of(quota):
        objects = _of(hard, usage_of_objects(_objects(asked.job)))
    return _Charge(_title(asked.job), {**everything, **objects}, {**least, **objects})


def _objects(job: Job) -> List[Manifest]:
    """Return what is counted of a job: what we make, and what its controller does under its name."""
    made = [{"apiVersion": ref.api_version, "kind": ref.kind} for ref in job.kind.made_besides(job)]
    return [job.root, *job.parts, *made]


def _of(hard: Amounts, usage: Amounts) -> Amounts:
    return {name: value for name, value in usage.items() if name in hard}


def _compare(quota: Manifest, namespace: Namespace, charges: Sequence[_Charge], found: Findings) -> None:
    hard, used = hard_and_used(quota)
    running = [(1, usage_of_pod(pod["spec"])) for pod in namespace.pods if concerns(quota, pod["spec"])]
    ours = sum_of_all(running)
    for name, limit in hard.items():
        taken = max(used.get(name, _NOTHING) - ours.get(name, _NOTHING), _NOTHING)
        here = [charge for charge in charges if charge.all.get(name)]
        _place(_Row(f"ResourceQuota {namespace.name}/{quota['metadata']['name']}", name, limit, taken), here, found)


def _place(row: _Row, charges: Sequence[_Charge], found: Findings) -> None:
    """Give each job its room, in their order, and say which ones find none."""
    name, left = row.resource, row.hard - row.used
    never = [charge for charge in charges if charge.least[name] > row.hard]
    late: List[_Charge] = []
    for charge in charges:
        if charge in never:
            continue
        if charge.all[name] <= left:
            left -= charge.all[name]
        elif charge.least[name] <= left:
            rule = (
                f"{readable(left)} is left: {charge.title} can start and asks for {readable(charge.all[name])} in all"
            )
            found.partly.append(_problem(row, rule, "Wait for the others of its pods, or raise the quota"))
            left = _NOTHING
        else:
            late.append(charge)
    if never:
        most = max(charge.least[name] for charge in never)
        rule = f"{_need(never, most, 'up to ')}, more than it ever allows"
        found.short.append(_problem(row, rule, "Raise the quota, or ask for less"))
    if late:
        before = " after the others of the list" if left < row.hard - row.used else ""
        total = sum((charge.least[name] for charge in late), _NOTHING)
        rule = f"{readable(left)} is left{before}, {_need(late, total, 'together ')}"
        found.short.append(_problem(row, rule, "Wait until others end, ask for less, or raise the quota"))


def _need(charges: Sequence[_Charge], amount: Decimal, several: str) -> str:
    """Return which jobs need how much. several: what is said before the amount where there is more than one."""
    who = _some([charge.title for charge in charges])
    return f"{who} need {several}{readable(amount)}" if len(charges) > 1 else f"{who} needs {readable(amount)}"


def _problem(row: _Row, rule: str, way_out: str) -> Problem:
    return Problem(row.field, f"{row.resource} {readable(row.hard)}, {readable(row.used)} used", rule, way_out)


def _some(names: Sequence[str]) -> str:
    """Return the names, at most three of them."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def check_quota(store: Store, jobs: Sequence[Job], mode: str) -> Tuple[List[Problem], List[str]]:
    """Return why these jobs must not be submitted, and what their user should know. Only reads. Raises ApiError.

    jobs: those that are about to be made, in their order. mode: `warn` lets jobs wait for room, `refuse` does not,
    `ignore` does not look. Pods that no amount of room would help are refused in both.
    """
    problems: List[Problem] = []
    warnings: List[str] = []
    for name in dict.fromkeys(job.namespace for job in jobs) if mode != IGNORE else ():
        here = [job for job in jobs if job.namespace == name]
        try:
            found = _judge_live(store, name, here)
        except ApiError as error:
            if error.status != 403:
                raise
            unread = Problem("quota_check", mode, f"the quotas of namespace {name} may not be read", _RIGHTS)
            problems += [unread] if mode == REFUSE else []
            warnings += [unread.line()] if mode == WARN else []
            continue
        problems += found.refused + (found.short if mode == REFUSE else [])
        warnings += [problem.line() for problem in found.partly + (found.short if mode == WARN else [])]
    return problems, warnings


def _judge_live(store: Store, name: str, jobs: Sequence[Job]) -> Findings:
    namespace = Namespace(name, store.list("v1", "ResourceQuota", name), store.list("v1", "LimitRange", name))
    if not namespace.quotas and not namespace.ranges:
        return Findings()
    if any(scope.get("scopeName") == PRIORITY for quota in namespace.quotas for scope in scopes_of(quota)):
        namespace.priority = _default_priority(store)
    found = judge(namespace, jobs)
    if not found.short and not found.partly:
        return found
    namespace.pods = _pods(store, name, jobs)
    return judge(namespace, jobs) if namespace.pods else found


def _default_priority(store: Store) -> str:
    """Return the class of pods that name none; it lies outside the namespace, so not everybody may read it."""
    try:
        classes = store.list("scheduling.k8s.io/v1", "PriorityClass")
    except ApiError as error:
        if error.status != 403:
            raise
        return ""
    return next((str(each["metadata"]["name"]) for each in classes if each.get("globalDefault")), "")


def _pods(store: Store, namespace: str, jobs: Sequence[Job]) -> List[Manifest]:
    """Return the pods of these jobs that count."""
    names: Dict[str, List[str]] = {}
    for job in jobs:
        for label, value in job.kind.pod_labels(job.name).items():
            names.setdefault(label, []).append(value)
    found: List[Manifest] = []
    for label, values in names.items():
        for first in range(0, len(values), _AT_ONCE):
            selector = f"{label} in ({','.join(values[first : first + _AT_ONCE])})"
            found += store.list("v1", "Pod", namespace, selector)
    return [pod for pod in found if (pod.get("status") or {}).get("phase") not in _ENDED]
