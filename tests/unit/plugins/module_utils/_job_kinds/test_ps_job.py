# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a parameter-server job."""

from __future__ import annotations

import ast
import json
from collections import Counter
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import identity_options

SHAPES = {"1 and 2": (1, 2), "8 and 16": (8, 16)}


def options(**given: Any) -> dict[str, Any]:
    """Return options as the argument spec returns them."""
    raw = {"name": "j", "namespace": "n", "image": "i:1", "replicas": {"PS": {}, "Worker": {"replicas": 2}}, **given}
    result = ArgumentSpecValidator({**identity_options(), **PS_JOB.job_options()}).validate(raw)
    assert not result.error_messages
    return dict(result.validated_parameters)


def job(**given: Any) -> Job:
    made, problems = PS_JOB.render(options(**given))
    assert [problem.line() for problem in problems] == []
    assert made is not None
    return made


def refusals(**given: Any) -> list[str]:
    made, problems = PS_JOB.render(options(**given))
    assert made is None
    return [problem.line() for problem in problems]


def of_kind(made: Job, kind: str) -> dict[str, dict[str, Any]]:
    return {part["metadata"]["name"]: part for part in made.parts if part["kind"] == kind}


def main(batch_job: dict[str, Any]) -> dict[str, Any]:
    """Return the container that trains."""
    (container,) = batch_job["spec"]["template"]["spec"]["containers"]
    return dict(container)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shapes_of_the_guides(shape: str) -> None:
    servers, workers = SHAPES[shape]
    replicas = {"PS": {"replicas": servers}, "Worker": {"replicas": workers}}
    made = job(replicas=replicas, nodes=["gpu-1"], contract=["flags", "tf_config", "environment"])
    names = [f"ps-{n}-j" for n in range(servers)] + [f"worker-{n}-j" for n in range(workers)]
    jobs, services = of_kind(made, "Job"), of_kind(made, "Service")
    assert list(jobs) == list(services) == names
    assert len(made.parts) == 2 * len(names)
    for name in names:
        role, index, _job = name.split("-")
        labels = jobs[name]["spec"]["template"]["metadata"]["labels"]
        assert services[name]["spec"]["selector"].items() <= labels.items()
        assert [port["port"] for port in services[name]["spec"]["ports"]] == [2222]
        assert jobs[name]["spec"]["template"]["spec"]["nodeSelector"] == {"kubernetes.io/hostname": "gpu-1"}
        container = main(jobs[name])
        env = {entry["name"]: entry["value"] for entry in container["env"]}
        cluster = ast.literal_eval(env["CLUSTER_CONFIG"])
        assert {role: len(hosts) for role, hosts in cluster.items()} == {"ps": servers, "worker": workers}
        assert env["POD_NAME"] == name
        assert json.loads(env["TF_CONFIG"])["task"] == {"type": role, "index": int(index)}
        assert container["args"][:2] == [f"--job_name={role}", f"--task_index={index}"]
    assert made.root["data"] == {
        "ps_hosts": ",".join(f"ps-{n}-j:2222" for n in range(servers)),
        "worker_hosts": ",".join(f"worker-{n}-j:2222" for n in range(workers)),
        "cluster": json.dumps(cluster),
        "end": "all_workers",
    }


def test_each_service_selects_its_own_pod_alone() -> None:
    made = job(replicas={"PS": {"replicas": 2}, "Worker": {"replicas": 11}})
    labels = [item["spec"]["template"]["metadata"]["labels"] for item in of_kind(made, "Job").values()]
    for service in of_kind(made, "Service").values():
        wanted = service["spec"]["selector"].items()
        assert sum(wanted <= each.items() for each in labels) == 1


def test_tasks_are_spread_over_the_nodes_in_turn() -> None:
    made = job(replicas={"PS": {"replicas": 2}, "Worker": {"replicas": 3}}, nodes=["a", "b"])
    nodes = [
        item["spec"]["template"]["spec"]["nodeSelector"]["kubernetes.io/hostname"]
        for item in of_kind(made, "Job").values()
    ]
    assert nodes == ["a", "b", "a", "b", "a"]


@pytest.mark.parametrize(
    ("servers", "workers", "common", "placed"),
    [
        ({"nodes": ["c", "d"]}, {"nodes": ["g", "h"]}, {}, ["c", "d", "g", "h", "g"]),
        ({}, {"nodes": ["g", "h"]}, {"nodes": ["a", "b"]}, ["a", "b", "g", "h", "g"]),
        ({"node": "c"}, {}, {"nodes": ["a", "b"]}, ["c", "c", "a", "b", "a"]),
        ({"node": "c"}, {"nodes": ["g", "h", "i"]}, {}, ["c", "c", "g", "h", "i"]),
        ({"nodes": ["c"]}, {}, {"node": "a"}, ["c", "c", "a", "a", "a"]),
        ({"nodes": ["c"]}, {}, {}, ["c", "c", None, None, None]),
    ],
)
def test_a_type_may_have_nodes_of_its_own(
    servers: dict[str, Any], workers: dict[str, Any], common: dict[str, Any], placed: list[str | None]
) -> None:
    made = job(replicas={"PS": {"replicas": 2, **servers}, "Worker": {"replicas": 3, **workers}}, **common)
    specs = [item["spec"]["template"]["spec"] for item in of_kind(made, "Job").values()]
    assert [(spec.get("nodeSelector") or {}).get("kubernetes.io/hostname") for spec in specs] == placed


def test_names_resolve_to_pods_that_are_not_ready_yet() -> None:
    specs = [item["spec"] for item in of_kind(job(), "Service").values()]
    assert {(spec["publishNotReadyAddresses"], spec.get("clusterIP")) for spec in specs} == {(True, None)}


