# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs with the real operator, scheduler and controllers; KWOK plays how their pods end. All are started at once."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.integration.conftest import Run, run_module
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import evicted, exits, no_image, only, sidecar_exits
from tests.integration.support.samples import namespace_object

NAMESPACE = "ends"
SIDECAR = {"spec": {"containers": [{"name": "log-shipper", "image": "shipper:1"}, {"name": "tensorflow"}]}}


@dataclass(frozen=True)
class Case:
    """A job of a module and what it comes to.

    end: of the wait. says: parts of the result's message, or of the failure. replicas: the states that are left, by
    label; None when they are of no interest.
    """

    name: str
    options: dict[str, Any]
    end: str
    says: tuple[str, ...] = ()
    replicas: dict[str, str] | None = field(default=None)
    module: str = "tfjob"


def workers(count: int, play: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return the options of a job of workers only."""
    return {"replicas": {"Worker": {"replicas": count, **play}}, **options}


ENDS = [
    Case(
        "chief-ends-first",
        {"replicas": {"Chief": exits(0), "PS": {}, "Worker": {"replicas": 2}}},
        "succeeded",
        replicas={"Chief-0": "succeeded"},
    ),
    Case("worker-zero-ends", workers(3, only(0, exits(0))), "succeeded", replicas={"Worker-0": "succeeded"}),
    Case("all-workers-end", workers(2, exits(0), success_policy="AllWorkers"), "succeeded"),
    Case(
        "one-worker-fails",
        {"replicas": {"Chief": {}, "Worker": {"replicas": 2, **only(1, exits(1))}}},
        "failed",
        ("1 Worker replica(s) failed", "Worker-1, pod one-worker-fails-worker-1", "exit code 1 (Error)"),
        {"Worker-1": "failed"},
    ),
    Case(
        "exit-1-is-no-restart",
        workers(1, exits(1), restart_policy="ExitCode"),
        "failed",
        ('"Worker" replica(s) failed', "exit code 1"),
    ),
    Case("evicted", workers(1, evicted()), "failed", ("Evicted: The node was low on resource: memory.",)),
    Case(
        "everything-is-cleaned",
        workers(1, exits(0), clean_pod_policy="All", logs=True),
        "succeeded",
        replicas={},
    ),
    Case(
        "nothing-is-cleaned",
        {"replicas": {"Chief": exits(0), "Worker": {}}, "clean_pod_policy": "None"},
        "succeeded",
        replicas={"Chief-0": "succeeded", "Worker-0": "running"},
    ),
    Case(
        "backoff-limit",
        workers(1, exits(1), restart_policy="OnFailure", backoff_limit=2, clean_pod_policy="None", logs=True),
        "failed",
        ("has reached the specified backoff limit",),
    ),
    # The operator looks at the clock only when something happens to one of the pods.
    Case(
        "deadline", workers(1, exits(0, "4s"), active_deadline_seconds=2), "failed", ("longer than specified deadline",)
    ),
    Case(
        "master-ends-first",
        {"replicas": {"Master": exits(0), "Worker": {"replicas": 2}}},
        "succeeded",
        replicas={"Master-0": "succeeded"},
        module="pytorchjob",
    ),
    Case(
        "its-worker-fails",
        {"replicas": {"Master": {}, "Worker": {"replicas": 2, **only(1, exits(1))}}},
        "failed",
        ("1 Worker replica(s) failed", "Worker-1, pod its-worker-fails-worker-1", "exit code 1 (Error)"),
        {"Worker-1": "failed"},
        module="pytorchjob",
    ),
]
GOES_ON = [
    Case(
        "all-workers-wanted",
        workers(3, only(0, exits(0)), success_policy="AllWorkers"),
        "running",
        replicas={"Worker-0": "succeeded", "Worker-1": "running", "Worker-2": "running"},
    ),
    Case("no-image", workers(1, no_image()), "queued", ("ImagePullBackOff",), {"Worker-0": "pending"}),
    Case("sidecar-exits", workers(1, sidecar_exits(1), template=SIDECAR), "running", replicas={"Worker-0": "running"}),
]
RESTARTS = [
    Case(f"{module}-{code}", workers(1, exits(code), restart_policy="ExitCode"), "restarting", module=module)
    for module, code in (("tfjob", 130), ("tfjob", 137), ("tfjob", 143), ("pytorchjob", 137))
]


@pytest.fixture(scope="module")
def jobs(cluster: ApiServer, nodes: list[str]) -> None:
    """Submit every job of the tables."""
    run_module(cluster, "objects", objects=[namespace_object(NAMESPACE)])
    for case in [*ENDS, *GOES_ON, *RESTARTS]:
        options = {key: value for key, value in case.options.items() if key != "logs"}
        result = run_module(cluster, case.module, name=case.name, namespace=NAMESPACE, image="t:1", **options)
        assert result.get("changed"), result


def follow(run: Run, case: Case, **options: Any) -> dict[str, Any]:
    """Run the module on a job that was submitted."""
    return run(case.module, name=case.name, namespace=NAMESPACE, image="t:1", **{**case.options, **options})


def states(result: dict[str, Any]) -> dict[str, str]:
    """Return the states of the job's pods."""
    return {f"{replica['type']}-{replica['index']}": replica["state"] for replica in result["replicas"]}


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.name)
@pytest.mark.usefixtures("jobs")
def test_how_it_ends(run_on_cluster: Run, case: Case) -> None:
    result = follow(run_on_cluster, case, wait=True, timeout=60)
    assert (result["changed"], result["end"], bool(result.get("failed"))) == (False, case.end, case.end == "failed")
    for part in case.says:
        assert part in result["msg"]
    if case.replicas is not None:
        assert case.replicas.items() <= states(result).items()
    if "logs" in case.options:
        assert (result["logs"], result["logs_unavailable"].partition(":")[0]) == ("", "not available")


