# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job

ALL_SHARED = {"requests": {"cpu": 1, "memory": "1Gi"}}


def rendered(**options: Any) -> Job:
    found, problems = TFJOB.render(
        {"name": "j", "namespace": "n", "image": "i:1", "replicas": {"Worker": {}}, **options}
    )
    assert problems == []
    assert found
    return found


def job(**options: Any) -> dict[str, Any]:
    return rendered(**options).root


def lines(**options: Any) -> str:
    given_options = {"name": "j", "namespace": "n", "image": "i:1", "replicas": {"Worker": {}}, **options}
    return "\n".join(problem.line() for problem in TFJOB.render(given_options)[1])


def test_the_least() -> None:
    template = {
        "metadata": {"annotations": {"sidecar.istio.io/inject": "false"}},
        "spec": {"containers": [{"name": "tensorflow", "image": "i:1"}]},
    }
    worker = {"replicas": 1, "restartPolicy": "Never", "template": template}
    assert job() == {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "j", "namespace": "n"},
        "spec": {"runPolicy": {"cleanPodPolicy": "Running"}, "tfReplicaSpecs": {"Worker": worker}},
    }


def test_policies_stand_where_the_server_looks_for_them() -> None:
    spec = job(
        clean_pod_policy="None",
        ttl_seconds_after_finished=0,
        backoff_limit=0,
        active_deadline_seconds=5,
        suspend=True,
        success_policy="AllWorkers",
    )["spec"]
    assert set(spec) == {"runPolicy", "successPolicy", "tfReplicaSpecs"}
    assert spec["runPolicy"] == {
        "cleanPodPolicy": "None",
        "ttlSecondsAfterFinished": 0,
        "backoffLimit": 0,
        "activeDeadlineSeconds": 5,
        "suspend": True,
    }


def test_replica_types_in_their_order_and_none_with_zero() -> None:
    replicas = {
        "Worker": {"replicas": 3, "restart_policy": "ExitCode"},
        "PS": {"replicas": 0},
        "Chief": {},
        "Evaluator": None,
    }
    specs = job(replicas=replicas, restart_policy="OnFailure")["spec"]["tfReplicaSpecs"]
    assert [(name, spec["replicas"], spec["restartPolicy"]) for name, spec in specs.items()] == [
        ("Chief", 1, "OnFailure"),
        ("Worker", 3, "ExitCode"),
    ]
    assert all("restartPolicy" not in spec["template"]["spec"] for spec in specs.values())


