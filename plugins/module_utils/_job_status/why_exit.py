# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why it failed. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._job_model.cause import Cause, Evidence, Finding, Subject, memory_limit, who
from .._job_model.kind import JobKind
from .._job_model.state import JobState
from .._kube.pod_reason import condition, said
from .._kube.resource import Manifest

MEMORY = Cause(
    "too little memory",
    "{who} was killed for using more memory than its limit ({limit}) allows",
    "Raise resources.limits.memory, or let the program use less, for example by smaller batches",
)
EVICTED = Cause(
    "evicted by the node",
    "{who} was evicted from node {node}: {word}",
    "Ask for what the program uses (resources.requests), so that it is placed where there is as much",
)
LOST = Cause(
    "the node was lost, or the pod was taken away",
    "{who} was lost with its place on node {node}: {word}",
    "See whether the node runs; with restart_policy ExitCode and checkpoints a job goes on elsewhere",
)
EXIT = Cause(
    "the program failed",
    "{who} failed: the container {meaning}",
    "Read the log; the last lines stand below when they could be read",
)
DEADLINE = Cause(
    "its time was over",
    "The job ran longer than active_deadline_seconds allows",
    "Give it more time, or make it faster",
)
BACKOFF = Cause(
    "it was restarted too often",
    "The job was restarted more often than backoff_limit allows",
    "Mend what makes its pods fail; the operator has removed them, so their logs must be collected on the way",
)
VANISHED = Cause(
    "the job is gone",
    "The job is gone: {word}",
    "With ttl_seconds_after_finished a job is removed after its end; otherwise somebody deleted it",
)
OTHER = Cause(
    "another end",
    "The job failed: {word}",
    "Read the facts below; kubectl describe shows all that the operator said",
)

_SIGNALS = {
    129: "SIGHUP",
    130: "SIGINT: somebody or something interrupted it",
    132: "SIGILL: the processor lacks an instruction that the program was built for",
    134: "SIGABRT: the program gave up by itself",
    135: "SIGBUS: often too little shared memory (shm_size)",
    136: "SIGFPE: a division by zero, or the like",
    137: "SIGKILL: it was killed, for want of memory on the node or because it did not end in time when asked to",
    139: "SIGSEGV: it used memory that is not its own, often a library that does not fit",
    143: "SIGTERM: it was asked to end, as when its pod is deleted or its node is drained",
}
_CODES = {
    1: "the program reported an error",
    2: "often a wrong argument",
    126: "the command cannot be executed",
    127: "the command was not found",
    128: "the container could not be started",
}
_NOT_STARTED = ("StartError", "ContainerCannotRun", "ContainerStatusUnknown")


def meaning(terminated: Mapping[str, Any]) -> str:
    """Return what an exit code says: ended with exit code 143 (SIGTERM: it was asked to end, ...)."""
    code, reason, message = terminated.get("exitCode"), str(terminated.get("reason") or ""), terminated.get("message")
    if reason in _NOT_STARTED:
        return f"could not be started ({str(message or reason).strip()[:300]})"
    if code is None:
        return "ended in an unknown way"
    if out_of_memory(terminated):
        return f"ended with exit code {code} (it used more memory than its limit)"
    text = _SIGNALS.get(code) or _CODES.get(code)
    if text is None:
        text = f"signal {code - 128}" if 128 < code < 160 else "a code of the program's own"
    return f"ended with exit code {code} ({text})"


def out_of_memory(terminated: Mapping[str, Any]) -> bool:
    """Tell whether a container was killed by its own memory limit."""
    return terminated.get("reason") == "OOMKilled"


