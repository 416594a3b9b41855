# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings one job to its wanted state and waits for its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_fixed import fixed_changes
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_live import JobReader
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_report import progress_line, why_no_log
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_scale import beside
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_state import SUSPENDED, VANISHED, JobState, leader
from ansible_collections.trainyard.mlstack.plugins.module_utils._outcome import ObjectsFailed, Outcome, Trouble
from ansible_collections.trainyard.mlstack.plugins.module_utils._pod_reason import condition
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._remove import remove
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Item, Manifest, Ref
from ansible_collections.trainyard.mlstack.plugins.module_utils._store import Store
from ansible_collections.trainyard.mlstack.plugins.module_utils._teller import Teller
from ansible_collections.trainyard.mlstack.plugins.module_utils._wait import Say

# For the operator's webhook to come up; the job's own timeout may be hours.
WRITE_PATIENCE_S = 120.0
# For a job and its pods to go: a pod has 30 s to end by itself.
REMOVAL_S = 300.0
TIMED_OUT = "timed_out"

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 5.0
# Whose log is kept while it can be read, when the operator removes every pod at the end.
_KEPT_LOGS = 16


class JobRefused(Exception):
    """The job cannot be changed in this way; holds the problems."""

    def __init__(self, problems: List[Problem]) -> None:
        super().__init__("the job cannot be changed in this way")
        self.problems = problems


@dataclass
class Ending:
    """How the wait for a job ended.

    end: succeeded, failed, vanished, suspended or timed_out. tails: the last log lines by pod name. log: the whole log
    of the pod that speaks for the job. no_log: why there is none.
    """

    end: str
    state: JobState
    spent: float
    tails: Dict[str, str] = field(default_factory=dict)
    log: str = ""
    no_log: str = ""


class JobRunner:
    """Works on one job."""

    def __init__(self, store: Store, kind: JobKind, ref: Ref, say: Say) -> None:
        self._store = store
        self._kind = kind
        self._ref = ref
        self._say = say
        self.reader = JobReader(store, kind, ref)

    def present(self, job: Job, recreate: bool, check_mode: bool) -> Outcome:
        """Create or change the job. Raises JobRefused and ObjectsFailed before anything is written, ApiError.

        recreate: replace a live job that cannot be changed into the wanted one, or that failed.
        """
        live = self._store.read(self._ref) if job.scaled else None
        item = Item(self._ref, beside(job, live, self._store.field_manager))
        applier = Applier(self._store, [item], Deadline(WRITE_PATIENCE_S), self._say, check_mode)
        planned = applier.plan()
        outcome = planned[0][0].outcome
        fixed = fixed_changes(self._kind, outcome.before, outcome.after) if outcome.result == "changed" else []
        if fixed and not recreate:
            raise JobRefused(fixed)
        failed = outcome.before is not None and condition(outcome.before, "Failed").get("status") == "True"
        if fixed or (failed and recreate):
            after = outcome.after if check_mode else self._replace(Item(self._ref, job.root))
            return Outcome(self._ref, "changed", outcome.before, after)
        if check_mode or not outcome.changed:
            return outcome
        if outcome.result == "created":
            # A run that was killed between deleting and creating leaves pods with the new job's names.
            self._until_pods_are_gone(Deadline(REMOVAL_S))
        return applier.write(planned)[0]

    def _replace(self, item: Item) -> Optional[Manifest]:
        self.absent(check_mode=False)
        return Applier(self._store, [item], Deadline(WRITE_PATIENCE_S), self._say, False).run()[0].after

    def absent(self, check_mode: bool) -> Outcome:
        """Delete the job; return when it and its pods are gone. Raises ObjectsFailed, ApiError."""
        deadline = Deadline(REMOVAL_S)
        outcome = remove(self._store, [Item(self._ref, {})], deadline, self._say, check_mode, wait=True)[0]
        if not check_mode:
            self._until_pods_are_gone(deadline)
        return outcome

    def _until_pods_are_gone(self, deadline: Deadline) -> None:
        """Wait for the pods of a deleted job: their names are the next job's too. Raises ObjectsFailed, ApiError."""
        reader = JobReader(self._store, self._kind, self._ref)
        pods = reader.pods()
        while pods:
            names = ", ".join(str(pod["metadata"]["name"]) for pod in pods)
            if not deadline.pause(_FIRST_PAUSE_S):
                raise ObjectsFailed("the job is gone, its pods are not", [Trouble(self._ref, f"still there: {names}")])
            pods = reader.pods()

    def wait(self, deadline: Deadline, log_lines: int, whole_log: bool, suspended_ends: bool) -> Ending:
        """Follow the job to any end, or to the deadline."""
        tails: Dict[str, str] = {}
        pause, teller = _FIRST_PAUSE_S, Teller(self._say, deadline)
        while True:
            state = self._look()
            if state is not None:
                self._keep_logs(state, tails, log_lines)
                teller.tell(self._line(state, tails))
                if state.ended or (suspended_ends and state.state == SUSPENDED):
                    return self._ending(state.state, state, deadline.spent(), tails, log_lines, whole_log)
            if not deadline.pause(pause):
                last = state or JobState("unknown", "Unreachable", "the API server does not answer")
                return self._ending(TIMED_OUT, last, deadline.spent(), tails, log_lines, whole_log)
            pause = min(pause * 1.1, _LONGEST_PAUSE_S)

    def _look(self) -> Optional[JobState]:
        """Return the state, or None while the API server is away: a job outlives its restart."""
        try:
            return self.reader.look()
        except ApiError as error:
            if not error.passing:
                raise
            self._say(error.message)
            return None

    def _keep_logs(self, state: JobState, tails: Dict[str, str], log_lines: int) -> None:
        """Read the last lines while the pods are there: afterwards they may be gone."""
        speaker = leader(self._kind, state)
        all_go = (self._run_policy().get("cleanPodPolicy") == "All") or "ttlSecondsAfterFinished" in self._run_policy()
        kept = state.replicas[:_KEPT_LOGS] if all_go else [speaker] if speaker else []
        for replica in kept:
            if replica.state not in ("pending", "removed"):
                log = self.reader.log(replica.pod, log_lines)
                if log:
                    tails[replica.pod] = log

    def _run_policy(self) -> Dict[str, Any]:
        policy: Dict[str, Any] = ((self.reader.job or {}).get("spec") or {}).get("runPolicy") or {}
        return policy

    def _line(self, state: JobState, tails: Dict[str, str]) -> str:
        speaker = leader(self._kind, state)
        lines = tails.get(speaker.pod, "").strip().splitlines() if speaker else []
        return progress_line(state, lines[-1] if lines else "")

    def _ending(
        self, end: str, state: JobState, spent: float, tails: Dict[str, str], log_lines: int, whole_log: bool
    ) -> Ending:
        ending = Ending(end, state, spent, tails)
        if end != "succeeded":
            for replica in state.replicas:
                fresh = self.reader.log(replica.pod, log_lines)
                if fresh:
                    tails[replica.pod] = fresh
        if whole_log:
            speaker = leader(self._kind, state)
            log = self.reader.log(speaker.pod) if speaker else None
            if log is None:
                ending.no_log = why_no_log(None if end == VANISHED else self.reader.job, state)
                # Better the last lines that were read on the way than nothing, and never an empty success.
                ending.log = tails.get(speaker.pod, "") if speaker else ""
            else:
                ending.log = log
        return ending
