# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a PyTorchJob."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import identity_options

CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
MASTER_AND_WORKERS = {"Master": {}, "Worker": {"replicas": 3}}
ELASTIC = {"min_replicas": 1, "max_replicas": 4, "metrics": [CPU]}
WORKERS = ("spec", "pytorchReplicaSpecs", "Worker", "replicas")


def options(**given: Any) -> dict[str, Any]:
    """Return options as the argument spec returns them."""
    raw = {"name": "j", "namespace": "n", "image": "i:1", "replicas": MASTER_AND_WORKERS, **given}
    result = ArgumentSpecValidator({**identity_options(), **PYTORCHJOB.job_options()}).validate(raw)
    assert not result.error_messages
    return dict(result.validated_parameters)


def job(**given: Any) -> Job:
    made, problems = PYTORCHJOB.render(options(**given))
    assert problems == []
    assert made is not None
    return made


def refusals(**given: Any) -> list[str]:
    made, problems = PYTORCHJOB.render(options(**given))
    assert made is None
    return [problem.line() for problem in problems]


def test_the_whole_object() -> None:
    made = job(
        labels={"team": "a"}, nproc_per_node=8, ttl_seconds_after_finished=60, replicas={"Master": {}, "Worker": {}}
    )
    pod = {
        "metadata": {"annotations": {"sidecar.istio.io/inject": "false"}},
        "spec": {"containers": [{"name": "pytorch", "image": "i:1"}]},
    }
    replica = {"replicas": 1, "restartPolicy": "Never", "template": pod}
    assert made.root == {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "j", "namespace": "n", "labels": {"team": "a"}},
        "spec": {
            "runPolicy": {"cleanPodPolicy": "Running", "ttlSecondsAfterFinished": 60},
            "nprocPerNode": "8",
            "pytorchReplicaSpecs": {"Master": replica, "Worker": replica},
        },
    }
    assert (made.parts, made.notes, PYTORCHJOB.scaled(made.root)) == ([], [], [])


# Field case FC-17, by its letters.


def test_a_master_is_sent_with_its_number() -> None:
    assert job(replicas={"Master": {}}).root["spec"]["pytorchReplicaSpecs"]["Master"]["replicas"] == 1


def test_b_workers_of_number_0_are_left_out_with_a_note() -> None:
    made = job(replicas={"Master": {}, "Worker": {"replicas": 0}})
    assert list(made.root["spec"]["pytorchReplicaSpecs"]) == ["Master"]
    assert made.notes == ["replicas.Worker: 0 replicas, the type is left out"]


@pytest.mark.parametrize(("given", "sent"), [(8, "8"), ("8", "8"), ("auto", "auto"), ("cpu", "cpu"), ("gpu", "gpu")])
def test_c_processes_are_sent_as_text(given: Any, sent: str) -> None:
    assert job(nproc_per_node=given).root["spec"]["nprocPerNode"] == sent


def test_d_the_number_of_workers_is_the_autoscalers_once_the_job_exists() -> None:
    made = job(elastic=ELASTIC, replicas={"Worker": {"replicas": 2}})
    assert made.root["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 2
    assert PYTORCHJOB.scaled(made.root) == [WORKERS]
    assert PYTORCHJOB.scaled(job(elastic={**ELASTIC, "metrics": []}, replicas={"Worker": {"replicas": 2}}).root) == []


def test_e_elastic_with_only_a_master_is_refused() -> None:
    (line,) = refusals(elastic={"min_replicas": 1}, replicas={"Master": {}})
    assert "elastic = no Worker" in line
    assert "Add replicas.Worker" in line


def test_f_both_places_of_the_number_of_processes_are_refused() -> None:
    (line,) = refusals(nproc_per_node=8, elastic={"nproc_per_node": 8})
    assert "elastic.nproc_per_node = 8: must not be given beside nproc_per_node" in line


def test_g_a_type_in_lower_case_is_sent_as_the_webhook_knows_it() -> None:
    made = job(replicas={"master": {}, "worker": {"replicas": 2}})
    assert list(made.root["spec"]["pytorchReplicaSpecs"]) == ["Master", "Worker"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"replicas": {"Master": {"replicas": 2}}}, "replicas.Master.replicas = 2: there is one at most"),
        ({"replicas": {"Master": {"replicas": 0}}}, "a job needs at least one replica"),
        ({"replicas": {"Master": {"replicas": -1}}}, "replicas.Master.replicas = -1: must not be below 0"),
        ({"name": "1j"}, "name = 1j"),
        ({"image": None}, "replicas.Worker: container pytorch.image"),
        ({"nproc_per_node": "0"}, "nproc_per_node = 0: must be auto, cpu, gpu or a number"),
        ({"nproc_per_node": "GPU"}, "nproc_per_node = GPU"),
        ({"nproc_per_node": 1.5}, "nproc_per_node = 1.5"),
        ({"template": {"spec": {"containers": [{"name": "main"}]}}}, "one must be named pytorch"),
        ({"elastic": {"min_replicas": 5}}, "elastic.min_replicas = 5: must not be above max_replicas, which is 3"),
        ({"elastic": {"max_replicas": 100}, "name": "j" * 54}, f"its replica {'j' * 54}-worker-99 has a Service"),
        ({"gang": {"min_available": 5}}, "gang.min_available = 5: must be between 1 and 4"),
    ],
)
def test_refusals(given: dict[str, Any], expected: str) -> None:
    assert any(expected in line for line in refusals(**given)), refusals(**given)


