# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real kube-batch on a real API server of Kubernetes 1.24; KWOK plays how the pods of the jobs end."""

from __future__ import annotations

import random
from functools import partial
from typing import Any, Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from tests.integration.conftest import Run, run_module
from tests.integration.support.gang_kinds import KUBE_BATCH
from tests.integration.support.kube_batch import KubeBatch
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object
from tests.support.gang_contest import until
from tests.support.placements import Placements
from tests.support.seed import SEED, TOLD

# kube-batch and its Kubernetes are built for the long tests alone.
pytestmark = pytest.mark.long

THREE = [
    {"name": "one", "replicas": {"Worker": {"replicas": 3}}},
    {"name": "other", "replicas": {"PS": {}, "Worker": {"replicas": 2}}},
]
JOBS = ("one", "other")
SIZE = 3


@pytest.fixture(scope="module")
def kube_batch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeBatch]:
    """Return Kubernetes 1.24 with kube-batch at hand."""
    with KubeBatch(tmp_path_factory.mktemp("kube-batch")) as made:
        yield made


@pytest.fixture
def run(kube_batch: KubeBatch) -> Run:
    """Return a function that runs a module against that server."""
    return partial(run_module, kube_batch.server)


class Place:
    """A namespace whose pods are watched. gang: options of its jobs' gangs."""

    def __init__(self, kube_batch: KubeBatch, run: Run, name: str, seen: Placements) -> None:
        self._server, self._run, self._name, self.seen = kube_batch.server, run, name, seen

    def submit(self, jobs: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
        """Submit jobs of one GPU a pod, all by one task. options: of the task."""
        defaults = {"namespace": self._name, "image": "t:1", "command": ["train"], "gpus": 1}
        wanted = [{"kind": "ps_job", "gang": {"backend": "kube_batch"}, **job} for job in jobs]
        return self._run("jobs", jobs=wanted, defaults=defaults, **options)

    def pods(self, job: str = "") -> list[dict[str, Any]]:
        """Return the pods of a job, or of all."""
        query = [("labelSelector", f"{PS_JOB.labels.job}={job}" if job else PS_JOB.labels.job)]
        pods: list[dict[str, Any]] = self._server.client.call("GET", self._path("pods"), query)["items"]
        return pods

    def group(self, job: str) -> dict[str, Any]:
        """Return the PodGroup of a job."""
        return self._server.client.call("GET", f"{KUBE_BATCH}/namespaces/{self._name}/podgroups/ps-job-{job}")

    def end(self, pod: dict[str, Any], after: str = "0s") -> None:
        """Let a pod end well."""
        change = {"metadata": {"annotations": exits(0, after)["pod_annotations"]}}
        self._server.patch(f"{self._path('pods')}/{pod['metadata']['name']}", change)

    def states(self) -> list[str]:
        """Return the states of all jobs, as the collection tells them."""
        return [str(job["state"]) for job in self._run("job_info", namespace=self._name)["jobs"]]

    def remove(self) -> None:
        """Remove all jobs."""
        names = {pod["metadata"]["labels"][PS_JOB.labels.job] for pod in self.pods()}
        jobs = [{"kind": "ps_job", "name": name} for name in sorted(names)]
        self._run("jobs", jobs=jobs, defaults={"namespace": self._name}, state="absent")
        until(lambda: not self.pods(), "all pods are gone")

    def _path(self, kind: str) -> str:
        return f"/api/v1/namespaces/{self._name}/{kind}"


@pytest.fixture
def place(kube_batch: KubeBatch, run: Run, request: pytest.FixtureRequest) -> Iterator[Place]:
    """Return a namespace for the jobs of one test, and so many nodes with so many GPUs; all is removed after it."""
    name = request.node.originalname.replace("_", "-")[:60].rstrip("-")
    kube_batch.server.create(namespace_object(name), "/api/v1/namespaces")
    # A pod whose node is gone stays for a while: the jobs go first.
    with kube_batch.nodes(*request.param), Placements(kube_batch.server.kubeconfig, name) as seen:
        made = Place(kube_batch, run, name, seen)
        yield made
        made.remove()


def holding(place: Place) -> list[int]:
    """Return how many GPUs each of the two jobs holds now."""
    return [place.seen.holding(job) for job in JOBS]


def turned_away(place: Place, job: str) -> bool:
    """Tell whether kube-batch has looked at a gang and found no room."""
    conditions = place.group(job).get("status", {}).get("conditions") or []
    return any(each["type"] == "Unschedulable" and each["reason"] == "NotEnoughResources" for each in conditions)


def submit_both(place: Place) -> None:
    """Submit both jobs and wait for all their pods, which nobody schedules yet."""
    assert place.submit(THREE)["changed"]
    until(lambda: [len(place.pods(job)) for job in JOBS] == [SIZE, SIZE], "all pods are there")


@pytest.mark.parametrize("place", [(2, 2)], indirect=True)
def test_without_its_gangs_two_jobs_block_each_other(kube_batch: KubeBatch, place: Place) -> None:
    """The control: the same jobs and the same scheduler, whose plugin for gangs is left out."""
    submit_both(place)
    with kube_batch.running(without="gang"):
        until(lambda: sum(holding(place)) == 4, "all GPUs are taken")
        # Each job holds two GPUs and needs a third one, which nobody will give back.
        assert holding(place) == [2, 2]
    # What has ended is removed at once.
    for pod in place.pods():
        place.end(pod)


@pytest.mark.parametrize("place", [(2, 2)], indirect=True)
def test_with_gangs_one_runs_whole_and_then_the_other(kube_batch: KubeBatch, place: Place) -> None:
    submit_both(place)
    with kube_batch.running():
        until(lambda: SIZE in holding(place), "one job runs")
        first, second = sorted(JOBS, key=lambda job: -place.seen.holding(job))
        until(lambda: turned_away(place, second), "kube-batch finds no room for the other")
        # One GPU is free all the time.
        assert (place.seen.holding(first), place.seen.most(second)) == (SIZE, 0)
        for pod in place.pods(first):
            place.end(pod)
        until(lambda: place.seen.holding(second) == SIZE, "the other job runs, whole")
        for pod in place.pods(second):
            place.end(pod)
        until(lambda: place.states() == ["succeeded"] * 2, "both jobs end well")
    assert max(place.seen.partly(job, SIZE) for job in JOBS) < 5


@pytest.mark.parametrize("place", [(4, 4)], indirect=True)
def test_two_full_queues_share_by_their_weights(kube_batch: KubeBatch, place: Place) -> None:
    """Weights 1 and 3, and each queue has more to run than its share, in the first wave of jobs and in the second."""
    queues = {"light": 1, "heavy": 3}
    kube_batch.make_queues(queues)
    # A queue is full for it when it has its part of all that nodes have, not of their GPUs alone.
    pair = {"replicas": {"Worker": {"replicas": 2}}, "resources": {"requests": {"cpu": 2, "memory": "4Gi"}}}
    jobs = [
        {"name": f"{queue}-{number}", **pair, "gang": {"backend": "kube_batch", "queue": queue}}
        for queue, count in {"light": 6, "heavy": 14}.items()
        for number in range(count)
    ]
    assert place.submit(jobs)["changed"]
    until(lambda: len(place.pods()) == 2 * len(jobs), "all pods are there")
    ended: set[str] = set()
    running = partial(_running, place, jobs, ended)
    with kube_batch.running():
        for _wave in range(2):
            until(lambda: sum(map(len, running().values())) == 8, "all GPUs are taken")
            shares = {queue: len(names) / 8 for queue, names in running().items()}
            assert abs(shares["heavy"] - 0.75) <= 0.1, shares
            done = [name for names in running().values() for name in names]
            for pod in place.pods():
                if pod["metadata"]["labels"][PS_JOB.labels.job] in done:
                    place.end(pod)
            ended.update(done)


def _running(place: Place, jobs: list[dict[str, Any]], ended: set[str]) -> dict[str, list[str]]:
    """Return the jobs of each queue that hold both of their GPUs, without those that were told to end."""
    names = [job["name"] for job in jobs if job["name"] not in ended and place.seen.holding(job["name"]) == 2]
    return {queue: [name for name in names if name.startswith(queue)] for queue in ("light", "heavy")}


def mix(count: int, most: int) -> list[dict[str, Any]]:
    """Return jobs of random sizes. Some have a parameter server without a GPU. most: workers of one."""
    draw = random.Random(SEED)
    jobs = []
    for number in range(count):
        workers = {"Worker": {"replicas": draw.randint(1, most)}}
        servers = {"PS": {"gpus": 0}} if draw.random() < 0.3 else {}
        jobs.append({"name": f"mix-{number}", "replicas": {**servers, **workers}})
    return jobs


@pytest.mark.parametrize(
    ("place", "count", "timeout"),
    [pytest.param((4, 2), 20, 300, id="20"), pytest.param((40, 2), 200, 1200, id="200")],
    indirect=["place"],
)
def test_a_random_mix_never_holds_a_part_of_a_gang(
    kube_batch: KubeBatch, place: Place, count: int, timeout: int
) -> None:
    # Its client binds five pods a second, of all gangs that it has just placed: larger ones take too long.
    jobs = mix(count, 4)
    draw = random.Random(SEED)
    sizes = {job["name"]: sum(replica.get("replicas", 1) for replica in job["replicas"].values()) for job in jobs}
    print(f"\n{TOLD}: {sizes}")
    with kube_batch.running():
        assert place.submit(jobs)["changed"]
        until(lambda: len(place.pods()) == sum(sizes.values()), "all pods are there")
        for pod in place.pods():
            place.end(pod, f"{draw.uniform(0.2, 2):.1f}s")
        done = place.submit(jobs, wait=True, timeout=timeout)
    assert {job["end"] for job in done["jobs"]} == {"succeeded"}, (TOLD, done["msg"])
    partly = {name: place.seen.partly(name, least) for name, least in sizes.items()}
    assert max(partly.values()) < 5, (TOLD, partly)
