# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

"""The wait for a job where only a kubelet could serve logs: everything is handed in."""

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState, Replica
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import Why
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.wait import Ending, JobsWait
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref

CHIEF = Replica("Chief", 0, "j-chief-0", "n1", "running")
WORKER = Replica("Worker", 0, "j-worker-0", "n2", "running")


JOB = TFJOB.ref("j", "n")


class Watch:
    kind = TFJOB

    def __init__(self, policy: str) -> None:
        self.job = {"spec": {"runPolicy": {"cleanPodPolicy": policy}}}


class Reader:
    """Plays what the cluster shows, look by look; the last one stays. logs: those that can be read at each look."""

    def __init__(
        self, looks: list[Any], logs: list[dict[str, str]], policy: str = "Running", refs: tuple[Ref, ...] = (JOB,)
    ) -> None:
        self._looks, self._logs = looks, logs
        self._seen = -1
        self.asked: list[list[Ref]] = []
        self.watches = {ref: Watch(policy) for ref in refs}

    def look(self, refs: list[Ref]) -> dict[Ref, JobState]:
        self._seen += 1
        self.asked.append(refs)
        found = self._looks[min(self._seen, len(self._looks) - 1)]
        if isinstance(found, Exception):
            raise found
        return {ref: found[ref] if isinstance(found, dict) else found for ref in refs}

    def explain(self, states: dict[Ref, JobState], logs: dict[Ref, dict[str, str]]) -> dict[Ref, Why]:
        return {ref: Why(f"{state.state} with {len(logs[ref])} logs") for ref, state in states.items()}

    def log(self, _ref: Ref, pod: str, lines: int | None = None) -> str | None:
        text = self._logs[min(self._seen, len(self._logs) - 1)].get(pod)
        return text if text is None or lines is None else "\n".join(text.splitlines()[-lines:])


def wait(
    reader: Reader, until: Deadline, lines: int = 20, whole: bool = False, suspended: bool = False, said: Any = None
) -> Ending:
    found = JobsWait(
        reader,  # type: ignore[arg-type]
        (said if said is not None else []).append,
        lines,
        whole,
        [JOB] if suspended else [],
    )
    return found.run(until)[JOB]


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
    ending = wait(reader, deadline(), whole=True, said=said)
    assert said == ["running: Chief 1/1, Worker 1/1 | step 1", "succeeded: Chief 1/1 | step 2"]
    assert (ending.end, ending.log, ending.no_log) == ("succeeded", "step 1\nstep 2", "")


@pytest.mark.parametrize(("policy", "kept"), [("All", {"j-chief-0", "j-worker-0"}), ("Running", {"j-chief-0"})])
def test_logs_of_pods_that_are_removed_at_the_end(policy: str, kept: set[str]) -> None:
    gone = [Replica("Chief", 0, "j-chief-0", "n1", "removed"), Replica("Worker", 0, "j-worker-0", "n2", "removed")]
    looks = [JobState("running", replicas=[CHIEF, WORKER]), JobState("failed", "TFJobFailed", "", gone)]
    logs = [{"j-chief-0": "a\nb", "j-worker-0": "c"}, {}]
    ending = wait(Reader(looks, logs, policy), deadline(), lines=1, whole=True)
    assert set(ending.tails) == kept
    assert (ending.end, ending.log) == ("failed", "b")
    assert f"removed by clean_pod_policy {policy}" in ending.no_log


def test_an_api_server_that_restarts_is_no_end() -> None:
    said: list[str] = []
    looks = [ApiError(0, "", "no answer"), ApiError(503, "", "not ready"), JobState("succeeded", replicas=[])]
    assert wait(Reader(looks, [{}]), deadline(), said=said).end == "succeeded"
    assert said[:2] == ["no answer", "not ready"]


def test_a_refusal_is_raised() -> None:
    with pytest.raises(ApiError):
        wait(Reader([ApiError(403, "Forbidden", "no")], [{}]), deadline())


def test_the_deadline() -> None:
    ending = wait(Reader([JobState("queued", replicas=[CHIEF])], [{}]), deadline(10))
    assert (ending.end, ending.state.state, ending.spent) == ("timed_out", "queued", pytest.approx(10))
    away = wait(Reader([ApiError(0, "", "no answer")], [{}]), deadline(10))
    assert (away.end, away.state.state) == ("timed_out", "unknown")


def test_suspended_is_an_end_only_when_it_was_asked_for() -> None:
    looks = [JobState("suspended"), JobState("succeeded")]
    assert wait(Reader(looks, [{}]), deadline(), suspended=True).end == "suspended"
    assert wait(Reader(looks, [{}]), deadline()).end == "succeeded"


def test_each_job_ends_on_its_own() -> None:
    refs = tuple(TFJOB.ref(name, "n") for name in "abcde")
    good, bad, gone, runs = (JobState(state) for state in ("succeeded", "failed", "vanished", "running"))
    first = dict(zip(refs, [runs, bad, runs, runs, runs]))
    second = dict(zip(refs, [good, bad, gone, JobState("suspended"), runs]))
    reader, said = Reader([first, second], [{}], refs=refs), []
    found = JobsWait(reader, said.append, 20, False, [refs[3]]).run(deadline(10))  # type: ignore[arg-type]
    assert [found[ref].end for ref in refs] == ["succeeded", "failed", "vanished", "suspended", "timed_out"]
    assert [found[ref].good for ref in refs] == [True, False, False, True, False]
    assert [found[ref].why.sentence for ref in refs[1:]] == [
        "failed with 0 logs",
        "vanished with 0 logs",
        "",
        "running with 0 logs",
    ]
    # What has ended is not asked for again.
    assert [len(asked) for asked in reader.asked[:3]] == [5, 4, 1]
    assert said[0].splitlines()[0] == "5 jobs: 1 failed, 4 running"
    assert said[1].splitlines()[0] == "5 jobs: 1 failed, 1 vanished, 1 running, 1 suspended, 1 succeeded"
    assert said[1].splitlines()[1].split() == ["n/b", "tfjob", "failed"]


def test_what_has_ended_is_told_at_once_and_an_error_then_ends_no_wait() -> None:
    refs = tuple(TFJOB.ref(name, "n") for name in "ab")
    good, runs = JobState("succeeded"), JobState("running")
    reader = Reader([dict(zip(refs, [good, runs])), dict(zip(refs, [good, good]))], [{}], refs=refs)
    told, said = [], []

    def at_end(ended: Any) -> None:
        told.append((len(reader.asked), list(ended)))
        raise ApiError(503, "", "not now")

    found = JobsWait(reader, said.append, 20, False, [], at_end).run(deadline())  # type: ignore[arg-type]
    assert told == [(1, [refs[0]]), (2, [refs[1]])]
    assert ({ending.end for ending in found.values()}, said.count("not now")) == ({"succeeded"}, 2)