def test_labels_are_text() -> None:
    assert job(labels={"a": 1, "b": True, "c": None})["metadata"]["labels"] == {"a": "1", "b": "true"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "J"}, "name = J: a job's name"),
        ({"name": "1j"}, "begins with a letter"),
        ({"name": "j" * 60}, "Shorten it by 6"),
        ({"name": "j" * 55}, "Shorten it by 1"),
        ({"name": "j" * 54}, ""),
        ({"namespace": "N_1"}, "namespace = N_1"),
        ({"replicas": None}, "a job needs at least one replica"),
        ({"replicas": {"Worker": {"replicas": 0}}}, "a job needs at least one replica"),
        ({"replicas": {"Worker": {"replicas": -1}}}, "must not be below 0"),
        ({"replicas": {"Chief": {}, "Master": {}}}, "a job has only one of them"),
        ({"replicas": {"Chief": {"replicas": 2}}}, "there is one at most"),
        ({"replicas": {"Chief": {}, "Worker": {}}, "success_policy": "AllWorkers"}, ""),
        (
            {"replicas": {"PS": {}, "Evaluator": {}}},
            "replicas = PS, Evaluator: a job ends with its Chief or its workers",
        ),
        ({"replicas": {"Worker": {"replicas": 2**31}}}, "must be at most 2147483647"),
        ({"backoff_limit": 2**31}, "backoff_limit = 2147483648: must be at most 2147483647"),
        ({"active_deadline_seconds": 2**31}, ""),
        ({"success_policy": "AllWorkers"}, ""),
        ({"ttl_seconds_after_finished": -1}, "must be at least 0"),
        ({"active_deadline_seconds": 0}, "must be at least 1"),
        ({"image": None}, "replicas.Worker: container tensorflow.image"),
    ],
)
def test_refused(options: dict[str, Any], words: str) -> None:
    found = lines(**options)
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ""),
        ({"success_policy": "AllWorkers"}, ""),
        # FC-20: passed on, and said.
        (
            {"replicas": {"Chief": {}, "Worker": {"replicas": 2}}, "success_policy": "AllWorkers"},
            "success_policy AllWorkers has no effect beside a Chief, whose end is the job's end",
        ),
        ({"replicas": {"Master": {}, "Worker": {}}, "success_policy": "AllWorkers"}, "beside a Master"),
        ({"replicas": {"Worker": {}, "Evaluator": {}}}, "the Evaluator is removed when the job ends"),
        ({"replicas": {"Worker": {}, "Evaluator": {}}, "clean_pod_policy": "None"}, ""),
        ({"replicas": {"Worker": {}, "Evaluator": {}}, "clean_pod_policy": "Running"}, ""),
        (
            {"replicas": {"PS": {}, "Worker": {}}, "env": {"TF_CONFIG": "{}", "A": "1"}},
            "env TF_CONFIG has no effect: the operator sets it for each replica",
        ),
        ({"replicas": {"Worker": {}}, "env": {"TF_CONFIG": "{}"}}, ""),
        ({"restart_policy": "Always"}, "starts the Worker again after success, too"),
        ({"replicas": {"Chief": {}, "PS": {"restart_policy": "Always"}}}, ""),
        ({"gang": {"backend": "kube_batch", "queue": "a"}, "gpus": 1}, "queue a may take more than its share"),
        ({"gang": {"backend": "kube_batch", "queue": "a"}, "resources": ALL_SHARED}, ""),
    ],
)
def test_what_is_said_without_stopping(options: dict[str, Any], words: str) -> None:
    notes = "\n".join(rendered(**options).notes)
    assert words in notes
    assert bool(notes) == bool(words)


def test_the_policy_is_passed_on_where_it_has_no_effect() -> None:
    assert (
        job(replicas={"Chief": {}, "Worker": {}}, success_policy="AllWorkers")["spec"]["successPolicy"] == "AllWorkers"
    )


def test_all_problems_at_once() -> None:
    assert (
        len(lines(name="J", image=None, backoff_limit=-1, replicas={"PS": {}, "Worker": {"gpus": -1}}).splitlines())
        == 5
    )


TEXT = st.text(max_size=8)
SCALAR = st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.floats(-2, 3), TEXT)
MAP = st.dictionaries(TEXT, SCALAR, max_size=3)
NATIVE = st.recursive(
    SCALAR, lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TEXT, inner, max_size=2)), max_leaves=4
)
PART = st.dictionaries(
    st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "nvidia.com/mig-1g.5gb"]), SCALAR, max_size=3
)
VOLUME = st.fixed_dictionaries({"name": TEXT}, optional={"emptyDir": st.just({}), "hostPath": NATIVE})
CONTAINER = st.fixed_dictionaries(
    {}, optional={"name": st.sampled_from(["tensorflow", "a", "A"]), "image": TEXT, "env": st.lists(MAP, max_size=2)}
)
POD = {
    "image": st.one_of(st.none(), st.sampled_from(["", "i:1"])),
    "command": st.one_of(st.none(), st.lists(TEXT, max_size=2)),
    "env": st.one_of(st.none(), st.dictionaries(TEXT, st.one_of(SCALAR, MAP), max_size=2)),
    "resources": st.one_of(st.none(), st.fixed_dictionaries({}, optional={"limits": PART, "requests": PART})),
    "gpus": st.one_of(st.none(), st.integers(-1, 2)),
    "shm_size": st.one_of(st.none(), st.sampled_from(["", "1Gi", "1 Gi"])),
    "volumes": st.one_of(st.none(), st.lists(VOLUME, max_size=2)),
    "volume_mounts": st.one_of(st.none(), st.lists(MAP, max_size=2)),
    "init_containers": st.one_of(st.none(), st.lists(CONTAINER, max_size=2)),
    "node_selector": st.one_of(st.none(), MAP),
    "pod_labels": st.one_of(st.none(), MAP),
    "spread": st.one_of(st.none(), st.booleans()),
    "template": st.one_of(
        st.none(),
        st.fixed_dictionaries(
            {},
            optional={
                "spec": st.fixed_dictionaries({}, optional={"containers": st.lists(CONTAINER, max_size=2)}),
                "x": NATIVE,
            },
        ),
    ),
}
REPLICA = st.fixed_dictionaries({}, optional={"replicas": st.integers(-1, 3), **POD})
OPTIONS = st.fixed_dictionaries(
    {
        "name": st.one_of(TEXT, st.just("j")),
        "namespace": st.one_of(TEXT, st.just("n")),
        "replicas": st.dictionaries(st.sampled_from(["Chief", "PS", "Worker"]), REPLICA, max_size=3),
    },
    optional={**POD, "ttl_seconds_after_finished": st.integers(-1, 2), "labels": MAP},
)


