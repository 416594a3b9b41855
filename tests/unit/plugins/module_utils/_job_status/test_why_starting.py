# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why_starting import registry_word
from tests.support.why_objects import IMAGE, JUST_NOW, NOT_FOUND, event, gpus, job, node, placed, waits, why

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
