# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a Volcano Job: _volcano_job with _volcano_checks, _volcano_plugins and _volcano_policies."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_live import FIELDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.replicas import told_once
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import identity_options

TWO: list[dict[str, Any]] = [{"name": "ps"}, {"name": "worker", "replicas": 2}]


def options(**given: Any) -> dict[str, Any]:
    """Return options as the argument spec returns them."""
    raw = {"name": "j", "namespace": "n", "image": "i:1", "tasks": TWO, **given}
    result = ArgumentSpecValidator({**identity_options(), **VOLCANO_JOB.job_options()}).validate(raw)
    assert not result.error_messages
    return dict(result.validated_parameters)


def job(**given: Any) -> Job:
    made, problems = VOLCANO_JOB.render(options(**given))
    assert [problem.line() for problem in problems] == []
    assert made is not None
    return made


def spec(**given: Any) -> dict[str, Any]:
    return dict(job(**given).root["spec"])


def refusals(**given: Any) -> list[str]:
    made, problems = VOLCANO_JOB.render(options(**given))
    assert made is None
    return [problem.line() for problem in told_once(problems)]


def tasks(**more: Any) -> list[dict[str, Any]]:
    """Return a parameter server and two workers with options of their own."""
    return [TWO[0], {**TWO[1], **more}]


def test_the_least_job() -> None:
    made = job(tasks=[{"name": "worker"}])
    assert len(made.root["metadata"]["annotations"].pop(FIELDS)) % 6 == 0
    container = {"name": "main", "image": "i:1"}
    template = {
        "metadata": {"annotations": {"sidecar.istio.io/inject": "false"}},
        "spec": {"containers": [container], "restartPolicy": "Never"},
    }
    assert made.root == {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "n", "annotations": {}},
        "spec": {
            "schedulerName": "volcano",
            "queue": "default",
            "minAvailable": 1,
            "maxRetry": 3,
            "tasks": [{"name": "worker", "replicas": 1, "template": template}],
        },
    }
    assert (made.parts, made.notes) == ((), [])