def test_all_problems_at_once() -> None:
    lines = refusals(
        name="J", nproc_per_node="x", gpus=-1, backoff_limit=-1, elastic={"rdzv_port": 0}, labels={"a b": 1}
    )
    assert any(line.startswith("labels") for line in lines)
    for field in ("name", "nproc_per_node", "replicas.Master", "replicas.Worker", "backoff_limit", "elastic.rdzv_port"):
        assert any(line.startswith(field) for line in lines), field


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"replicas": {"Worker": {"replicas": 2}}}, ["neither RANK nor MASTER_ADDR"]),
        ({"replicas": {"Worker": {"replicas": 1}}}, []),
        ({"env": {"RANK": "0", "MASTER_ADDR": "a", "A": "b"}}, ["env RANK, MASTER_ADDR has no effect"]),
        ({"env": {"RANK": "0", "PET_RDZV_BACKEND": "c10d"}, "replicas": {"Worker": {}}}, []),
        ({"env": {"PET_NNODES": "2"}, "replicas": {"Worker": {}}}, ["env PET_NNODES has no effect"]),
        (
            {
                "env": {"PET_RDZV_BACKEND": "etcd"},
                "elastic": {},
                "restart_policy": "OnFailure",
                "replicas": {"Worker": {}},
            },
            ["env PET_RDZV_BACKEND has no effect"],
        ),
        ({"elastic": {}, "restart_policy": "OnFailure"}, ["elastic jobs need no Master"]),
        ({"elastic": {}, "replicas": {"Worker": {}}}, ["restart_policy Never ends the job with the first worker"]),
        (
            {"elastic": ELASTIC, "restart_policy": "OnFailure", "replicas": {"Worker": {}}},
            ["elastic.metrics[0] watches a share of the requested cpu"],
        ),
        (
            {
                "elastic": ELASTIC,
                "restart_policy": "OnFailure",
                "replicas": {"Worker": {"resources": {"limits": {"cpu": 1}}}},
            },
            [],
        ),
    ],
)
def test_notes(given: dict[str, Any], expected: list[str]) -> None:
    notes = job(**given).notes
    assert len(notes) == len(expected)
    assert all(part in note for part, note in zip(expected, notes, strict=True)), notes


def test_the_gang_of_an_elastic_job_needs_what_it_cannot_do_without() -> None:
    def least(**given: Any) -> Any:
        (group,) = job(gang={}, **given).parts
        return group["spec"]["schedulingPolicy"]["gang"]["minCount"]

    assert least() == 4
    assert least(elastic={"min_replicas": 2}) == 3
    assert job(gang={"min_available": 4}, elastic={"min_replicas": 2}).parts[0]["spec"]["schedulingPolicy"]["gang"] == {
        "minCount": 4
    }


def test_every_pod_of_a_gang_is_marked() -> None:
    specs = job(gang={}).root["spec"]["pytorchReplicaSpecs"]
    marks = [spec["template"]["spec"]["schedulingGroup"] for spec in specs.values()]
    assert marks == [{"podGroupName": "pytorchjob-j"}] * 2


# What holds for the pods of any job, shown once for this kind: field cases FC-14, 19, 22, 24 and 25.


def test_the_run_policy_has_its_place() -> None:
    spec = job(ttl_seconds_after_finished=10, clean_pod_policy="All", backoff_limit=3, suspend=True)
    assert spec.root["spec"]["runPolicy"] == {
        "cleanPodPolicy": "All",
        "ttlSecondsAfterFinished": 10,
        "backoffLimit": 3,
        "suspend": True,
    }


