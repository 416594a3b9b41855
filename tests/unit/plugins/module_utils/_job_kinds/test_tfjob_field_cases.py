# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The field cases that options and native objects of a job decide, each with the inputs that people had."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_native import check_job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.keys import read_keys

GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-{}"


def lines(**options: Any) -> str:
    given = {"name": "j", "namespace": "n", "image": "i:1", "replicas": {"Worker": {}}, **options}
    return "\n".join(problem.line() for problem in TFJOB.render(given)[1])


def pod(**options: Any) -> dict[str, Any]:
    given = {"name": "j", "namespace": "n", "image": "i:1", "replicas": {"Worker": {}}, **options}
    job, problems = TFJOB.render(given)
    assert problems == []
    assert job
    template: dict[str, Any] = job.root["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    return template


def limits(**amounts: Any) -> dict[str, Any]:
    return {"limits": {name.replace("_", "-"): amount for name, amount in amounts.items()}}


def manifest(kind: str, container: dict[str, Any], pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a native job with one replica type."""
    specs = {"TFJob": "tfReplicaSpecs", "PyTorchJob": "pytorchReplicaSpecs"}[kind]
    template = {"spec": {"containers": [{"image": "t:1", **container}], **(pod or {})}}
    replicas = {"Master": {"replicas": 1, "template": template}}
    metadata = {"name": "ttl", "namespace": "team-a"}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": metadata, "spec": {specs: replicas, **spec}}


def test_fc_14_policies_in_the_wrong_place() -> None:
    found = check_job(manifest("PyTorchJob", {"name": "pytorch"}, ttlSecondsAfterFinished=10, cleanPodPolicy="All"))
    assert [problem.way_out for problem in found] == [
        "Move it to spec.runPolicy.ttlSecondsAfterFinished",
        "Move it to spec.runPolicy.cleanPodPolicy",
    ]
    raw = {"spec": {"ttlSecondsAfterFinished": 10, "cleanPodPolicy": "All"}}
    assert [problem.way_out for problem in read_keys(raw, TFJOB.job_options(), TFJOB).problems] == [
        "Write it ttl_seconds_after_finished",
        "Write it clean_pod_policy",
    ]


def test_fc_19_exit_code_is_no_policy_of_a_pod() -> None:
    found = lines(template={"spec": {"restartPolicy": "ExitCode"}})
    assert "template.spec.restartPolicy = ExitCode: the operator sets it on the pods" in found
    assert "restart policy of the replica type" in found
    (problem,) = check_job(manifest("TFJob", {"name": "tensorflow"}, {"restartPolicy": "ExitCode"}))
    assert "ExitCode exists only there" in problem.way_out
    assert lines(replicas={"Worker": {"restart_policy": "ExitCode"}}) == ""


def test_fc_20_all_workers_beside_a_chief() -> None:
    replicas = {"Chief": {}, "Worker": {"replicas": 2}}
    given = {"name": "j", "namespace": "n", "image": "i:1", "replicas": replicas, "success_policy": "AllWorkers"}
    job, problems = TFJOB.render(given)
    assert problems == []
    assert job
    assert job.root["spec"]["successPolicy"] == "AllWorkers"
    assert "no effect beside a Chief" in job.notes[0]


def test_fc_22_shared_memory() -> None:
    assert "above the memory limit 4Gi" in lines(shm_size="8Gi", resources=limits(memory="4Gi"))
    spec = pod(shm_size="8Gi", resources=limits(memory="16Gi"))["spec"]
    assert spec["volumes"] == [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "shared-memory", "mountPath": "/dev/shm"}]
    own = {"volumes": [{"name": "own", "emptyDir": {}}], "volume_mounts": [{"name": "own", "mountPath": "/dev/shm"}]}
    assert "mounted at /dev/shm already" in lines(shm_size="8Gi", **own)
    for size in ("0", "-1Gi"):
        assert "must be above 0" in lines(shm_size=size)


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        (limits(hugepages_2Mi="512Mi"), "huge pages need cpu or memory beside them"),
        (limits(hugepages_2Mi="512Mi", memory="2Gi"), ""),
        ({"requests": {"hugepages-2Mi": "512Mi", "memory": "2Gi"}}, ""),
        (
            {"requests": {"hugepages-2Mi": "256Mi"}, "limits": {"hugepages-2Mi": "512Mi", "memory": "2Gi"}},
            "request and limit of huge pages must be equal",
        ),
        (limits(hugepages_2Mi="3Mi", memory="2Gi"), "must be a multiple of 2Mi"),
        (limits(hugepages_big="3Mi", memory="2Gi"), "is none of cpu, memory"),
    ],
)
def test_fc_22_huge_pages(resources: dict[str, Any], words: str) -> None:
    found = lines(resources=resources)
    assert words in found
    assert bool(found) == bool(words)


def test_fc_22_a_request_of_huge_pages_gets_its_limit() -> None:
    resources = pod(resources={"requests": {"hugepages-2Mi": "512Mi", "memory": "2Gi"}})["spec"]["containers"][0]
    assert resources["resources"]["limits"] == {"hugepages-2Mi": "512Mi"}


@pytest.mark.parametrize(
    ("medium", "resources", "words"),
    [
        ("HugePages-2Mi", limits(hugepages_2Mi="4Mi", memory="1Gi"), ""),
        ("HugePages", limits(hugepages_2Mi="4Mi", memory="1Gi"), ""),
        (
            "HugePages",
            limits(hugepages_2Mi="4Mi", hugepages_1Gi="1Gi", memory="1Gi"),
            "Write HugePages-1Gi or HugePages-2Mi",
        ),
        ("HugePages-1Gi", limits(hugepages_2Mi="4Mi", hugepages_1Gi="1Gi", memory="1Gi"), ""),
        (
            "HugePages-1Gi",
            limits(hugepages_2Mi="4Mi", memory="1Gi"),
            "no container of the pod asks for such huge pages",
        ),
        ("HugePages", limits(memory="1Gi"), "no container of the pod asks for such huge pages"),
        ("HugePage", limits(memory="1Gi"), "Write HugePages"),
    ],
)
def test_fc_22_volumes_of_huge_pages(medium: str, resources: dict[str, Any], words: str) -> None:
    mounts = [{"name": "huge", "mountPath": "/huge"}]
    found = lines(volumes=[{"name": "huge", "emptyDir": {"medium": medium}}], volume_mounts=mounts, resources=resources)
    assert words in found
    assert bool(found) == bool(words)


def test_fc_24_sidecars() -> None:
    containers = [{"name": "log-shipper", "image": "l:1"}, {"name": "tensorflow"}]
    template = {"spec": {"containers": containers}}
    assert pod(template=template)["metadata"]["annotations"] == {"sidecar.istio.io/inject": "false"}
    for value in ("true", True):
        asked = pod(template=template, pod_annotations={"sidecar.istio.io/inject": value})
        assert asked["metadata"]["annotations"] == {"sidecar.istio.io/inject": "true"}
    assert pod(template=template)["spec"]["containers"][1] == {"name": "tensorflow", "image": "i:1"}
    only = {"spec": {"containers": [{"name": "main", "image": "i:1"}]}}
    assert "one must be named tensorflow" in lines(template=only)


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        (limits(**{GPU: 0.5}), "must be a whole number"),
        ({"requests": {GPU: 1}, "limits": {GPU: 2}}, "request and limit of a device must be equal"),
        (limits(**{MIG.format("1g.10gb"): 1, MIG.format("2g.20gb"): 1}), "MIG devices of one kind only"),
        (limits(**{MIG.format("1g.10gb"): 1, GPU: 1}), "whole GPUs or MIG devices, not both"),
        (limits(gpu=1), "a device has a domain before a /. Write for example nvidia.com/gpu"),
    ],
)
def test_fc_25_devices(resources: dict[str, Any], words: str) -> None:
    assert words in lines(resources=resources)
    container = {"name": "tensorflow", "resources": resources}
    assert words in "\n".join(problem.line() for problem in check_job(manifest("TFJob", container)))


@pytest.mark.parametrize(
    ("resources", "sent"),
    [
        ({"requests": {GPU: 1}}, {"requests": {GPU: "1"}, "limits": {GPU: "1"}}),
        ({"limits": {GPU: "1"}}, {"limits": {GPU: "1"}}),
        ({"limits": {GPU: 1}}, {"limits": {GPU: "1"}}),
        ({"limits": {GPU: 0}}, None),
    ],
)
def test_fc_25_what_is_sent(resources: dict[str, Any], sent: dict[str, Any] | None) -> None:
    assert pod(resources=resources)["spec"]["containers"][0].get("resources") == sent


def test_fc_17_a_type_in_lower_case() -> None:
    """Options take it; of a native object the operator knows only the exact spelling."""
    spec = TFJOB.job_options()["replicas"]["options"]["Worker"]
    assert spec["aliases"] == ["worker"]
    job = manifest("PyTorchJob", {"name": "pytorch"})
    job["spec"]["pytorchReplicaSpecs"]["worker"] = job["spec"]["pytorchReplicaSpecs"].pop("Master")
    (problem,) = check_job(job)
    assert (problem.rule, problem.way_out) == ("there is no such replica type", "Write it Worker")
    assert PYTORCHJOB.type_of("worker") == "Worker"