def test_every_option_ends_in_its_field() -> None:
    after = {"name": ["ps"], "iteration": "any"}
    own = [{"event": "TaskCompleted", "action": "CompleteJob", "timeout": "10m"}]
    wanted = tasks(min_available=1, max_retry=2, policies=own, depends_on=after, restart_policy="OnFailure", gpus=1)
    found = spec(
        tasks=wanted,
        queue="team-a",
        min_available=1,
        min_success=2,
        max_retry=5,
        ttl_seconds_after_finished=0,
        priority_class="high",
        plugins={"env": [], "ssh": ["--no-root"], "svc": None},
        policies=[
            {"events": ["PodEvicted", "PodFailed"], "action": "RestartJob"},
            {"exit_code": 3, "action": "AbortJob"},
        ],
    )
    worker = found.pop("tasks")[1]
    assert found == {
        "schedulerName": "volcano",
        "queue": "team-a",
        "minAvailable": 1,
        "minSuccess": 2,
        "maxRetry": 5,
        "ttlSecondsAfterFinished": 0,
        "priorityClassName": "high",
        "plugins": {"env": [], "ssh": ["--no-root"]},
        "policies": [
            {"action": "RestartJob", "events": ["PodEvicted", "PodFailed"]},
            {"action": "AbortJob", "exitCode": 3},
        ],
    }
    template = worker.pop("template")
    assert worker == {
        "name": "worker",
        "replicas": 2,
        "minAvailable": 1,
        "maxRetry": 2,
        "dependsOn": {"name": ["ps"], "iteration": "any"},
        "policies": [{"action": "CompleteJob", "event": "TaskCompleted", "timeout": "10m"}],
    }
    assert template["spec"]["restartPolicy"] == "OnFailure"
    assert template["spec"]["priorityClassName"] == "high"
    assert template["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "1"}


@pytest.mark.parametrize(
    ("given", "least"),
    [
        ({}, 3),
        # FC-26: two replicas and none; the pods that there are start together.
        ({"tasks": [{"name": "a", "replicas": 2}, {"name": "b", "replicas": 0}]}, 2),
        ({"min_available": 2}, 2),
        ({"tasks": tasks(min_available=1)}, 2),
        # What waits for the parameter server is not made before that runs.
        ({"tasks": tasks(depends_on={"name": ["ps"]})}, 1),
    ],
)
def test_how_many_pods_start_together(given: dict[str, Any], least: int) -> None:
    assert spec(**given)["minAvailable"] == least


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"tasks": []}, "tasks = none: a job needs at least one replica"),
        ({"tasks": [{"name": "a", "replicas": 0}]}, "tasks = a 0: a job needs at least one replica"),
        ({"tasks": [*TWO, {"name": "ps"}]}, "tasks[2].name = ps: two tasks have this name"),
        ({"tasks": [{"name": "PS"}]}, "tasks[0].name = PS: must be lower-case"),
        ({"tasks": tasks(replicas=-1)}, "tasks.worker.replicas = -1: must be at least 0"),
        # FC-26
        ({"tasks": tasks(min_available=3)}, "tasks.worker.min_available = 3: must be between 0 and 2"),
        ({"min_available": 4}, "min_available = 4: must be between 1 and 3, the number of the job's pods (ps 1, w"),
        ({"min_available": 0}, "min_available = 0: must be between 1 and 3"),
        ({"min_success": 4}, "min_success = 4: must be between 1 and 3"),
        ({"max_retry": 0}, "max_retry = 0: Volcano takes 0 for not given, and makes it 3"),
        ({"max_retry": 2**31}, "max_retry = 2147483648: must be at most 2147483647"),
        ({"tasks": tasks(max_retry=0)}, "tasks.worker.max_retry = 0: Volcano takes 0 for not given"),
        ({"ttl_seconds_after_finished": -1}, "ttl_seconds_after_finished = -1: must be at least 0"),
        ({"queue": "Team_A"}, "queue = Team_A: must be lower-case"),
        ({"tasks": tasks(depends_on={"name": ["chief"]})}, "tasks.worker.depends_on = chief: no task has this name"),
        ({"tasks": tasks(depends_on={"name": []})}, "tasks.worker.depends_on = nothing: must name a task"),
        ({"tasks": tasks(depends_on={"name": ["worker"]})}, "tasks.depends_on = worker after worker: these tasks wait"),
        (
            {"tasks": [{"name": "a", "depends_on": {"name": ["b"]}}, {"name": "b", "depends_on": {"name": ["a"]}}]},
            "tasks.depends_on = a after b after a: these tasks wait for each other",
        ),
        (
            {"tasks": tasks(depends_on={"name": ["ps"]}), "min_available": 2},
            "min_available = 2: only 1 pods are made at once (ps), the others wait for them: none would ever start",
        ),
        ({"tasks": tasks(restart_policy="ExitCode")}, "tasks.worker.restart_policy = ExitCode: is not for Volcano"),
        ({"restart_policy": "Always"}, "restart_policy = Always: is not for Volcano Jobs"),
        (
            {"template": {"spec": {"schedulerName": "default-scheduler"}}},
            "template.spec.schedulerName = default-scheduler: another scheduler than volcano",
        ),
        (
            {"pod_annotations": {"scheduling.volcano.sh/group-name": "g"}},
            "scheduling.volcano.sh/group-name = g: names a",
        ),
        ({"template": {"spec": {"schedulingGroup": {"podGroupName": "g"}}}}, "schedulingGroup = {'podGroupName': 'g'}"),
        ({"pod_labels": {"volcano.sh/job-name": "x"}}, "pod_labels = a map: key volcano.sh/job-name is set by who"),
        ({"plugins": {"svc": ["disable-network-policy"]}}, "plugins.svc[0] = disable-network-policy: arguments of a"),
        ({"plugins": {"mpi": []}}, "plugins.mpi = master: the plugin looks for a task of this name as its master"),
        ({"plugins": {"pytorch": ["--master=boss"]}}, "plugins.pytorch = boss: the plugin looks for a task"),
        ({"plugins": {"tensorflow": ["--worker=w"]}}, "plugins.tensorflow = worker: the plugin tells TensorFlow only"),
        ({"tf_config": {}, "plugins": {"tensorflow": []}, "command": ["a"]}, "tf_config = given: sets TF_CONFIG, and"),
        ({"tf_config": {}, "tasks": TWO[:1]}, "tasks.ps.command = : tf_config runs the program by a shell"),
        ({"tf_config": {"port": 0}, "command": ["a"]}, "tf_config.port = 0: must be a port"),
        ({"tf_config": {}, "command": ["a"], "env": {"TF_CONFIG": "x"}}, "env = TF_CONFIG: tf_config gives it"),
        (
            {"tf_config": {}, "command": ["a"], "tasks": [{"name": "boss"}]},
            "tasks.boss.name = boss: TensorFlow knows tasks of the types chief, master, worker, ps, evaluator",
        ),
        ({"name": "j" * 55}, f"name = {'j' * 55}: its replica {'j' * 55}-worker-1 is the host name of a pod"),
        # FC-22
        (
            {"shm_size": "8Gi", "resources": {"limits": {"memory": "4Gi"}}},
            "shm_size = 8Gi: is above the memory limit 4Gi",
        ),
        (
            {"resources": {"limits": {"hugepages-2Mi": "512Mi"}}},
            "hugepages-2Mi",
        ),
    ],
)
def test_refused_by_us(given: dict[str, Any], problem: str) -> None:
    found = refusals(**given)
    assert len(found) == 1, found
    assert problem in found[0]
    assert found[0].count(". ") >= 1, "no way out"