def test_a_sidecar_may_stand_first_and_none_is_injected() -> None:
    containers = [{"name": "log-shipper", "image": "l:1"}, {"name": "pytorch"}]
    for more, injected in (({}, "false"), ({"pod_annotations": {"sidecar.istio.io/inject": True}}, "true")):
        made = job(template={"spec": {"containers": containers}}, replicas={"Master": {}}, args=["x"], **more)
        template = made.root["spec"]["pytorchReplicaSpecs"]["Master"]["template"]
        assert [each.get("args") for each in template["spec"]["containers"]] == [None, ["x"]]
        assert template["metadata"]["annotations"] == {"sidecar.istio.io/inject": injected}


def test_restart_by_exit_code_is_the_replicas_and_never_the_templates() -> None:
    made = job(restart_policy="ExitCode")
    assert {spec["restartPolicy"] for spec in made.root["spec"]["pytorchReplicaSpecs"].values()} == {"ExitCode"}
    lines = refusals(template={"spec": {"restartPolicy": "ExitCode"}})
    assert "template.spec.restartPolicy = ExitCode" in lines[0]


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"limits": {"nvidia.com/gpu": 0.5}}, "0.5"),
        ({"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 2}}, "request"),
        ({"limits": {"nvidia.com/mig-1g.10gb": 1, "nvidia.com/mig-2g.20gb": 1}}, "mig"),
    ],
)
def test_gpus_are_whole_and_of_one_kind(resources: dict[str, Any], expected: str) -> None:
    lines = refusals(resources=resources, replicas={"Master": {}})
    assert any(expected in line for line in lines), lines


def test_shared_memory_counts_against_the_limit() -> None:
    assert any("shm_size = 8Gi" in line for line in refusals(shm_size="8Gi", resources={"limits": {"memory": "4Gi"}}))
    made = job(shm_size="8Gi", resources={"limits": {"memory": "16Gi"}}, replicas={"Worker": {}})
    spec = made.root["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    assert spec["volumes"] == [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "shared-memory", "mountPath": "/dev/shm"}]


ANY = st.one_of(st.none(), st.integers(-2, 9), st.text("ab,= ", max_size=4), st.booleans())
KEYS = st.sampled_from(["type", "resource", "name", "target", "averageUtilization", "metric", "x"])
NATIVE = st.recursive(
    ANY, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)
NUMBER = st.none() | st.integers(-1, 5)


@given(
    counts=st.dictionaries(st.sampled_from(["Master", "Worker", "worker"]), st.integers(-1, 5), max_size=2),
    elastic=st.none()
    | st.fixed_dictionaries(
        {},
        optional={
            "min_replicas": NUMBER,
            "max_replicas": NUMBER,
            "rdzv_port": NUMBER,
            "nproc_per_node": NUMBER,
            "rdzv_conf": st.dictionaries(st.text("ab,=", max_size=2), ANY, max_size=2),
            "metrics": st.lists(
                st.dictionaries(st.text("ab", max_size=2), NATIVE, max_size=2) | st.just(CPU), max_size=2
            ),
        },
    ),
    processes=st.none() | st.integers(-1, 9) | st.sampled_from(["auto", "", "x"]),
)
def test_what_the_webhook_asks_for_holds_or_the_job_is_refused(counts: Any, elastic: Any, processes: Any) -> None:
    if "Worker" in counts and "worker" in counts:
        counts.pop("worker")
    given = {"replicas": {kind: {"replicas": count} for kind, count in counts.items()}, "nproc_per_node": processes}
    made, problems = PYTORCHJOB.render(options(**given, elastic=elastic))
    assert (made is None) == bool(problems)
    assert all(problem.field and problem.rule and problem.way_out for problem in problems)
    if made is None:
        return
    spec = made.root["spec"]
    specs = spec["pytorchReplicaSpecs"]
    assert specs
    assert set(specs) <= {"Master", "Worker"}
    assert specs.get("Master", {"replicas": 1})["replicas"] == 1
    assert specs.get("Worker", {"replicas": 1})["replicas"] >= 1
    assert isinstance(spec.get("nprocPerNode", ""), str)
    policy = spec.get("elasticPolicy")
    if policy is not None:
        assert 1 <= policy["minReplicas"] <= specs["Worker"]["replicas"] <= policy["maxReplicas"]
        assert "nProcPerNode" not in policy
