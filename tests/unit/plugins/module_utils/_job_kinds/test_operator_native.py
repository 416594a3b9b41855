# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_native import check_job


def job(container: dict[str, Any] | None = None, pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "pytorch", "image": "t:1", **(container or {})}], **(pod or {})}}
    replicas = {"Master": {"replicas": 1, "template": template}}
    meta = {"name": "ttl", "namespace": "team-a"}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": meta,
        "spec": {"pytorchReplicaSpecs": replicas, **spec},
    }


def lines(manifest: dict[str, Any]) -> str:
    return "\n".join(problem.line() for problem in check_job(manifest))


def test_policies_in_the_place_of_old_versions() -> None:
    found = lines(job(ttlSecondsAfterFinished=10, cleanPodPolicy="All"))
    assert "PyTorchJob ttl: spec.ttlSecondsAfterFinished = 10" in found
    assert "Move it to spec.runPolicy.ttlSecondsAfterFinished" in found
    assert "Move it to spec.runPolicy.cleanPodPolicy" in found
    assert lines(job(runPolicy={"cleanPodPolicy": "All"})) == ""


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        (job({"name": "main"}), "one must be named pytorch"),
        (job(pod={"restartPolicy": "ExitCode"}), "restart policy of the replica type"),
        (job({"resources": {"limits": {"nvidia.com/gpu": 0.5}}}), "must be a whole number"),
        (job({"resources": {"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 2}}}), "must be equal"),
        (job({"resources": {"limits": {"nvidia.com/gpu": 1}}}), ""),
        ({"apiVersion": "batch/v1", "kind": "Job", "spec": {"backoffLimit": 1}}, ""),
        ({"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "spec": None}, ""),
        ({"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "spec": {"tfReplicaSpecs": {"Worker": None}}}, ""),
        (
            {
                "apiVersion": "kubeflow.org/v1",
                "kind": "TFJob",
                "spec": {"tfReplicaSpecs": {"Worker": {"template": []}}},
            },
            "spec.tfReplicaSpecs.Worker.template = a list: must be a map",
        ),
    ],
)
def test_templates(manifest: dict[str, Any], words: str) -> None:
    found = lines(manifest)
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize(("least", "refused"), [(-1, True), (0, False), (4, False), (5, True), ("x", False)])
def test_a_gang_of_the_operators_own(least: Any, refused: bool) -> None:
    """FC-26: it takes any minimum, and above the number of pods the job never starts."""
    manifest = job(runPolicy={"schedulingPolicy": {"minAvailable": least}})
    replicas = manifest["spec"]["pytorchReplicaSpecs"]
    replicas["Worker"] = {**replicas["Master"], "replicas": 3}
    found = lines(manifest)
    assert bool(found) == refused
    if refused:
        assert f"spec.runPolicy.schedulingPolicy.minAvailable = {least}: must be between 0 and 4" in found