POLICIES: list[tuple[list[dict[str, Any]], list[str]]] = [
    ([], []),
    ([{"event": "PodEvicted", "action": "RestartJob"}, {"event": "TaskFailed", "action": "AbortJob"}], []),
    ([{"event": "*", "action": "RestartJob"}, {"exit_code": 3, "action": "AbortJob"}], []),
    ([{"action": "RestartJob"}], ["[0] = neither: says either what happens"]),
    ([{"event": "PodFailed", "exit_code": 1, "action": "RestartJob"}], ["[0] = both: says either"]),
    ([{"exit_code": 0, "action": "RestartJob"}], ["[0].exit_code = 0: 0 is no error"]),
    ([{"event": "PodPending", "action": "RestartJob", "timeout": "10"}], ["[0].timeout = 10: must be a time"]),
    ([{"event": "PodPending", "action": "RestartJob", "timeout": "1h30m"}], []),
    (
        [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}, {"event": "PodFailed", "action": "AbortJob"}],
        ["[1] = PodFailed: {0}[0] says already what then happens"],
    ),
    (
        [{"exit_code": 3, "action": "RestartJob"}, {"exit_code": 3, "action": "AbortJob"}],
        ["[1] = exit code 3: {0}[0] says already"],
    ),
    (
        [{"event": "*", "action": "RestartJob"}, {"event": "PodFailed", "action": "AbortJob"}],
        ["[0] = *: stands for all events, and there are others beside it (PodFailed)"],
    ),
]


@pytest.mark.parametrize(("wanted", "problems"), POLICIES)
def test_policies_of_a_job_and_of_a_task(wanted: list[dict[str, Any]], problems: list[str]) -> None:
    for field, given in (
        ("policies", {"policies": wanted}),
        ("tasks.worker.policies", {"tasks": tasks(policies=wanted)}),
    ):
        _made, found = VOLCANO_JOB.render(options(**given))
        lines = [problem.line() for problem in found]
        assert len(lines) == len(problems), lines
        for line, problem in zip(lines, problems):
            assert line.startswith(f"{field}{problem.replace('{0}', field)}")


