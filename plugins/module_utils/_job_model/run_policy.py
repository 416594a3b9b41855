# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ends a job and what becomes of it: the options that all kinds of job share. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

from .._common.problem import Problem
from .._pods.template import given

Options = Mapping[str, Any]

# Option, least and highest value: what the fields of the API hold.
_BOUNDS = (
    ("ttl_seconds_after_finished", 0, 2**31 - 1),
    ("backoff_limit", 0, 2**31 - 1),
    ("active_deadline_seconds", 1, 2**63 - 1),
)
# Servers never end by themselves; left alone they would hold their GPUs after the job's end.
DEFAULT_CLEAN_POD_POLICY = "Running"


def run_policy_options() -> Dict[str, Any]:
    """Return the options of the doc fragment `run_policy`."""
    return {
        "clean_pod_policy": {"type": "str", "choices": ["None", "Running", "All"]},
        "ttl_seconds_after_finished": {"type": "int"},
        "backoff_limit": {"type": "int"},
        "active_deadline_seconds": {"type": "int"},
        "suspend": {"type": "bool", "default": False},
    }


def clean_pod_policy(options: Options) -> str:
    """Return which pods go at the job's end."""
    return str(options.get("clean_pod_policy") or DEFAULT_CLEAN_POD_POLICY)


def run_policy(options: Options) -> Tuple[Dict[str, Any], List[Problem]]:
    """Return the runPolicy of a job of the operator, and what is wrong with it."""
    policy = given(
        cleanPodPolicy=clean_pod_policy(options),
        ttlSecondsAfterFinished=options.get("ttl_seconds_after_finished"),
        backoffLimit=options.get("backoff_limit"),
        activeDeadlineSeconds=options.get("active_deadline_seconds"),
        suspend=True if options.get("suspend") else None,
    )
    return policy, check_run_policy(options)


def check_run_policy(options: Options) -> List[Problem]:
    """Return what is wrong with the options of `run_policy_options`."""
    problems: List[Problem] = []
    for option, least, highest in _BOUNDS:
        value = options.get(option)
        if value is not None and not least <= value <= highest:
            rule = f"must be at least {least}" if value < least else f"must be at most {highest}"
            problems.append(Problem(option, str(value), rule, "Correct it, or leave it out"))
    return problems


def is_suspended(manifest: Mapping[str, Any]) -> bool:
    """Tell whether an object of a job, the operator's or a batch Job, keeps its pods away."""
    spec = manifest.get("spec") or {}
    return bool(spec.get("suspend") or (spec.get("runPolicy") or {}).get("suspend"))
