# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a training operator runs with a gang flag of its own, which jobs with a PodGroup do not need. Pure."""

from __future__ import annotations

import re
from typing import List, Sequence, Tuple

from .._common.problem import Problem, Rule
from .._kube.resource import Manifest, ref_of
from .read import live_of

_IMAGE = re.compile(r"(?:^|/)(?:training|tf)[-_]operator(?:[:@]|$)")
# What a flag does has changed from release to release; off is the same in all of them.
_FLAG = re.compile(r"--?(?:enable-gang-scheduling|gang-scheduler-name)(?!=(?:false)?$)(?:=.*)?")

FOREIGN = Rule(
    "operator {name}",
    "a gang flag may give each job a second PodGroup, or pods that its scheduler does not place",
    "Remove the flag, because jobs of this collection bring their own PodGroup",
)
OURS = Rule(
    "operator {name}",
    "the operator of this collection runs without a gang flag, because each job brings its own PodGroup",
    "Restore it: ansible-playbook trainyard.mlstack.operator",
)


def judge_operators(deployments: Sequence[Manifest], own: Sequence[str]) -> Tuple[List[Problem], List[Problem]]:
    """Return the problems of our operator, and the warnings about those of others. own: our field managers."""
    problems: List[Problem] = []
    warnings: List[Problem] = []
    for deployment in deployments:
        flags = gang_flags(deployment)
        if flags:
            ref = ref_of(deployment)
            ours = any(manager in own for manager in live_of(ref, deployment).managers)
            found = (OURS if ours else FOREIGN).broken(" ".join(flags), name=f"{ref.namespace}/{ref.name}")
            (problems if ours else warnings).append(found)
    return problems, warnings


def gang_flags(deployment: Manifest) -> List[str]:
    """Return the gang flags with which a Deployment runs the operator."""
    pod = ((deployment.get("spec") or {}).get("template") or {}).get("spec") or {}
    operators = [each for each in pod.get("containers") or [] if _IMAGE.search(str(each.get("image") or ""))]
    words = [word for each in operators for key in ("command", "args") for word in each.get(key) or []]
    return [word for word in map(str, words) if _FLAG.fullmatch(word)]
