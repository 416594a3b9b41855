# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a job gives: its own, its namespace's, and those of the pods and Services that come of it. Pure."""

from __future__ import annotations

from typing import List, Mapping

from .._common.problem import Problem
from .._kube.names import LABEL, label
from .kind import JobKind

# The operator gives each pod a Service of the same name; without it, batch Jobs put their names into labels. Both
# have 63 characters at most.
LONGEST_NAME = 63


def check_names(kind: JobKind, name: str, namespace: str, counts: Mapping[str, int]) -> List[Problem]:
    """Return what is wrong with a job's name and its namespace's. counts: replicas by type."""
    problems: List[Problem] = []
    letter = kind.starts_with_letter
    if not LABEL.fullmatch(name) or (letter and name[0].isdigit()):
        begins = "begins with a letter and does not end with -" if letter else "neither begins nor ends with -"
        rule = f"a job's name is lower-case letters, digits and -, {begins}"
        problems.append(Problem("name", name, rule, "Rename the job"))
    if label(namespace):
        rule = f"a namespace's name is lower-case letters, digits and -, at most {LONGEST_NAME}"
        problems.append(Problem("namespace", namespace, rule, "Name an existing namespace"))
    longest = max((kind.pod_name(name, each, count - 1) for each, count in counts.items()), key=len, default="")
    if len(longest) > LONGEST_NAME:
        rule = f"its replica {longest} {kind.pod_name_use}, at most {LONGEST_NAME} characters"
        problems.append(Problem("name", name, rule, f"Shorten it by {len(longest) - LONGEST_NAME}"))
    return problems
