# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.cause import Evidence
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.read_state import read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import explain
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why_exit import meaning
from tests.support.why_objects import NOW, ended, gpus, job, placed, stops, why

FAILS = ended("Failed", "TFJob bert has failed because 1 Worker replica(s) failed.")
LOG = {"bert-worker-0": "step 9 loss 0.3\nTraceback (most recent call last):\nRuntimeError: broken at step 10\n"}


@pytest.mark.parametrize(
    ("live", "pods", "seen", "sentence"),
    [
        (
            job(FAILS),
            [placed(0, stops(1), phase="Failed")],
            {"logs": LOG},
            "Worker-0 failed: the container ended with exit code 1 (the program reported an error); its last line:"
            " RuntimeError: broken at step 10",
        ),
        (
            job(FAILS),
            [placed(index, stops(2), phase="Failed") for index in range(6)],
            {},
            "Worker-0, Worker-1, Worker-2 and 3 more failed: the container ended with exit code 2 (often a wrong"
            " argument)",
        ),
        (
            job(FAILS),
            [placed(0, stops(137, "OOMKilled"), phase="Failed", resources=gpus(1, memory="2Gi"))],
            {"logs": LOG},
            "Worker-0 was killed for using more memory than its limit (2Gi) allows",
        ),
        (
            job(FAILS),
            [placed(0, stops(143), phase="Failed")],
            {},
            "Worker-0 failed: the container ended with exit code 143 (SIGTERM: it was asked to end",
        ),
        (
            job(FAILS),
            [placed(0, stops(128, "StartError", message='exec: "train": not found'), phase="Failed")],
            {},
            'Worker-0 failed: the container could not be started (exec: "train": not found)',
        ),
        (
            job(FAILS),
            [
                placed(
                    0,
                    {"reason": "Evicted", "message": "The node was low on resource: memory.", **stops(137)},
                    phase="Failed",
                )
            ],
            {},
            "Worker-0 was evicted from node gpu-1: The node was low on resource: memory.",
        ),
        (
            job(ended("Failed", "TFJob bert has failed because it has reached the specified backoff limit")),
            [],
            {},
            "The job was restarted more often than backoff_limit allows",
        ),
        (
            job(ended("Failed", "TFJob bert has failed because it was active longer than specified deadline")),
            [],
            {},
            "The job ran longer than active_deadline_seconds allows",
        ),
        (job(FAILS), [], {}, "The job failed: TFJob bert has failed because 1 Worker replica(s) failed."),
    ],
)
def test_why_it_failed(live: dict[str, Any], pods: list[dict[str, Any]], seen: dict[str, Any], sentence: str) -> None:
    told = why(live, pods, **seen)
    assert told.sentence.startswith(sentence), told


def test_a_limit_of_the_job_stands_among_the_facts_with_what_was_read_on_the_way() -> None:
    live = job(ended("Failed", "TFJob bert has failed because it has reached the specified backoff limit"))
    live["spec"]["runPolicy"]["backoffLimit"] = 3
    told = why(live, [], logs={"bert-worker-0": "broken\n"})
    assert told.facts[:2] == ["| broken", "spec.runPolicy.backoffLimit is 3"]


def test_a_parameter_server_job_fails_by_its_pod_not_by_the_limit_of_a_batch_job() -> None:
    """Their backoffLimit is 0: that it was reached says nothing."""
    failed = placed(0, stops(1), phase="Failed")
    failed["metadata"]["labels"] = {PS_JOB.labels.job: "bert", PS_JOB.labels.type: "worker", PS_JOB.labels.index: "0"}
    failed["status"]["containerStatuses"][0]["name"] = "main"
    root = {"metadata": {"name": "bert", "namespace": "team-a", "uid": "job-1"}, "data": {"worker_hosts": "w:2222"}}
    state = JobState("failed", "BackoffLimitExceeded", "Worker-0 failed: Job has reached the specified backoff limit")
    state = replace(state, replicas=read_state(PS_JOB, root, [failed], [], "job-1").replicas)
    told = explain(PS_JOB, PS_JOB.ref("bert", "team-a"), state, root, [failed], Evidence(NOW))
    assert told.sentence == "Worker-0 failed: the container ended with exit code 1 (the program reported an error)"
    state = replace(state, replicas=[])
    assert explain(PS_JOB, PS_JOB.ref("bert", "team-a"), state, root, [], Evidence(NOW)).sentence == (
        "The job failed: Worker-0 failed: Job has reached the specified backoff limit"
    )


def test_a_limit_that_the_pod_does_not_show_is_taken_from_the_job() -> None:
    live = job(FAILS)
    template = live["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    template["spec"]["containers"][0]["resources"] = gpus(1, memory="3Gi")
    slim = placed(0, stops(137, "OOMKilled"), phase="Failed")
    del slim["spec"]["containers"]
    assert why(live, [slim]).sentence.endswith("than its limit (3Gi) allows")


def test_a_job_whose_failed_pods_are_gone_is_told_by_its_own_word() -> None:
    state = JobState("failed", "Failed", "one Worker failed", rule="a replica ended with an error")
    told = explain(TFJOB, TFJOB.ref("bert", "team-a"), state, job(Worker=1), [], Evidence(NOW))
    assert (told.sentence, told.facts[0]) == ("The job failed: one Worker failed", "a replica ended with an error")
    told = explain(TFJOB, TFJOB.ref("bert", "team-a"), replace(state, message=""), job(Worker=1), [], Evidence(NOW))
    assert told.sentence == "The job failed: a replica ended with an error"
    assert state.rule not in told.facts


def test_a_lost_node_while_it_fails_and_before() -> None:
    lost = placed(0, {"containerStatuses": [{"name": "tensorflow", "state": {"running": {}}}]}, phase="Running")
    lost["metadata"]["deletionTimestamp"] = "2026-11-28T11:59:00Z"
    cause = {"reason": "DeletionByTaintManager", "message": "Taint manager: deleting due to NoExecute taint"}
    lost["status"]["conditions"] = [{"type": "DisruptionTarget", "status": "True", **cause}]
    failed = why(job(FAILS), [lost]).sentence
    assert failed.startswith("Worker-0 was lost with its place on node gpu-1: DeletionByTaintManager: Taint manager")
    assert why(job(Worker=1), [lost]).sentence.startswith(
        "Worker-0 is being deleted on node gpu-1: it is being deleted"
    )


def test_the_log_stands_among_the_facts() -> None:
    told = why(job(FAILS), [placed(0, stops(1), phase="Failed")], logs=LOG)
    assert told.facts[:3] == [
        "| step 9 loss 0.3",
        "| Traceback (most recent call last):",
        "| RuntimeError: broken at step 10",
    ]


@pytest.mark.parametrize("code", [1, 2, 126, 127, 128, 130, 132, 134, 135, 137, 139, 143])
def test_known_exit_codes_say_what_they_mean(code: int) -> None:
    assert meaning({"exitCode": code}) != f"ended with exit code {code} (a code of the program's own)"


def test_other_exit_codes() -> None:
    assert meaning({"exitCode": 42}) == "ended with exit code 42 (a code of the program's own)"
    assert meaning({"exitCode": 138}) == "ended with exit code 138 (signal 10)"
    assert meaning({}) == "ended in an unknown way"
