# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two jobs that do not fit together: without gangs both wait for ever, with them one runs whole, then the other.

A pod ends only when its whole job runs, as training does.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator

import pytest

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object
from tests.support.gang_contest import DEFAULTS, GPUS, JOBS, SIZE, Contest, until
from tests.support.placements import Placements

Submit = Callable[..., Contest]


@pytest.fixture
def submit(
    cluster: ApiServer, nodes: list[str], run_on_cluster: Run, request: pytest.FixtureRequest
) -> Iterator[Submit]:
    """Return a function that submits both jobs by one task, their gates closed; they are removed after the test."""
    assert len(nodes) * 2 == GPUS
    namespace = re.sub(r"[^a-z0-9]+", "-", request.node.name).strip("-")[-63:].lstrip("-")
    cluster.create(namespace_object(namespace), "/api/v1/namespaces")
    with Placements(cluster.kubeconfig, namespace) as seen:
        contest = Contest(cluster.client, namespace, seen)

        def both(**options: Any) -> Contest:
            defaults = {**DEFAULTS, "namespace": namespace, "image": "t:1", "command": ["train"], **options}
            made = run_on_cluster("jobs", jobs=JOBS, defaults=defaults)
            assert made["changed"], made
            return contest

        yield both
    names = [{"kind": job["kind"], "name": job["name"]} for job in JOBS]
    run_on_cluster("jobs", jobs=names, defaults={"namespace": namespace}, state="absent")


def end(contest: Contest, job: str) -> None:
    """Let the pods of a job end well: it trained to its end."""
    for pod in contest.pods(job):
        contest.change(pod, {"metadata": {"annotations": exits(0, "0s")["pod_annotations"]}})


def test_without_gangs_they_block_each_other(submit: Submit) -> None:
    contest = submit()
    contest.let_in(looked_at=True)
    contest.assert_blocked()


def test_with_gangs_one_runs_whole_and_then_the_other(submit: Submit, run_on_cluster: Run, gang_backend: str) -> None:
    contest = submit(gang={"backend": gang_backend})
    contest.let_in()
    first, second = contest.first()
    end(contest, first)
    until(lambda: contest.seen.holding(second) == SIZE, "the other job runs, whole")
    end(contest, second)

    def states() -> list[str]:
        return [job["state"] for job in run_on_cluster("job_info", namespace=contest.namespace)["jobs"]]

    until(lambda: states() == ["succeeded", "succeeded"], "both jobs end well")


def test_a_pod_that_comes_again_finds_its_place(submit: Submit, gang_backend: str) -> None:
    """What one job lost for a moment is not the other's: that one needs more, and would hold it for nothing."""
    contest = submit(gang={"backend": gang_backend})
    contest.let_in("one")
    until(lambda: contest.seen.holding("one") == SIZE, "the TFJob runs")
    contest.let_in("other")
    # Killed from outside, its program is started again in a new pod.
    killed = exits(137, "0s")["pod_annotations"]
    contest.change(contest.pods("one")[1], {"metadata": {"annotations": killed}})
    until(lambda: contest.seen.holding("one") == SIZE - 1, "a pod has ended")
    contest.let_in("one")
    until(lambda: contest.seen.holding("one") == SIZE, "the job is whole again")
    assert (contest.seen.placed("one"), contest.seen.most("other")) == (SIZE + 1, 0)


def test_two_gangs_that_one_quota_cannot_hold(cluster: ApiServer, run_on_cluster: Run) -> None:
    """No scheduler can help there: half of each job's pods would be made, hold the quota, and wait for the others."""
    namespace = "one-quota"
    cluster.create(namespace_object(namespace), "/api/v1/namespaces")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": namespace}}
    path = f"/api/v1/namespaces/{namespace}/resourcequotas"
    cluster.create({**quota, "spec": {"hard": {"requests.nvidia.com/gpu": str(GPUS)}}}, path)
    until(lambda: cluster.client.call("GET", f"{path}/team").get("status", {}).get("used"), "the quota is counted")
    defaults = {**DEFAULTS, "namespace": namespace, "image": "t:1", "command": ["train"], "gang": {}}
    with cluster.quiet():
        refused = run_on_cluster("jobs", jobs=JOBS, defaults=defaults, quota_check="refuse")
    assert refused["failed"]
    assert f"ResourceQuota {namespace}/team = requests.nvidia.com/gpu 4, 0 used" in refused["msg"]
