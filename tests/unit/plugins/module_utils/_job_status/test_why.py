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
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why_starting import registry_word
from tests.support.why_objects import JUST_NOW, NOW, ended, event, gpus, holder, job, node, pod, why

IMAGE = "registry.example/bert:5"
NOT_FOUND = (
    'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/bert:5": failed to resolve'
    ' reference "registry.example/bert:5": registry.example/bert:5: not found'
)
BACK_OFF = f'Back-off pulling image "{IMAGE}": ErrImagePull: {NOT_FOUND}'
DENIED = (
    'rpc error: code = Unknown desc = failed to pull and unpack image "registry.example/bert:5": failed to resolve'
    " reference: pull access denied, repository does not exist or may require authorization: server message:"
    " insufficient_scope: authorization failed"
)
NO_HOST = (
    'rpc error: code = Unknown desc = failed to pull and unpack image "registry.example/bert:5": failed to resolve'
    ' reference: failed to do request: Head "https://registry.example/v2/": dial tcp: lookup registry.example:'
    " no such host"
)
NO_MEMORY = {"exitCode": 137, "reason": "OOMKilled"}


def waits(reason: str, message: str = "", name: str = "tensorflow", **more: Any) -> dict[str, Any]:
    """Return the status of a pod whose container waits."""
    waiting = {"reason": reason, **({"message": message} if message else {})}
    return {"containerStatuses": [{"name": name, "state": {"waiting": waiting}, "restartCount": 0, **more}]}


def stops(code: int, reason: str = "Error", **more: Any) -> dict[str, Any]:
    """Return the status of a pod whose container ended."""
    terminated = {"exitCode": code, "reason": reason, **more}
    return {"containerStatuses": [{"name": "tensorflow", "state": {"terminated": terminated}, "restartCount": 0}]}


