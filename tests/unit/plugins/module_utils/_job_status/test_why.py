# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from tests.support.why_objects import NOT_FOUND, ended, gpus, holder, job, node, placed, pod, waits, why


def test_a_pod_that_only_goes_away_is_nothing_to_explain() -> None:
    runs = {"containerStatuses": [{"name": "tensorflow", "state": {"running": {}}}]}
    going = placed(0, runs, phase="Running")
    # The time until which it may end by itself.
    going["metadata"]["deletionTimestamp"] = "2026-11-28T12:00:20Z"
    assert why(job(Worker=1), [going]).sentence == ""
    going["metadata"]["deletionTimestamp"] = "2026-11-28T11:59:00Z"
    assert why(job(Worker=1), [going]).sentence.startswith("Worker-0 is being deleted on node gpu-1")


def test_a_job_that_is_being_deleted() -> None:
    live = job(Worker=1)
    live["metadata"]["deletionTimestamp"] = "2026-11-28T11:50:00Z"
    runs = {"containerStatuses": [{"name": "tensorflow", "state": {"running": {}}}]}
    told = why(live, [placed(0, runs, phase="Running")])
    assert told.sentence == "Somebody is deleting the job, since 10m; what it owns goes first"


def test_states_that_explain_themselves() -> None:
    assert why(job(ended("Suspended", "m")), []).sentence == "The job is suspended, so it has no pods"
    queued = job(ended("Suspended", "m"))
    queued["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    assert why(queued, []).sentence == "The job is suspended and waits in the queue team, so it has no pods"
    assert why(None, []).sentence == "The job is gone: it was deleted before its end was seen"
    assert why(None, [], uid="").sentence == ""
    assert why(job(ended("Succeeded", "m")), []).sentence == ""
    runs = {"containerStatuses": [{"name": "tensorflow", "state": {"running": {}}}]}
    assert why(job(Worker=1), [placed(0, runs, phase="Running")]).sentence == ""
    again = why(
        job(ended("Restarting", "1 Worker replica(s) failed")), [placed(n, runs, phase="Running") for n in (0, 1)]
    )
    assert again.sentence == "The operator starts failed pods anew: 1 Worker replica(s) failed"


def test_a_cause_comes_before_what_follows_from_it() -> None:
    init = {"initContainerStatuses": [{"name": "init", "state": {"running": {"startedAt": "t"}}, "ready": False}]}
    pods = [
        placed(0, {**waits("PodInitializing"), **init}),
        pod(0, "chief", says="m", nodeSelector={"disk": "ssd"}),
    ]
    told = why(job(Chief=1, Worker=1), pods, nodes=[node("gpu-1")], held=[])
    assert told.sentence.startswith("No node is one that Chief-0 may use")
    assert "Worker-0 has not started: its init container init has not ended yet" in told.facts


def test_what_only_people_mend_comes_before_what_time_mends() -> None:
    pods = [
        pod(0, "chief", says="m", resources=gpus(1)),
        placed(0, waits("ErrImagePull", NOT_FOUND)),
    ]
    told = why(job(Chief=1, Worker=1), pods, nodes=[node("gpu-1", 1)], held=[holder("x", "gpu-1", gpus(1))])
    assert told.sentence.startswith("Worker-0 cannot start: the registry has no image")
    assert any(fact.startswith("No node has room for Chief-0") for fact in told.facts)
