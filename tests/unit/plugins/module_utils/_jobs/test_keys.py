# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.replicas import replica_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.run_policy import run_policy_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.keys import read_keys
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.template import pod_options

JOB = {
    "name": {"type": "str"},
    "labels": {"type": "dict"},
    "success_policy": {"type": "str"},
    "gang": {"type": "dict", "options": {"min_available": {"type": "int"}, "queue": {"type": "str"}}},
    "replicas": replica_options(TFJOB),
    **pod_options(),
    **run_policy_options(),
}
SPEC = {**JOB, "jobs": {"type": "list", "elements": "dict", "options": JOB}, "wait": {"type": "bool"}}


def lines(**raw: Any) -> str:
    return "\n".join(problem.line() for problem in read_keys(raw, SPEC, TFJOB).problems)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        # As in a manifest: FC-14 and the like.
        ({"cleanPodPolicy": "All"}, "cleanPodPolicy = All: there is no such option here. Write it clean_pod_policy"),
        ({"spec": {"ttlSecondsAfterFinished": 10}}, "spec.ttlSecondsAfterFinished = 10: there is no such option here."),
        (
            {"runPolicy": {"backoffLimit": 3}},
            "runPolicy.backoffLimit = 3: there is no such option here. Write it backoff",
        ),
        ({"runPolicy": {"schedulingPolicy": {"minAvailable": 3}}}, "Write it gang.min_available"),
        (
            {"schedulingPolicy": {"queue": "a"}},
            "schedulingPolicy.queue = a: there is no such option here. Write it gang.queue",
        ),
        ({"metadata": {"name": "bert"}}, "metadata.name = bert: there is no such option here. Write it name"),
        ({"apiVersion": "kubeflow.org/v1"}, "Leave it out: the module writes it"),
        ({"tfReplicaSpecs": {}}, "Write it replicas"),
        ({"successPolicy": "AllWorkers"}, "Write it success_policy"),
        ({"nodeSelector": {}}, "Write it node_selector"),
        ({"nodeName": "gpu-1"}, "Write it node"),
        ({"priorityClassName": "high"}, "Write it priority_class"),
        ({"securityContext": {}}, "security_context for the pod, container_security_context for the container"),
        ({"hostNetwork": True}, "Put it into the template: {spec: {hostNetwork: ...}}"),
        ({"livenessProbe": {}}, "{spec: {containers: [{name: tensorflow, livenessProbe: ...}]}}"),
        # In the wrong place.
        ({"Worker": {"replicas": 2}}, "Worker = a map: there is no such option here. Write it replicas.Worker"),
        ({"ps": {}}, "Write it replicas.PS"),
        ({"min_available": 3}, "It belongs into gang"),
        # Native, and written as options are.
        ({"run_policy": {"ttl_seconds_after_finished": 1}}, "Write it ttl_seconds_after_finished"),
        ({"tf_replica_specs": {}}, "tf_replica_specs = a map: there is no such option here. Write it replicas"),
        ({"scheduler_name": "volcano"}, "Write it template.spec.schedulerName"),
        (
            {"replicas": 3},
            "replicas = 3: maps replica types to what they are. Name the type, for example {Worker: {replicas: 3}}",
        ),
        (
            {"replicas": {"image": "i:1"}},
            "replicas.image = i:1: there is no such option here. It belongs into a replica type",
        ),
        ({"replicas": {"Worker": {"clean_pod_policy": "All"}}}, "It belongs to the job, beside name"),
        (
            {"replicas": {"Worker": {"cleanPodPolicy": "All"}}},
            "It belongs to the job, beside name, as clean_pod_policy",
        ),
        ({"replicas": {"Worker": {"restartPolicy": "ExitCode"}}}, "replicas.Worker.restartPolicy = ExitCode"),
        (
            {"replicas": {"Worker": {"labels": {}}}},
            "replicas.Worker.labels = a map: there is no such option here. Write it pod_labels",
        ),
        ({"replicas": {"Worker": {"limits": {"cpu": 1}}}}, "Write it resources.limits"),
        # Misspelled.
        ({"imagee": "i:1"}, "Write it image"),
        ({"pull_secrets": []}, "Write it image_pull_secrets"),
        ({"replicas": {"WORKER": {}}}, "Write it Worker"),
        ({"replicas": {"Wroker": {}}}, "Write it Worker"),
        ({"replicas": {"parameter_server": {}}}, "Write it PS"),
        ({"replicas": {"Launcher": {}}}, "The replica types are Chief, Master, PS, Worker, Evaluator"),
        (
            {"replicas": {"Worker": {"count": 2}}},
            "replicas.Worker.count = 2: there is no such option here. Write it replicas",
        ),
        (
            {"shared_volumes": [{"mountPath": "/data"}]},
            "shared_volumes[0].mountPath = /data: there is no such option here. Write it mount_path",
        ),
        # Of old guides.
        (
            {"replicaSpecs": [{"tfReplicaType": "PS"}]},
            "It is the list of v1alpha1. Write replicas, with a key for each type",
        ),
        ({"replicas": {"Worker": {"tfReplicaType": "WORKER"}}}, "It is of v1alpha1. The type is the key in replicas"),
        ({"backend": "gloo"}, "It is of PyTorchJob v1alpha1. The program names it"),
        ({"masterPort": "23456"}, "Give the Master a port named pytorchjob-port by ports"),
        ({"terminationPolicy": {}}, "A Chief ends the job"),
        # In a list of jobs.
        (
            {"jobs": [{}, {"cleanPodPolicy": "All"}]},
            "jobs[1].cleanPodPolicy = All: there is no such option here. Write it clean_pod_policy",
        ),
        (
            {"jobs": [{"wait": True}]},
            "jobs[0].wait = True: there is no such option here. It belongs to the task, beside jobs",
        ),
        ({"jobs": [{"replicas": {"Worker": {"nodeName": "a"}}}]}, "jobs[0].replicas.Worker.nodeName = a"),
        # Nobody knows what was meant; what is in maps and lists is not shown.
        ({"zzz": {"password": "1"}}, "zzz = a map: there is no such option here. Leave it out"),
        ({"zzz": "x" * 100}, "xxx...: there is no such option here"),
    ],
)
def test_unknown_keys_and_their_places(raw: dict[str, Any], words: str) -> None:
    found = lines(**raw)
    assert words in found
    assert len(found.splitlines()) == 1


