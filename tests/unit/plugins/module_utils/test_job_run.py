# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

"""The wait for a job where only a kubelet could serve logs: everything is handed in."""

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_run import JobRunner
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_state import JobState, Replica

CHIEF = Replica("Chief", 0, "j-chief-0", "n1", "running")
WORKER = Replica("Worker", 0, "j-worker-0", "n2", "running")


class Reader:
    """Plays what the cluster shows, look by look; the last one stays. logs: those that can be read at each look."""

    def __init__(self, looks: list[Any], logs: list[dict[str, str]], policy: str = "Running") -> None:
        self._looks, self._logs = looks, logs
        self._seen = -1
        self.job = {"spec": {"runPolicy": {"cleanPodPolicy": policy}}}

    def look(self) -> JobState:
        self._seen += 1
        found = self._looks[min(self._seen, len(self._looks) - 1)]
        if isinstance(found, Exception):
            raise found
        return found

    def log(self, pod: str, lines: int | None = None) -> str | None:
        text = self._logs[min(self._seen, len(self._logs) - 1)].get(pod)
        return text if text is None or lines is None else "\n".join(text.splitlines()[-lines:])


def runner(reader: Reader, said: list[str]) -> JobRunner:
    found = JobRunner(None, TFJOB, TFJOB.ref("j", "n"), said.append)  # type: ignore[arg-type]
    found.reader = reader  # type: ignore[assignment]
    return found


def deadline(seconds: float = 100) -> Deadline:
    now = [0.0]

    def sleep(span: float) -> None:
        now[0] += span

    return Deadline(seconds, lambda: now[0], sleep)


def test_progress_shows_the_last_line_of_the_chief_once() -> None:
    said: list[str] = []
    running = JobState("running", replicas=[CHIEF, WORKER])
    logs = [{"j-chief-0": "step 1"}, {"j-chief-0": "step 1"}, {"j-chief-0": "step 1\nstep 2"}]
    reader = Reader([running, running, JobState("succeeded", replicas=[CHIEF])], logs)
    ending = runner(reader, said).wait(deadline(), 20, True, False)
    assert said == ["running: Chief 1/1, Worker 1/1 | step 1", "succeeded: Chief 1/1 | step 2"]
    assert (ending.end, ending.log, ending.no_log) == ("succeeded", "step 1\nstep 2", "")


@pytest.mark.parametrize(("policy", "kept"), [("All", {"j-chief-0", "j-worker-0"}), ("Running", {"j-chief-0"})])
def test_logs_of_pods_that_are_removed_at_the_end(policy: str, kept: set[str]) -> None:
    gone = [Replica("Chief", 0, "j-chief-0", "n1", "removed"), Replica("Worker", 0, "j-worker-0", "n2", "removed")]
    looks = [JobState("running", replicas=[CHIEF, WORKER]), JobState("failed", "TFJobFailed", "", gone)]
    logs = [{"j-chief-0": "a\nb", "j-worker-0": "c"}, {}]
    ending = runner(Reader(looks, logs, policy), []).wait(deadline(), 1, True, False)
    assert set(ending.tails) == kept
    assert (ending.end, ending.log) == ("failed", "b")
    assert f"removed by clean_pod_policy {policy}" in ending.no_log


def test_an_api_server_that_restarts_is_no_end() -> None:
    said: list[str] = []
    looks = [ApiError(0, "", "no answer"), ApiError(503, "", "not ready"), JobState("succeeded", replicas=[])]
    assert runner(Reader(looks, [{}]), said).wait(deadline(), 20, False, False).end == "succeeded"
    assert said[:2] == ["no answer", "not ready"]


def test_a_refusal_is_raised() -> None:
    with pytest.raises(ApiError):
        runner(Reader([ApiError(403, "Forbidden", "no")], [{}]), []).wait(deadline(), 20, False, False)


def test_the_deadline() -> None:
    ending = runner(Reader([JobState("queued", replicas=[CHIEF])], [{}]), []).wait(deadline(10), 20, False, False)
    assert (ending.end, ending.state.state, ending.spent) == ("timed_out", "queued", pytest.approx(10))
    away = runner(Reader([ApiError(0, "", "no answer")], [{}]), []).wait(deadline(10), 20, False, False)
    assert (away.end, away.state.state) == ("timed_out", "unknown")


def test_suspended_is_an_end_only_when_it_was_asked_for() -> None:
    looks = [JobState("suspended"), JobState("succeeded")]
    assert runner(Reader(looks, [{}]), []).wait(deadline(), 20, False, True).end == "suspended"
    assert runner(Reader(looks, [{}]), []).wait(deadline(), 20, False, False).end == "succeeded"