@pytest.mark.usefixtures("jobs")
def test_what_the_table_says_of_pods_that_are_gone(run_on_cluster: Run) -> None:
    names = ("everything-is-cleaned", "chief-ends-first", "its-worker-fails")
    for case in ENDS:
        if case.name in names:
            follow(run_on_cluster, case, wait=True, timeout=60)
    shown = {job["name"]: job["ready"] for job in run_on_cluster("job_info", namespace=NAMESPACE)["jobs"]}
    assert shown["everything-is-cleaned"] == {"Worker": {"ready": 1, "total": 1, "failed": 0, "gone": 1}}
    # What still ran at its end was removed with it.
    assert shown["chief-ends-first"]["Worker"] == {"ready": 2, "total": 2, "failed": 0, "gone": 2}
    assert shown["its-worker-fails"]["Worker"] == {"ready": 0, "total": 2, "failed": 1, "gone": 1}


@pytest.mark.parametrize("case", GOES_ON, ids=lambda case: case.name)
@pytest.mark.usefixtures("jobs")
def test_what_is_no_end(run_on_cluster: Run, case: Case) -> None:
    end = time.monotonic() + 30
    while True:
        result = follow(run_on_cluster, case)
        assert result["state"] not in ("succeeded", "failed"), result
        if states(result) == case.replicas:
            break
        assert time.monotonic() < end, result
        time.sleep(0.3)
    assert result["state"] == case.end
    for part in case.says:
        assert part in result["message"]


@pytest.mark.parametrize("case", RESTARTS, ids=lambda case: case.name)
@pytest.mark.usefixtures("jobs")
def test_a_restart_is_no_end(cluster: ApiServer, run_on_cluster: Run, case: Case) -> None:
    end, path = time.monotonic() + 30, f"/api/v1/namespaces/{NAMESPACE}/pods"
    pods: set[str] = set()
    while len(pods) < 2:
        assert time.monotonic() < end, f"the operator made no second pod: {pods}"
        state = follow(run_on_cluster, case)["state"]
        assert state not in ("succeeded", "failed")
        labels = (("labelSelector", f"training.kubeflow.org/job-name={case.name}"),)
        pods |= {pod["metadata"]["uid"] for pod in cluster.client.call("GET", path, labels)["items"]}
        time.sleep(0.2)
    result = follow(run_on_cluster, case, wait=True, timeout=2)
    assert (result["end"], result["state"] in ("restarting", "running", "queued")) == ("timed_out", True)