def why_failed(
    kind: JobKind, state: JobState, job: Optional[Manifest], subjects: Sequence[Subject], evidence: Evidence
) -> Finding:
    """Return why a job failed."""
    policy: Mapping[str, Any] = ((job or {}).get("spec") or {}).get("runPolicy") or {}
    failed = [subject for subject in subjects if subject.replica.state == "failed"]
    pod = _of_pods(kind, failed, evidence)
    facts = [said({"reason": state.reason, "message": state.message})]
    if "specified deadline" in state.message:
        return DEADLINE.found([_setting(policy, "activeDeadlineSeconds"), *facts])
    if kind.removes_pods_at_backoff_limit and "backoff limit" in state.message:
        # The pods are gone; what was read of their logs on the way is not.
        last = [f"| {line}" for log in evidence.logs.values() for line in log.strip().splitlines()]
        found = BACKOFF.found([*last, _setting(policy, "backoffLimit"), *facts])
        return replace(found, sentence=f"{found.sentence}; {pod.sentence}") if pod else found
    leaving = [subject for subject in subjects if subject.pod["metadata"].get("deletionTimestamp")]
    if pod:
        return Finding(pod.rank, pod.sentence, pod.way_out, (*pod.facts, *filter(None, facts)))
    if leaving:
        return _lost(leaving, facts)
    word = state.message or state.rule or "it gave no reason"
    return OTHER.found([state.rule] if state.rule != word else [], word=word)


def _setting(policy: Mapping[str, Any], key: str) -> str:
    return f"spec.runPolicy.{key} is {policy[key]}" if key in policy else ""


def _of_pods(kind: JobKind, failed: Sequence[Subject], evidence: Evidence) -> Optional[Finding]:
    """Return why the first failed pods failed; of those that failed in the same way as the first one."""
    if not failed:
        return None
    first = failed[0]
    status = first.pod.get("status") or {}
    disrupted = condition(first.pod, "DisruptionTarget")
    if status.get("reason") == "Evicted":
        return EVICTED.found(who=who([first]), node=first.replica.node, word=status.get("message") or "no reason given")
    if disrupted.get("status") == "True" or status.get("reason") in (
        "NodeLost",
        "Shutdown",
        "Terminated",
        "NodeShutdown",
    ):
        word = said(disrupted) or said(status)
        return LOST.found(who=who([first]), node=first.replica.node, word=word)
    ended = _terminated(kind, first.pod)
    same: List[Subject] = []
    others: List[Subject] = []
    for subject in failed:
        (same if _key(_terminated(kind, subject.pod)) == _key(ended) else others).append(subject)
    facts = _lines(same, evidence)
    if out_of_memory(ended):
        return MEMORY.found(facts, who=who(same), limit=memory_limit(first.spec, kind.container))
    facts += [f"{subject.replica.label} failed, too" for subject in others]
    found = EXIT.found(facts, who=who(same), meaning=meaning(ended))
    return replace(found, sentence=found.sentence + _last_line(same, evidence))


def _lost(leaving: Sequence[Subject], facts: Sequence[str]) -> Finding:
    first = leaving[0]
    word = said(condition(first.pod, "DisruptionTarget")) or "it is being deleted and its node does not end it"
    return LOST.found(facts, who=who(leaving), node=first.replica.node, word=word)


def _terminated(kind: JobKind, pod: Manifest) -> Dict[str, Any]:
    """Return how a pod's container ended: the one that trains, else the first that failed."""
    status = pod.get("status") or {}
    every = [*(status.get("containerStatuses") or []), *(status.get("initContainerStatuses") or [])]
    ordered = sorted(every, key=lambda item: item.get("name") != kind.container)
    ends = [
        (item.get("state") or {}).get("terminated") or (item.get("lastState") or {}).get("terminated")
        for item in ordered
    ]
    return next((dict(end) for end in ends if end and end.get("exitCode") != 0), {})


def _key(terminated: Mapping[str, Any]) -> str:
    return f"{terminated.get('exitCode')} {terminated.get('reason')}"


def _log(same: Sequence[Subject], evidence: Evidence) -> str:
    return next((evidence.logs[item.replica.pod].strip() for item in same if evidence.logs.get(item.replica.pod)), "")


def _last_line(same: Sequence[Subject], evidence: Evidence) -> str:
    """Return the last line of the log: of a Python program it is the exception."""
    lines = _log(same, evidence).splitlines()
    return f"; its last line: {lines[-1].strip()[:200]}" if lines else ""


def _lines(same: Sequence[Subject], evidence: Evidence) -> List[str]:
    return [f"| {line}" for line in _log(same, evidence).splitlines()]