def test_pods_are_not_told_of_every_service_of_the_namespace() -> None:
    links = {item["spec"]["template"]["spec"]["enableServiceLinks"] for item in of_kind(job(), "Job").values()}
    assert links == {False}
    wanted = job(template={"spec": {"enableServiceLinks": True}})
    assert {item["spec"]["template"]["spec"]["enableServiceLinks"] for item in of_kind(wanted, "Job").values()} == {
        True
    }


def test_the_folder_is_prepared_as_the_users_own_template_says() -> None:
    rights = {"runAsUser": 1000}
    template = {"spec": {"containers": [{"name": "main", "image": "own:1", "securityContext": rights}]}}
    made = job(image=None, template=template, train={"claim": "c"})
    for item in of_kind(made, "Job").values():
        (prepare,) = item["spec"]["template"]["spec"]["initContainers"]
        assert (prepare["image"], prepare["securityContext"]) == ("own:1", rights)


def test_a_type_has_a_node_and_other_options_of_its_own() -> None:
    made = job(
        replicas={"PS": {"node": "cpu-1", "args": ["--ps"]}, "Worker": {"gpus": 1, "env": {"A": 1}}}, args=["--w"]
    )
    jobs = of_kind(made, "Job")
    assert jobs["ps-0-j"]["spec"]["template"]["spec"]["nodeSelector"] == {"kubernetes.io/hostname": "cpu-1"}
    assert main(jobs["ps-0-j"])["args"][:2] == ["--ps", "--job_name=ps"]
    worker = main(jobs["worker-0-j"])
    assert worker["args"][:2] == ["--w", "--job_name=worker"]
    assert worker["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert worker["env"] == [{"name": "A", "value": "1"}]
    assert "nodeSelector" not in jobs["worker-0-j"]["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("given", "limit", "policy"),
    [
        ({}, 0, "Never"),
        ({"restart_policy": "OnFailure"}, 6, "OnFailure"),
        ({"restart_policy": "OnFailure", "backoff_limit": 0}, 0, "OnFailure"),
        ({"backoff_limit": 3}, 3, "Never"),
    ],
)
def test_how_often_a_task_is_tried(given: dict[str, Any], limit: int, policy: str) -> None:
    for item in of_kind(job(**given), "Job").values():
        assert (item["spec"]["backoffLimit"], item["spec"]["template"]["spec"]["restartPolicy"]) == (limit, policy)
        # Kubernetes takes the policy only with Never.
        assert ("podFailurePolicy" in item["spec"]) == (policy == "Never")


def test_suspension_and_deadline_are_those_of_each_job() -> None:
    for item in of_kind(job(suspend=True, active_deadline_seconds=60), "Job").values():
        assert (item["spec"]["suspend"], item["spec"]["activeDeadlineSeconds"]) == (True, 60)
    assert {item["spec"]["suspend"] for item in of_kind(job(), "Job").values()} == {False}


def test_a_gang_marks_every_pod_and_counts_all() -> None:
    made = job(gang={})
    (group,) = of_kind(made, "PodGroup").values()
    assert made.parts[0] == group
    assert (group["metadata"]["name"], group["spec"]["schedulingPolicy"]) == ("ps-job-j", {"gang": {"minCount": 3}})
    marks = [item["spec"]["template"]["spec"]["schedulingGroup"] for item in of_kind(made, "Job").values()]
    assert marks == [{"podGroupName": "ps-job-j"}] * 3
    (group,) = of_kind(job(gang={"min_available": 2}), "PodGroup").values()
    assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 2}}


def test_arguments_of_the_users_own_template_come_before_the_flags() -> None:
    template = {"spec": {"containers": [{"name": "main", "command": ["python"], "args": ["train.py"]}]}}
    container = main(of_kind(job(template=template), "Job")["worker-1-j"])
    assert container["command"] == ["python"]
    assert container["args"][:2] == ["train.py", "--job_name=worker"]


def test_what_is_odd_but_works_is_noted() -> None:
    assert job().notes == []
    assert "no PS" in job(replicas={"Worker": {}}).notes[0]
    assert job(end="worker_0").notes == []
    assert "queue a may take more" in job(gang={"backend": "kube_batch", "queue": "a"}).notes[0]


def names_of(made: Job) -> list[tuple[str, str]]:
    return [(part["kind"], part["metadata"]["name"]) for part in (made.root, *made.parts)]


NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,62}[a-z0-9])?", fullmatch=True)


@given(servers=st.integers(0, 12), workers=st.integers(1, 12), name=NAMES)
def test_no_two_objects_of_a_job_share_a_name_and_each_fits(servers: int, workers: int, name: str) -> None:
    replicas = {"PS": {"replicas": servers}, "Worker": {"replicas": workers}}
    longest = max(f"worker-{workers - 1}-{name}", f"ps-{max(servers - 1, 0)}-{name}", key=len)
    if len(longest) > 63:
        assert any(f"Shorten it by {len(longest) - 63}" in line for line in refusals(name=name, replicas=replicas))
        return
    names = Counter(names_of(job(name=name, replicas=replicas, gang={})))
    assert set(names.values()) == {1}
    assert all(len(title) <= 63 for kind, title in names if kind != "PodGroup")


@given(first=NAMES, second=NAMES, sizes=st.sampled_from([(1, 1), (2, 11), (11, 2)]))
def test_jobs_of_two_names_share_no_object(first: str, second: str, sizes: tuple[int, int]) -> None:
    assume(first != second and max(len(first), len(second)) < 50)
    replicas = {"PS": {"replicas": sizes[0]}, "Worker": {"replicas": sizes[1]}}
    jobs = [job(name=name, replicas=replicas, gang={}) for name in (first, second)]
    assert not set(names_of(jobs[0])) & set(names_of(jobs[1]))
