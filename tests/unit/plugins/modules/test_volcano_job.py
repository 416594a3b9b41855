# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what its argument spec makes of what a user writes."""

from __future__ import annotations

from typing import Any

JOB: dict[str, Any] = {"name": "j", "image": "i:1", "tasks": [{"name": "ps"}, {"name": "worker", "replicas": 2}]}


def test_rendered_needs_no_cluster(run_module: Any) -> None:
    result = run_module("volcano_job", state="rendered", kubeconfig="/not/there", **JOB)
    assert (result["kind"], result["changed"], len(result["manifests"])) == ("volcano_job", False, 1)
    root = result["manifest"]
    assert (root["apiVersion"], root["kind"]) == ("batch.volcano.sh/v1alpha1", "Job")
    assert [task["replicas"] for task in root["spec"]["tasks"]] == [1, 2]


def test_problems_come_before_the_cluster(run_module: Any) -> None:
    policies = [{"event": "PodFailed", "exit_code": 3, "action": "RestartJob"}]
    refused = run_module("volcano_job", kubeconfig="/not/there", **JOB, queue="root", policies=policies)
    assert "2 problems, nothing was changed" in refused["msg"]
    assert "queue = root: is the top of Volcano's queues" in refused["msg"]
    assert "policies[0] = both: says either what happens" in refused["msg"]


def test_a_state_that_volcano_does_not_have(run_module: Any) -> None:
    refused = run_module("volcano_job", kubeconfig="/not/there", state="suspended", **JOB)
    assert "state = suspended: a Volcano Job has no suspend" in refused["msg"]


def test_what_only_other_kinds_have_is_told_so(run_module: Any) -> None:
    tasks = [{"name": "worker", "topologyPolicy": "none"}]
    others: dict[str, Any] = {"schedulerName": "volcano", "gang": {}, "backoffLimit": 3, "suspend": True}
    others |= {"replicas": {"Worker": {}}, "runningEstimate": "1h"}
    refused = run_module("volcano_job", name="j", image="i:1", kubeconfig="/not/there", tasks=tasks, **others)
    for line in (
        "schedulerName = volcano: there is no such option here. Leave it out: the pods of a Volcano Job are Volcano's",
        "gang = a map: there is no such option here. Leave it out: a Volcano Job is a gang.",
        "backoffLimit = 3: there is no such option here. Write it max_retry",
        "suspend = True: there is no such option here. Leave it out: Volcano stops a job by a command",
        "replicas = a map: there is no such option here. Write tasks, a list in which each has a name",
        "runningEstimate = 1h: there is no such option here. No option of the module is for it.",
        "tasks[0].topologyPolicy = none: there is no such option here. No option of the module is for it.",
    ):
        assert line in refused["msg"], refused["msg"]


def test_keys_of_manifests_are_told_their_options(run_module: Any) -> None:
    tasks = [{"name": "worker", "minAvailable": 1, "dependsOn": {"name": ["ps"]}, "maxRetry": 2}]
    refused = run_module("volcano_job", name="j", image="i:1", kubeconfig="/not/there", minAvailable=1, tasks=tasks)
    for line in (
        "minAvailable = 1: there is no such option here. Write it min_available",
        "tasks[0].minAvailable = 1: there is no such option here. Write it min_available",
        "tasks[0].maxRetry = 2: there is no such option here. Write it max_retry",
        "tasks[0].dependsOn = a map: there is no such option here. Write it depends_on",
    ):
        assert line in refused["msg"], refused["msg"]
