# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.readiness import (
    FAILED,
    READY,
    WAITING,
    readiness,
    waits_for_consumer,
    webhook_problem,
)
from tests.unit.plugins.module_utils._kube.live_objects import live


def said(kind: str, status: str, **more: str) -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": status, **more}]}


def pressed(kind: str, status: str) -> dict[str, Any]:
    """A node whose kubelet is Ready and says this of one of its resources."""
    ready, pressure = said("Ready", "True"), said(kind, status, reason=f"KubeletHas{kind}")
    return {"conditions": [*ready["conditions"], *pressure["conditions"]]}


ROLLED = {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2, "readyReplicas": 2}
SPREAD = {"observedGeneration": 2, "desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 3}


@pytest.mark.parametrize(
    ("item", "state", "word"),
    [
        (live("Deployment", ROLLED, {"replicas": 2}), READY, ""),
        (live("Deployment", {**ROLLED, "observedGeneration": 1}, {"replicas": 2}), WAITING, "has not seen it"),
        (live("Deployment", {**ROLLED, "replicas": 3}, {"replicas": 2}), WAITING, "former version"),
        (live("Deployment", {**ROLLED, "availableReplicas": 1}, {"replicas": 2}), WAITING, "1 of 2 available"),
        (live("Deployment", {}, {}), WAITING, "has not seen it"),
        (live("Deployment", {"observedGeneration": 2}, {"replicas": 0}), READY, ""),
        (
            live(
                "Deployment",
                {"observedGeneration": 2, **said("Progressing", "False", reason="ProgressDeadlineExceeded")},
            ),
            WAITING,
            "ProgressDeadlineExceeded",
        ),
        (live("DaemonSet", SPREAD), READY, ""),
        (live("DaemonSet", {**SPREAD, "updatedNumberScheduled": 1}), WAITING, "1 of 3 updated"),
        (live("DaemonSet", {"observedGeneration": 1}), WAITING, "has not seen it"),
        (live("StatefulSet", ROLLED, {"replicas": 2}), READY, ""),
        (live("StatefulSet", {**ROLLED, "readyReplicas": 0}, {"replicas": 2}), WAITING, "0 of 2 ready"),
        (
            live(
                "StatefulSet", {**ROLLED, "updatedReplicas": 0}, {"replicas": 2, "updateStrategy": {"type": "OnDelete"}}
            ),
            READY,
            "",
        ),
        (live("CustomResourceDefinition", said("Established", "True")), READY, ""),
        (live("CustomResourceDefinition", {}), WAITING, "not Established"),
        (live("CustomResourceDefinition", said("NamesAccepted", "False", message="taken")), FAILED, "taken"),
        (live("Node", said("Ready", "True")), READY, ""),
        (
            live("Node", said("Ready", "False", reason="KubeletNotReady", message="cni")),
            WAITING,
            "KubeletNotReady: cni",
        ),
        (live("Node", {}), WAITING, "has not reported"),
        (live("Node", pressed("DiskPressure", "True")), WAITING, "DiskPressure: KubeletHasDiskPressure"),
        (live("Node", pressed("MemoryPressure", "True")), WAITING, "MemoryPressure"),
        (live("Node", pressed("DiskPressure", "False")), READY, ""),
        (live("Namespace", {"phase": "Active"}), READY, ""),
        (live("Namespace", {"phase": "Terminating"}), WAITING, "Terminating"),
        (live("PersistentVolumeClaim", {"phase": "Bound"}), READY, ""),
        (live("PersistentVolumeClaim", {"phase": "Pending"}), WAITING, "Pending"),
        (live("PersistentVolumeClaim", {"phase": "Lost"}), FAILED, "lost"),
        (live("Job", said("Complete", "True")), READY, ""),
        (live("Job", said("Failed", "True", reason="BackoffLimitExceeded")), FAILED, "BackoffLimitExceeded"),
        (live("Job", {"active": 1}), WAITING, "1 active, 0 succeeded"),
        (live("Pod", {"phase": "Running", **said("Ready", "True")}), READY, ""),
        (live("Pod", {"phase": "Succeeded"}), READY, ""),
        (live("Pod", {"phase": "Failed", "reason": "Evicted", "message": "disk"}), FAILED, "Evicted: disk"),
        (live("Pod", {"phase": "Running"}), WAITING, "phase Running"),
        (live("ConfigMap", {}), READY, ""),
        (live("TFJob", {}), WAITING, "status.conditions is not set yet"),
        (live("TFJob", said("Created", "True")), WAITING, "Created"),
        (live("TFJob", said("Succeeded", "True")), READY, ""),
        (live("TFJob", said("Failed", "False")), WAITING, ""),
        (live("TFJob", said("Failed", "True", reason="TFJobFailed", message="no")), FAILED, "TFJobFailed: no"),
        (live("Queue", {"state": "Open"}), READY, ""),
        (live("Queue", {}), WAITING, "status.state is not set yet"),
        (live("Queue", {"state": "Closing"}), WAITING, "status.state is Closing"),
        (live("Queue", {"state": "Closed"}), FAILED, "status.state is Closed"),
        (live("Widget", said("Ready", "True")), READY, ""),
        (live("Widget", said("Ready", "Unknown")), WAITING, "condition Ready is Unknown"),
        (live("APIService", said("Available", "False", reason="MissingEndpoints")), WAITING, "MissingEndpoints"),
        (live("ConfigMap", {}, deletionTimestamp="2026-11-28T00:00:00Z"), WAITING, "being deleted"),
    ],
)
def test_readiness(item: dict[str, Any], state: str, word: str) -> None:
    answer = readiness(item)
    assert answer.state == state, answer
    assert word in answer.reason


@pytest.mark.parametrize(
    ("phase", "state"),
    [
        ("Completed", READY),
        *((phase, FAILED) for phase in ("Failed", "Aborted", "Terminated")),
        *((phase, WAITING) for phase in ("Pending", "Running", "Restarting", "Completing", "Terminating", "Aborting")),
    ],
)
def test_a_volcano_job_is_no_job_of_batch(phase: str, state: str) -> None:
    job = live("Job", {"state": {"phase": phase, "reason": "Because", "message": "of that"}})
    answer = readiness({**job, "apiVersion": "batch.volcano.sh/v1alpha1"})
    assert answer.state == state
    assert answer.reason == ("" if state == READY else "Because: of that")


@pytest.mark.parametrize(
    ("phase", "mode", "answer"),
    [
        ("Pending", "WaitForFirstConsumer", True),
        ("Pending", "Immediate", False),
        ("Bound", "WaitForFirstConsumer", False),
    ],
)
def test_a_claim_that_waits_for_its_consumer(phase: str, mode: str, answer: bool) -> None:
    assert waits_for_consumer({"status": {"phase": phase}}, {"volumeBindingMode": mode}) is answer
    assert not waits_for_consumer({"status": {"phase": phase}}, None)


def test_a_webhook_needs_endpoints_and_a_certificate() -> None:
    service = {"service": {"name": "s", "namespace": "n"}}
    ready, not_ready = [{"endpoints": [{}]}], [{"endpoints": [{"conditions": {"ready": False}}]}]
    assert webhook_problem({"clientConfig": {"url": "https://x"}}, []) == ""
    assert "no ready endpoint" in webhook_problem({"clientConfig": {**service, "caBundle": "x"}}, not_ready)
    assert "no ready endpoint" in webhook_problem({"clientConfig": {**service, "caBundle": "x"}}, [])
    assert "caBundle is empty" in webhook_problem({"clientConfig": service}, ready)
    assert webhook_problem({"clientConfig": {**service, "caBundle": "x"}}, ready) == ""