@pytest.mark.parametrize(
    ("given", "plugins"),
    [
        ({"svc": ["--a=b"]}, {"svc": ["--a=b"]}),
        ({"pytorch": ["--master=ps"]}, {"svc": [], "pytorch": ["--master=ps"]}),
        ({"mpi": ["--master=ps"], "svc": ["--x"]}, {"svc": ["--x"], "ssh": [], "mpi": ["--master=ps"]}),
        ({"tensorflow": []}, {"svc": [], "tensorflow": []}),
    ],
)
def test_plugins_bring_those_that_they_need(given: dict[str, Any], plugins: dict[str, Any]) -> None:
    assert spec(plugins=given)["plugins"] == plugins


def test_tf_config_brings_the_plugins_that_its_shell_reads_from() -> None:
    found = spec(tf_config={}, command=["python", "a.py"], args=["--x"], plugins={"svc": ["--y"]})
    assert found["plugins"] == {"env": [], "svc": ["--y"]}
    (container,) = found["tasks"][1]["template"]["spec"]["containers"]
    assert container["command"][:2] == ["sh", "-c"]
    assert '"type":"worker"' in container["command"][2]
    assert container["args"] == ["python", "a.py", "--x"]


def test_all_problems_at_once_and_a_common_one_once() -> None:
    found = refusals(queue="root", restart_policy="Always", min_available=9, name="1j")
    assert [line.partition(" = ")[0] for line in sorted(found)] == [
        "min_available",
        "name",
        "queue",
        "restart_policy",
    ]


def test_host_networks_keep_the_names_of_the_cluster() -> None:
    template = {"spec": {"hostNetwork": True}}
    assert spec(template=template)["tasks"][0]["template"]["spec"]["dnsPolicy"] == "ClusterFirstWithHostNet"
    template["spec"]["dnsPolicy"] = "Default"  # type: ignore[assignment]
    assert spec(template=template)["tasks"][0]["template"]["spec"]["dnsPolicy"] == "Default"


def test_shared_memory_is_one_volume_of_the_container_that_trains() -> None:
    """FC-22."""
    template = spec(shm_size="8Gi", resources={"limits": {"memory": "16Gi"}})["tasks"][1]["template"]
    (volume,) = template["spec"]["volumes"]
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": "8Gi"}
    (mount,) = template["spec"]["containers"][0]["volumeMounts"]
    assert (mount["name"], mount["mountPath"]) == (volume["name"], "/dev/shm")


def test_the_priority_that_all_tasks_have_is_the_jobs() -> None:
    assert spec(tasks=[{**task, "priority_class": "high"} for task in TWO])["priorityClassName"] == "high"
    assert "priorityClassName" not in spec(tasks=tasks(priority_class="high"))


NO_NAMES = "plugins has no svc"
NO_POLICY = "no policy says what a failed pod does"


@pytest.mark.parametrize(
    ("given", "notes"),
    [
        ({}, [NO_NAMES, NO_POLICY]),
        ({"plugins": {"svc": []}, "policies": [{"event": "PodFailed", "action": "RestartJob"}]}, []),
        ({"plugins": {"svc": []}, "tasks": tasks(policies=[{"exit_code": 1, "action": "RestartJob"}])}, []),
        ({"plugins": {"svc": []}, "policies": [{"event": "PodEvicted", "action": "RestartJob"}]}, [NO_POLICY]),
        ({"tasks": [{"name": "one"}]}, []),
        (
            {"tasks": [{"name": "w", "replicas": 2, "min_available": 2}], "min_available": 1},
            [NO_NAMES, NO_POLICY, "min_available of the job is below"],
        ),
    ],
)
def test_what_a_user_should_hear_of(given: dict[str, Any], notes: list[str]) -> None:
    found = job(**given).notes
    assert len(found) == len(notes), found
    assert all(line.startswith(note) for line, note in zip(found, notes))
