# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels and annotations of a job's own object. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

from .._common.problem import Problem
from .._kube.names import annotation_map, label_map
from .._pods.old_forms import check_marks
from .._pods.template import given, texts


def job_metadata(options: Mapping[str, Any]) -> Tuple[Dict[str, Any], List[Problem]]:
    """Return the metadata of the object that stands for a job, and what is wrong with labels and annotations."""
    labels, annotations = texts(options.get("labels")), texts(options.get("annotations"))
    broken = [("labels", label_map(labels)), ("annotations", annotation_map(annotations))]
    problems = [Problem(option, "a map", rule, "Correct it") for option, rule in broken if rule]
    problems += check_marks({"labels": labels, "annotations": annotations}, "", "metadata")
    metadata = given(name=options["name"], namespace=options["namespace"], labels=labels, annotations=annotations)
    return metadata, problems
