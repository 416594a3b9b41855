# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an operator that somebody else set up, with gang flags of its own, goes with a gang scheduler. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem, Rule
from .._gangs.gang import BACKENDS, DEFAULT_SCHEDULER
from .._kube.resource import Manifest
from .operator_flags import BUDGET, KUBE_BATCH, READS, VOLCANO, Reading, flags_of, reading, release_of

_IMAGE = re.compile(r"(?:^|/)(?:training|tf)[-_]operator(?:[:@]|$)")
# Who reads what the operator writes; of the coscheduling plugin it is whatever its scheduler is called.
_READERS = {KUBE_BATCH: "kube-batch", VOLCANO: "volcano"}
# What people write to switch gangs off, where any name switches them on.
_NOBODY = ("none", "false", "off")
_OFF = "Take {flags} away from {operator}: jobs of this collection bring their own PodGroup"

UNKNOWN_FLAG = Rule(
    "{operator}",
    "this release ({release}) has no flag {flag}, and ends at its start",
    "Take the flag away; jobs of this collection bring their own PodGroup",
)
IMPOSSIBLE = Rule(
    "{operator}",
    "it makes PodGroups in {writes} and gives its pods to scheduler {scheduler}, which reads {reads}",
    _OFF,
)
NOT_SERVED = Rule(
    "{operator}",
    "it makes PodGroups in {writes}, which the API server does not serve: it will make no pod of any job",
    _OFF + "; or install that scheduler",
)
FORBIDDEN = Rule(
    "{operator}",
    "it makes PodGroups in {writes}, which its service account {account} may not: it will make no pod of any job",
    _OFF + "; or let its ClusterRole create, get, list, watch, update and delete podgroups in group {group}",
)
OTHER = Rule(
    "{operator}",
    "it {does}, so no job of the operator starts under {wanted}",
    _OFF + "; or use {its} for all jobs: mlstack_gang_scheduler={backend}",
)
DOUBLE = Rule(
    "{operator}",
    "each of its jobs gets a second PodGroup in {writes}, of the operator's making{instead}",
    _OFF,
)
IGNORED = Rule(
    "{operator}",
    "this release ({release}) knows no gang scheduler {name}: jobs that bring no PodGroup start pod by pod",
    _OFF,
)


@dataclass(frozen=True)
class Operator:
    """An operator as it runs. served, allowed: its PodGroups can be made; None for allowed when nobody may ask."""

    namespace: str
    name: str
    image: str
    account: str
    flags: Mapping[str, str] = field(default_factory=dict)
    served: bool = True
    allowed: Optional[bool] = None

    @property
    def release(self) -> str:
        """Return its release; empty when its image does not tell."""
        return release_of(self.image)

    @property
    def does(self) -> Reading:
        """Return what it does with its flags."""
        return reading(self.release, self.flags)

    def result(self) -> Dict[str, Any]:
        """Return it as data."""
        does = self.does
        return {
            "name": self.name,
            "namespace": self.namespace,
            "image": self.image,
            "release": self.release,
            "flags": dict(self.flags),
            "writes": does.writes,
            "scheduler": does.scheduler,
        }


def operator_of(deployment: Manifest) -> Optional[Operator]:
    """Return the operator that a Deployment runs; None when it runs something else."""
    pod = ((deployment.get("spec") or {}).get("template") or {}).get("spec") or {}
    for container in pod.get("containers") or []:
        image = str(container.get("image") or "")
        if _IMAGE.search(image.partition("@")[0]):
            words = [*(container.get("command") or []), *(container.get("args") or [])]
            environment = {
                str(each["name"]): str(each["value"]) for each in container.get("env") or [] if each.get("value")
            }
            metadata = deployment["metadata"]
            namespace, account = str(metadata.get("namespace")), str(pod.get("serviceAccountName") or "default")
            return Operator(namespace, str(metadata["name"]), image, account, flags_of(words, environment))
    return None


