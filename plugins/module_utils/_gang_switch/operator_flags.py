# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operator's own gang flags do, release by release: which PodGroups it writes, and who reads them. Pure.

The flags stay off where this collection installs the operator, because whoever makes a job makes its PodGroup. They are
read where somebody else installed one: its PodGroups would stand beside ours, or in a group that no scheduler reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

SWITCH = "enable-gang-scheduling"
NAME = "gang-scheduler-name"
_FLAGS = (SWITCH, NAME)

KUBE_BATCH = "scheduling.incubator.k8s.io/v1alpha1"
VOLCANO = "scheduling.volcano.sh/v1beta1"
PLUGINS = "scheduling.x-k8s.io/v1alpha1"
BUDGET = "policy/v1beta1"
# The PodGroups that a backend's scheduler reads, and what a flag calls it.
READS = {"kube_batch": KUBE_BATCH, "volcano": VOLCANO, "scheduler_plugins": PLUGINS}
_WORDS = {"kube_batch": "kube-batch", "volcano": "volcano", "scheduler_plugins": "scheduler-plugins"}
_ANY = "*"
# Stands for the name that the flag gives.
_GIVEN = "*"


@dataclass(frozen=True)
class Era:
    """Releases of the operator that read the flags alike.

    since: the first of them. switched: a flag of its own turns gangs on; else a name does. named: the flag with the
    scheduler's name exists. writes: the name -> what it then writes: the group and version of its PodGroups. Any name
    that is not there, nor its default, turns gangs off. scheduler: the name -> schedulerName of pods without one;
    empty for the default one. default: the name without the flag. marks: it writes its PodGroup's name over that in
    a template.
    """

    since: str
    switched: bool
    named: bool
    writes: Mapping[str, str]
    scheduler: Mapping[str, str]
    default: str = ""
    marks: bool = True


ERAS = (
    # A disruption budget, from which kube-batch's forerunner guessed the gang.
    Era("0.3", True, False, {_ANY: BUDGET}, {_ANY: ""}, "kube-arbitrator", marks=False),
    Era("0.5", True, False, {_ANY: KUBE_BATCH}, {_ANY: "kube-batch"}, "kube-batch", marks=False),
    Era("0.7", True, True, {_ANY: KUBE_BATCH}, {_ANY: _GIVEN}, "volcano"),
    Era("1.0.0-rc.0", True, False, {_ANY: KUBE_BATCH}, {_ANY: "kube-batch"}, "kube-batch", marks=False),
    # The name is taken, and changes nothing.
    Era("1.0", True, True, {_ANY: VOLCANO}, {_ANY: "volcano"}, "volcano"),
    Era("1.3", True, False, {_ANY: VOLCANO}, {_ANY: "volcano"}, "volcano"),
    Era("1.4", True, True, {_ANY: VOLCANO}, {_ANY: "volcano"}, "volcano"),
    Era("1.6", False, True, {"volcano": VOLCANO, "scheduler-plugins": PLUGINS}, {"volcano": "volcano", _ANY: ""}),
    Era("1.7", False, True, {"volcano": VOLCANO, _ANY: PLUGINS}, {"volcano": "volcano", _ANY: _GIVEN}),
)

# Upstream tags its images with a commit, from 1.1 on: the releases whose manifests name it.
_TAGS = {
    "cd2fc1f": "1.1.0",
    "47a74b7": "1.2.1",
    "760ac11": "1.3.0",
    "174e881": "1.4.0",
    "e1434f6": "1.5.0",
    "5a5f92d": "1.6.0",
    "855e096": "1.7.0",
    "9e52eb7": "1.8.0",
    "04f9f13": "1.8.1",
    "5170a36": "1.9.0",
    "93c5489": "1.9.4",
}
_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:-(rc|alpha|beta)\.?(\d*))?")
_COMMIT = re.compile(r"(?:v1-)?([0-9a-f]{7,40})")


@dataclass(frozen=True)
class Reading:
    """What an operator does with its flags.

    writes: group and version of the PodGroups that it makes; empty for none. scheduler: schedulerName of its pods
    that have none; empty for the default one. marks: its PodGroup's name takes the place of ours in its pods.
    unknown: flags that this release does not have: it ends at its start. ignored: a name that switches nothing on.
    """

    writes: str = ""
    scheduler: str = ""
    marks: bool = False
    unknown: Tuple[str, ...] = ()
    ignored: str = ""


def release_of(image: str) -> str:
    """Return the release of an operator by its image; empty when the tag does not tell."""
    tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2]
    if _VERSION.fullmatch(tag):
        return tag.lstrip("v")
    commit = _COMMIT.fullmatch(tag)
    return _TAGS.get(commit.group(1)[:7], "") if commit else ""


def era_of(release: str) -> Optional[Era]:
    """Return the era of a release; None for a release that no row knows."""
    known = _key(release)
    # Releases from 2.0 on have other kinds of jobs and no gang flag.
    if known is None or known >= (2,):
        return None
    rows = [era for era in ERAS if (_key(era.since) or ()) <= known]
    return rows[-1] if rows else None


def flags_of(arguments: Sequence[Any], environment: Mapping[str, str]) -> Dict[str, str]:
    """Return the gang flags among the arguments of a container, as the program reads them: the last one counts."""
    found: Dict[str, str] = {}
    words = [_expanded(str(word), environment) for word in arguments]
    for index, word in enumerate(words):
        name, assigned, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or name not in _FLAGS:
            continue
        if name == NAME and not assigned:
            value = words[index + 1] if index + 1 < len(words) else ""
        found[name] = value if assigned or name == NAME else "true"
    return found


def reading(release: str, flags: Mapping[str, str]) -> Reading:
    """Return what an operator of a release does with these flags. An unknown release is read as the newest one."""
    era = era_of(release) or ERAS[-1]
    known = [SWITCH] if era.switched else []
    known += [NAME] if era.named else []
    unknown = tuple(flag for flag in flags if flag not in known)
    if unknown:
        return Reading(unknown=unknown)
    name = flags.get(NAME, era.default)
    if era.switched and flags.get(SWITCH, "").lower() not in ("true", "t", "1"):
        return Reading()
    if not name:
        return Reading()
    # Names are compared without regard to case.
    writes = _row(era.writes, name)
    if not writes:
        return Reading(ignored=name)
    return Reading(writes, _row(era.scheduler, name).replace(_GIVEN, name), era.marks)


def served_by(release: str) -> List[str]:
    """Return the backends that a release can serve by its own flags."""
    era = era_of(release)
    return [backend for backend, group in READS.items() if era and _row(era.writes, _WORDS[backend]) == group]


def _row(table: Mapping[str, str], name: str) -> str:
    return table.get(name.lower(), table.get(_ANY, ""))


def _expanded(word: str, environment: Mapping[str, str]) -> str:
    """Return an argument with $(NAME) filled in, as the kubelet does it."""
    return re.sub(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)", lambda match: environment.get(match[1], match[0]), word)


def _key(release: str) -> Optional[Tuple[int, ...]]:
    """Return what orders releases; a candidate comes before its release."""
    match = _VERSION.fullmatch(release)
    if match is None:
        return None
    major, minor, patch, stage, number = match.groups()
    order = {"alpha": 0, "beta": 1, "rc": 2}
    return (int(major), int(minor), int(patch or 0), order.get(stage, 3), int(number or 0))