def test_all_of_them_at_once() -> None:
    raw = {"a": 1, "replicas": {"b": 1, "Worker": {"c": 1}}, "gang": {"d": 1}, "jobs": [{"e": 1}, "no job"]}
    assert [problem.field for problem in read_keys(raw, SPEC, TFJOB).problems] == [
        "a",
        "replicas.b",
        "replicas.Worker.c",
        "gang.d",
        "jobs[0].e",
    ]


def test_what_is_known() -> None:
    worker = {"replicas": 2, "template": {"anything": {"goes": "here"}}, "env": {"A": 1}}
    assert lines(name="j", _ansible_check_mode=True, replicas={"worker": worker, "PS": None}, jobs=[], gang=None) == ""


def test_what_was_meant_is_read_on() -> None:
    raw = {
        "imagee": "i:1",
        "Clean-Pod-Policy": "All",
        "_ansible_diff": True,
        "replicas": {"Wroker": {"count": 2, "nodeSelector": {"a": "b"}}, "ps": {"image": "p:1", "Image": "q:1"}},
    }
    keys = read_keys(raw, SPEC, TFJOB)
    assert keys.options == {
        "image": "i:1",
        "clean_pod_policy": "All",
        "replicas": {"Worker": {"replicas": 2, "node_selector": {"a": "b"}}, "ps": {"image": "p:1"}},
    }
    assert keys.clear
    assert [problem.field for problem in keys.problems] == [
        "imagee",
        "Clean-Pod-Policy",
        "replicas.Wroker",
        "replicas.Worker.count",
        "replicas.Worker.nodeSelector",
        "replicas.PS.Image",
    ]


@pytest.mark.parametrize(
    "raw",
    [
        {"zzz": 1},
        {"spec": {"cleanPodPolicy": "All"}},
        {"Worker": {}},
        {"replicas": 3},
        {"replicas": {"Worker": 3}},
        {"shared_volumes": {"claim": "a"}},
        {"shared_volumes": [3]},
        {"jobs": [{"min_available": 3}]},
    ],
)
def test_what_cannot_be_read_on(raw: dict[str, Any]) -> None:
    keys = read_keys(raw, SPEC, TFJOB)
    assert not keys.clear
    assert len(keys.problems) == 1


def test_one_type_by_two_names() -> None:
    found = lines(replicas={"Worker": {}, "worker": {}})
    assert found == "replicas.worker = a map: is Worker by another name, which is given too. Keep one of them"


def test_another_kind_has_other_types() -> None:
    spec = {"replicas": replica_options(PYTORCHJOB)}
    (problem,) = read_keys({"replicas": {"PS": {}}}, spec, PYTORCHJOB).problems
    assert problem.way_out == "The replica types are Master, Worker"
    (problem,) = read_keys({"tty": True}, {**spec, **pod_options()}, PYTORCHJOB).problems
    assert "name: pytorch" in problem.way_out


RAW = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(
            st.one_of(st.text(max_size=5), st.sampled_from([*SPEC, "spec", "runPolicy", "Worker", "nodeName"])),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.one_of(st.text(max_size=5), st.sampled_from(list(SPEC))), RAW, max_size=3))
def test_nothing_breaks_it(raw: dict[str, Any]) -> None:
    problems = read_keys(raw, SPEC, TFJOB).problems
    assert all(problem.field and problem.rule and problem.way_out for problem in problems)
    opened = ("spec", "runPolicy", "metadata", "schedulingPolicy")
    unknown = {key or "''" for key in raw if key not in SPEC and not key.startswith(opened)}
    fields = [problem.field for problem in problems]
    assert all(any(field == key or field.startswith(f"{key}.") for field in fields) for key in unknown)