def judge(operators: Sequence[Operator], wanted: str) -> Tuple[List[Problem], List[Problem]]:
    """Return what cannot be, and what a user should know. wanted: the backend of jobs from now on, or `none`."""
    problems: List[Problem] = []
    warnings: List[Problem] = []
    for operator in operators:
        said = {
            "operator": f"operator {operator.namespace}/{operator.name}",
            "flags": ", ".join(f"--{name}" for name in operator.flags),
            "release": operator.release or operator.image,
        }
        value, does = _shown(operator.flags), operator.does
        if does.unknown:
            problems.append(UNKNOWN_FLAG.broken(value, flag=", ".join(f"--{name}" for name in does.unknown), **said))
        elif does.ignored:
            warnings.append(IGNORED.broken(value, name=does.ignored, **said))
        elif does.writes:
            found = _unusable(operator, does, value, said)
            problems += found
            if not found and wanted != "none":
                harm = _harm(does, wanted)
                (problems if harm else warnings).append(_together(does, wanted, harm, value, said))
    return problems, warnings


def _shown(flags: Mapping[str, str]) -> str:
    return " ".join(f"--{name}={value}" for name, value in flags.items())


def _unusable(operator: Operator, does: Reading, value: str, said: Mapping[str, str]) -> List[Problem]:
    """Return why what the operator makes serves nobody, whatever other jobs use."""
    scheduler = does.scheduler or DEFAULT_SCHEDULER
    reads = next((group for group, name in _READERS.items() if name == scheduler), "")
    if does.writes == BUDGET or scheduler in _NOBODY:
        reads = "no such thing any more" if does.writes == BUDGET else "nothing: it is the name of no scheduler"
        return [IMPOSSIBLE.broken(value, writes=does.writes, scheduler=scheduler, reads=reads, **said)]
    if (reads or _READERS.get(does.writes)) and reads != does.writes:
        other = reads or f"no {does.writes}"
        return [IMPOSSIBLE.broken(value, writes=does.writes, scheduler=scheduler, reads=other, **said)]
    if not operator.served:
        return [NOT_SERVED.broken(value, writes=does.writes, **said)]
    if operator.allowed is False:
        group = does.writes.partition("/")[0]
        return [FORBIDDEN.broken(value, writes=does.writes, account=operator.account, group=group, **said)]
    return []


def _harm(does: Reading, wanted: str) -> str:
    """Return what the operator does to a job that brings a PodGroup of another scheduler; empty when it only adds one.

    A template that names a scheduler keeps it; a native gang's does not.
    """
    backend, scheduler = BACKENDS[wanted], does.scheduler or DEFAULT_SCHEDULER
    if READS.get(wanted) == does.writes:
        return ""
    if not backend.scheduler and scheduler != DEFAULT_SCHEDULER:
        return f"gives pods to scheduler {scheduler}"
    if does.writes == VOLCANO:
        # It makes no pod before Volcano has let its PodGroup in.
        return "waits for Volcano to let its own PodGroup in"
    if does.marks and _same_mark(does.writes, wanted):
        return "names its own PodGroup in each pod, where the job's was named"
    return ""


def _same_mark(writes: str, wanted: str) -> bool:
    marks = {group: BACKENDS[name].mark for name, group in READS.items()}
    return marks.get(writes) == BACKENDS[wanted].mark


def _together(does: Reading, wanted: str, harm: str, value: str, said: Mapping[str, str]) -> Problem:
    if harm:
        backend = next(name for name, group in READS.items() if group == does.writes)
        titles = {"wanted": BACKENDS[wanted].title, "its": BACKENDS[backend].title}
        return OTHER.broken(value, does=harm, backend=backend, **titles, **said)
    instead = ""
    if does.marks and _same_mark(does.writes, wanted):
        instead = ", and its pods go into that one: minimum and queue of the job's own do not count"
    return DOUBLE.broken(value, writes=does.writes, instead=instead, **said)
