# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Volcano does when something happens to a job's pods: the option `policies` of a job and of a task. Pure."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._common.problem import Problem
from .._pods.template import given

Options = Mapping[str, Any]

ANY = "*"
EVENTS = (
    ANY,
    "PodPending",
    "PodRunning",
    "PodFailed",
    "PodEvicted",
    "Unknown",
    "TaskCompleted",
    "TaskFailed",
    "JobUpdated",
)
ACTIONS = (
    "AbortJob",
    "CompleteJob",
    "RestartJob",
    "RestartPod",
    "RestartTask",
    "ResumeJob",
    "TerminateJob",
)
# What becomes of pods that fail is said by any of these.
FAILURES = (ANY, "PodFailed", "TaskFailed")
COMPLETE = "CompleteJob"
_TIME = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:h|m|s|ms))+")


def policies_options() -> Dict[str, Any]:
    """Return the argument spec of option `policies`."""
    options = {
        "action": {"type": "str", "choices": list(ACTIONS), "required": True},
        "event": {"type": "str", "choices": list(EVENTS)},
        "events": {"type": "list", "elements": "str", "choices": list(EVENTS)},
        "exit_code": {"type": "int"},
        "timeout": {"type": "str"},
    }
    return {"type": "list", "elements": "dict", "options": options}


def policies(wanted: Optional[Sequence[Options]]) -> List[Dict[str, Any]]:
    """Return policies as Volcano reads them."""
    return [
        given(
            action=each["action"],
            event=each.get("event"),
            events=each.get("events"),
            exitCode=each.get("exit_code"),
            timeout=each.get("timeout"),
        )
        for each in wanted or ()
    ]


def events_of(policy: Options) -> List[str]:
    """Return the events of a policy, each once; none for one of an exit code."""
    event = [policy["event"]] if policy.get("event") else []
    return list(dict.fromkeys([*event, *(policy.get("events") or ())]))


def check_policies(wanted: Optional[Sequence[Options]], field: str) -> List[Problem]:
    """Return what is wrong with the policies of a job or of a task, which Volcano would refuse."""
    problems: List[Problem] = []
    seen: Dict[str, int] = {}
    for index, policy in enumerate(wanted or ()):
        place, found, code = f"{field}[{index}]", events_of(policy), policy.get("exit_code")
        if bool(found) == (code is not None):
            rule = "says either what happens (event, events) or how a pod ends (exit_code)"
            value = "both" if found else "neither"
            problems.append(Problem(place, value, rule, "Make two policies of it" if found else "Give one of them"))
        if code == 0:
            rule, way_out = "0 is no error", "For pods that end well use event TaskCompleted"
            problems.append(Problem(f"{place}.exit_code", "0", rule, way_out))
        timeout = policy.get("timeout")
        if timeout and not _TIME.fullmatch(timeout):
            problems.append(Problem(f"{place}.timeout", timeout, "must be a time with its unit", "Write 10m or 30s"))
        for word in [*found, *([f"exit code {code}"] if code is not None else [])]:
            if word in seen:
                rule = f"{field}[{seen[word]}] says already what then happens"
                problems.append(Problem(place, word, rule, "Keep one of the two"))
            seen.setdefault(word, index)
    others = [event for event in seen if event in EVENTS and event != ANY]
    if ANY in seen and others:
        rule = f"stands for all events, and there are others beside it ({', '.join(others)})"
        problems.append(Problem(f"{field}[{seen[ANY]}]", ANY, rule, f"Drop the others, or name each instead of {ANY}"))
    return problems
