# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows jobs to their ends: one wait for all of them, each end told on its own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from .._common import parallel
from .._common.deadline import Deadline
from .._common.teller import Teller
from .._job_model.read_state import leader
from .._job_model.state import SUSPENDED, VANISHED, JobState, Replica
from .._job_status.why import Why
from .._kube.errors import ApiError
from .._kube.resource import Ref
from .._kube.wait import Say
from .live import JobsReader
from .report import by_urgency, progress_line, progress_table, why_no_log

TIMED_OUT = "timed_out"
GOOD_ENDS = ("succeeded", SUSPENDED)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 5.0
# Logs of one job that are kept while they can be read, or shown when it ended badly.
_KEPT_LOGS = 16
# With more jobs than this only the pod that speaks for each is listened to on the way.
_FEW_JOBS = 4

Pod = Tuple[Ref, Replica]


@dataclass
class Ending:
    """How the wait for a job ended.

    end: succeeded, failed, vanished, suspended or timed_out. tails: the last log lines by pod name. log: the whole log
    of the pod that speaks for the job. no_log: why there is none. why: of an end that nobody wished for.
    """

    end: str
    state: JobState
    spent: float
    tails: Dict[str, str] = field(default_factory=dict)
    log: str = ""
    no_log: str = ""
    why: Why = field(default_factory=Why)

    @property
    def good(self) -> bool:
        """Tell whether it is the end that was wished for."""
        return self.end in GOOD_ENDS


class JobsWait:
    """Waits for the jobs of a reader.

    log_lines: last lines of each log that are kept. whole_logs: read the whole log of the pod that speaks for each job.
    suspended: jobs for which it is an end to be suspended. at_end: called with the jobs that have just ended, while
    others go on.
    """

    def __init__(
        self,
        reader: JobsReader,
        say: Say,
        log_lines: int,
        whole_logs: bool,
        suspended: Sequence[Ref] = (),
        at_end: Optional[Callable[[Sequence[Ref]], Any]] = None,
    ) -> None:
        self._reader = reader
        self._at_end = at_end
        self._say = say
        self._log_lines = log_lines
        self._whole_logs = whole_logs
        self._suspended: Set[Ref] = set(suspended)
        self._states: Dict[Ref, JobState] = {}
        self._tails: Dict[Ref, Dict[str, str]] = {ref: {} for ref in reader.watches}

    def run(self, deadline: Deadline) -> Dict[Ref, Ending]:
        """Follow each job to any end, or all to the deadline. Raises ApiError when the reader is refused."""
        endings: Dict[Ref, Ending] = {}
        pause, teller = _FIRST_PAUSE_S, Teller(self._say, deadline)
        while True:
            waiting = [ref for ref in self._reader.watches if ref not in endings]
            if self._look(waiting):
                self._keep_logs(waiting)
                teller.tell(self._progress())
                ended = [ref for ref in waiting if self._is_over(ref)]
                endings.update(
                    self._explained(
                        {ref: self._ending(ref, self._states[ref].state, deadline.spent()) for ref in ended}
                    )
                )
                self._tell_ends(ended)
                if len(ended) == len(waiting):
                    return endings
            if not deadline.pause(pause):
                late = [ref for ref in self._reader.watches if ref not in endings]
                endings.update(self._explained({ref: self._ending(ref, TIMED_OUT, deadline.spent()) for ref in late}))
                return endings
            pause = min(pause * 1.1, _LONGEST_PAUSE_S)

    def _tell_ends(self, ended: Sequence[Ref]) -> None:
        if self._at_end is None or not ended:
            return
        try:
            self._at_end(ended)
        except ApiError as error:
            # What is not done now is done when all have ended.
            self._say(error.message)

    def _explained(self, endings: Dict[Ref, Ending]) -> Dict[Ref, Ending]:
        """Return the endings, those that nobody wished for with the reason."""
        bad = {ref: ending.state for ref, ending in endings.items() if not ending.good and ref in self._states}
        found = self._reader.explain(bad, self._tails)
        return {ref: replace(ending, why=found[ref]) if ref in found else ending for ref, ending in endings.items()}

    def _look(self, waiting: Sequence[Ref]) -> bool:
        """Look at the jobs; tell whether that was possible: a job outlives a restart of the API server."""
        try:
            self._states.update(self._reader.look(waiting))
        except ApiError as error:
            if not error.passing:
                raise
            self._say(error.message)
            return False
        return True

    def _is_over(self, ref: Ref) -> bool:
        state = self._states[ref]
        return state.ended or (ref in self._suspended and state.state == SUSPENDED)

    def _progress(self) -> str:
        """Return one line for one job, a table for several."""
        if len(self._states) != 1:
            return progress_table([(self._reader.watches[ref].kind, ref, self._states[ref]) for ref in self._states])
        ref, state = next(iter(self._states.items()))
        speaker = leader(self._reader.watches[ref].kind, state)
        lines = self._tails[ref].get(speaker.pod, "").strip().splitlines() if speaker else []
        return progress_line(state, lines[-1] if lines else "")

    def _keep_logs(self, waiting: Sequence[Ref]) -> None:
        """Read the last lines while the pods are there: afterwards they may be gone."""
        pods: List[Pod] = []
        for ref in waiting:
            state, watch = self._states[ref], self._reader.watches[ref]
            speaker, pods_go = leader(watch.kind, state), watch.kind.pods_may_go(watch.job or {})
            if pods_go and len(waiting) <= _FEW_JOBS:
                pods += [(ref, replica) for replica in state.replicas[:_KEPT_LOGS]]
            elif speaker and (pods_go or len(self._states) == 1):
                pods.append((ref, speaker))
        self._read_tails(pods)

    def _read_tails(self, pods: Sequence[Pod]) -> None:
        readable = [(ref, replica.pod) for ref, replica in pods if replica.state not in ("pending", "removed")]
        logs = parallel.each(lambda pod: self._reader.log(pod[0], pod[1], self._log_lines), readable)
        for (ref, pod), log in zip(readable, logs):
            if log:
                self._tails[ref][pod] = log

    def _ending(self, ref: Ref, end: str, spent: float) -> Ending:
        watch = self._reader.watches[ref]
        state = self._states.get(ref) or JobState("unknown", "Unreachable", "the API server does not answer")
        if end not in GOOD_ENDS:
            self._read_tails([(ref, replica) for replica in by_urgency(state.replicas)[:_KEPT_LOGS]])
        ending = Ending(end, state, spent, self._tails[ref])
        if self._whole_logs:
            speaker = leader(watch.kind, state)
            log = self._reader.log(ref, speaker.pod) if speaker else None
            if log is None:
                ending.no_log = why_no_log(None if end == VANISHED else watch.job, state)
                # Better the last lines that were read on the way than nothing, and never an empty success.
                ending.log = ending.tails.get(speaker.pod, "") if speaker else ""
            else:
                ending.log = log
        return ending