VALID_TEXT = st.sampled_from(["", "a", "0", "true"])
VALID_MAP = st.dictionaries(
    st.sampled_from(["a", "b"]), st.one_of(st.none(), st.booleans(), st.integers(0, 10**9), VALID_TEXT), max_size=2
)
AMOUNT = st.sampled_from([0, 1, "1", "2"])
VALID_POD = {
    "image": st.sampled_from([None, "i:1"]),
    "command": st.one_of(st.none(), st.lists(VALID_TEXT, max_size=2)),
    "env": st.one_of(st.none(), VALID_MAP),
    "resources": st.one_of(
        st.none(),
        st.fixed_dictionaries(
            {},
            optional={
                "requests": st.dictionaries(st.sampled_from(["cpu", "memory"]), AMOUNT, max_size=2),
                "limits": st.dictionaries(st.sampled_from(["x.test/device", "ephemeral-storage"]), AMOUNT, max_size=2),
            },
        ),
    ),
    "gpus": st.sampled_from([None, 0, 1, 8]),
    "shm_size": st.sampled_from([None, "", "1Gi"]),
    "volumes": st.sampled_from([None, [], [{"name": "v", "emptyDir": {}}]]),
    "node_selector": st.one_of(st.none(), VALID_MAP),
    "pod_labels": st.one_of(st.none(), VALID_MAP),
    "spread": st.sampled_from([None, True, False]),
    "restart_policy": st.sampled_from([None, "ExitCode"]),
    "template": st.sampled_from(
        [None, {}, {"spec": {"containers": []}}, {"spec": {"containers": [{"name": "tensorflow"}]}}]
    ),
}
VALID_OPTIONS = st.fixed_dictionaries(
    {
        "name": st.just("j"),
        "namespace": st.just("n"),
        "replicas": st.dictionaries(
            st.sampled_from(["PS", "Worker"]),
            st.fixed_dictionaries({}, optional={"replicas": st.integers(1, 3), **VALID_POD}),
        ).map(lambda replicas: {"Worker": {}, **replicas}),
    },
    optional={**VALID_POD, "labels": VALID_MAP},
)


def junk(value: Any, path: str = "") -> Iterator[str]:
    """Yield the places of an object that say nothing."""
    if value is None or value in ("", [], {}):
        yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from junk(item, f"{path}.{key}")


@settings(max_examples=120, deadline=None)
@given(OPTIONS)
def test_no_options_break_the_renderer(options: dict[str, Any]) -> None:
    _job, problems = TFJOB.render(options)
    assert all(problem.field and problem.rule and problem.way_out for problem in problems)


@settings(max_examples=120, deadline=None)
@given(VALID_OPTIONS)
def test_good_options_are_rendered_without_junk(options: dict[str, Any]) -> None:
    found, problems = TFJOB.render({**options, "image": "i:1"})
    assert problems == []
    assert found
    # Empty text is the user's own word in these places, and an emptyDir is empty by its nature.
    own = ("command", "env", "labels", "nodeSelector", "emptyDir")
    assert [path for path in junk(found.root) if not any(f".{word}" in path for word in own)] == []
    assert TFJOB.render({**options, "image": "i:1"}) == (found, [])