def placed(index: int = 0, status: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Return a pod that has a node."""
    return pod(index, node="gpu-1", status=status, **options)


@pytest.mark.parametrize(
    ("pods", "seen", "sentence"),
    [
        (
            [placed(0, waits("ErrImagePull", NOT_FOUND)), placed(1, waits("ImagePullBackOff", BACK_OFF))],
            {},
            f"Worker-0 and Worker-1 cannot start: the registry has no image {IMAGE} ({IMAGE}: not found)",
        ),
        (
            [placed(0, waits("ErrImagePull", DENIED))],
            {},
            f"Worker-0 cannot start: the registry does not give out image {IMAGE} (server message: insufficient_scope:"
            " authorization failed)",
        ),
        (
            [placed(0, waits("ErrImagePull", NO_HOST))],
            {},
            f"Worker-0 cannot start: the node does not reach the registry of image {IMAGE} (",
        ),
        (
            [placed(0, waits("ErrImagePull", "rpc error: code = Unknown desc = no space left on device"))],
            {},
            f"Worker-0 cannot start: image {IMAGE} cannot be pulled (no space left on device)",
        ),
        ([placed(0, waits("InvalidImageName", "bad"))], {}, f"Worker-0 cannot start: {IMAGE} is no name of an image"),
        ([placed(0, waits("ErrImageNeverPull"))], {}, f"Worker-0 cannot start: image {IMAGE} is not on the node"),
        (
            [placed(0, waits("CreateContainerConfigError", 'configmap "bert-program" not found'))],
            {},
            "Worker-0 cannot start: ConfigMap bert-program does not exist in namespace team-a",
        ),
        (
            [placed(0, waits("CreateContainerConfigError", 'secret "login" not found'))],
            {},
            "Worker-0 cannot start: Secret login does not exist in namespace team-a",
        ),
        (
            [placed(0, waits("CreateContainerConfigError", "couldn't find key token in Secret team-a/login"))],
            {},
            "Worker-0 cannot start: there is no key token in Secret login",
        ),
        (
            [placed(0, waits("CreateContainerConfigError", "container has runAsNonRoot and image will run as root"))],
            {},
            "Worker-0 cannot start: container has runAsNonRoot and image will run as root",
        ),
        (
            [placed(0, waits("RunContainerError", 'exec: "pyhton": executable file not found in $PATH'))],
            {},
            'Worker-0 cannot start: exec: "pyhton": executable file not found in $PATH',
        ),
        (
            [placed(0, waits("ContainerCreating"))],
            {
                "events": [
                    event(
                        "FailedMount",
                        'MountVolume.SetUp failed for volume "p" : configmap "prog" not found',
                        "Pod",
                        "bert-worker-0",
                    )
                ]
            },
            "Worker-0 cannot start: ConfigMap prog does not exist in namespace team-a",
        ),
        (
            [placed(0, waits("ContainerCreating"))],
            {
                "events": [
                    event(
                        "FailedAttachVolume",
                        'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) bert-worker-1',
                        "Pod",
                        "bert-worker-0",
                    )
                ]
            },
            "Worker-0 cannot start: its volume is attached to another node, and may be on one at a time",
        ),
        (
            [placed(0, waits("ContainerCreating"))],
            {"events": [event("FailedMount", "mount.nfs: Connection refused", "Pod", "bert-worker-0")]},
            "Worker-0 cannot start: a volume cannot be mounted (mount.nfs: Connection refused)",
        ),
        (
            [placed(0, waits("ContainerCreating"))],
            {"events": [event("FailedCreatePodSandBox", "plugin flannel failed", "Pod", "bert-worker-0")]},
            "Worker-0 cannot start: the node gives the pod no network (plugin flannel failed)",
        ),
        (
            [placed(0)],
            {"nodes": [node("gpu-1", ready="Unknown")]},
            "Worker-0 cannot start: node gpu-1 is not ready (NodeStatusUnknown: Kubelet stopped posting",
        ),
        ([placed(0)], {"nodes": [node("gpu-1")]}, "Node gpu-1 has not said a word about Worker-0 in 60m"),
        ([placed(0, made=JUST_NOW)], {}, "Worker-0 is about to start: its node gpu-1 prepares the container"),
        (
            [
                placed(
                    0,
                    {
                        **waits("PodInitializing"),
                        "initContainerStatuses": [
                            {
                                "name": "init-pytorch",
                                "state": {"running": {"startedAt": "t"}},
                                "ready": False,
                                "restartCount": 0,
                            }
                        ],
                    },
                )
            ],
            {},
            "Worker-0 has not started: its init container init-pytorch has not ended yet",
        ),
        (
            [
                placed(
                    0,
                    {
                        **waits("PodInitializing"),
                        "initContainerStatuses": [
                            {
                                "name": "fetch",
                                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                                "lastState": {"terminated": {"exitCode": 1}},
                                "restartCount": 3,
                            }
                        ],
                    },
                )
            ],
            {},
            "Worker-0 cannot start: init container fetch ended with exit code 1 (the program reported an error)",
        ),
        (
            [placed(0, waits("CrashLoopBackOff", restartCount=5, lastState={"terminated": {"exitCode": 139}}))],
            {"logs": {"bert-worker-0": "step 10\nSegmentation fault\n"}},
            "Worker-0 fails again and again, 5 times until now: the container ended with exit code 139 (SIGSEGV",
        ),
        (
            [
                placed(
                    0,
                    waits("CrashLoopBackOff", restartCount=2, lastState={"terminated": NO_MEMORY}),
                    resources=gpus(1, memory="2Gi"),
                )
            ],
            {},
            "Worker-0 is killed again and again for using more memory than its limit (2Gi) allows",
        ),
    ],
)
def test_why_a_pod_does_not_start(pods: list[dict[str, Any]], seen: dict[str, Any], sentence: str) -> None:
    told = why(job(Worker=len(pods)), pods, **seen)
    assert told.sentence.startswith(sentence), told
    assert told.facts[-1].startswith("what to do: ")


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


def test_the_log_stands_among_the_facts() -> None:
    told = why(job(FAILS), [placed(0, stops(1), phase="Failed")], logs=LOG)
    assert told.facts[:3] == [
        "| step 9 loss 0.3",
        "| Traceback (most recent call last):",
        "| RuntimeError: broken at step 10",
    ]


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


@pytest.mark.parametrize(
    ("message", "word"),
    [
        (NOT_FOUND, f"{IMAGE}: not found"),
        (BACK_OFF, f"{IMAGE}: not found"),
        ("rpc error: code = Unknown desc = unauthorized", "unauthorized"),
        ("", ""),
    ],
)
def test_the_registrys_word(message: str, word: str) -> None:
    assert registry_word(message) == word


@pytest.mark.parametrize("code", [1, 2, 126, 127, 128, 130, 132, 134, 135, 137, 139, 143])
def test_known_exit_codes_say_what_they_mean(code: int) -> None:
    assert meaning({"exitCode": code}) != f"ended with exit code {code} (a code of the program's own)"


def test_other_exit_codes() -> None:
    assert meaning({"exitCode": 42}) == "ended with exit code 42 (a code of the program's own)"
    assert meaning({"exitCode": 138}) == "ended with exit code 138 (signal 10)"
    assert meaning({}) == "ended in an unknown way"
