# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two jobs of three pods beside four GPUs: a TFJob, made by the operator, and a job without operator.

Their pods come in turn, as when two people submit at the same moment: each waits behind a gate until it is let in.
A scheduler that has several of them before it takes them in the order in which they were made, one job first: who needs
the turns to be kept lets the next one in when the last one was looked at.
"""

from __future__ import annotations

import time
from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import Client
from tests.support.placements import Placements

KINDS = {"one": TFJOB, "other": PS_JOB}
SIZE, GPUS = 3, 4
GATE = "test.trainyard.mlstack/in-turn"
JOBS: list[dict[str, Any]] = [
    {
        "kind": "tfjob",
        "name": "one",
        "replicas": {"Worker": {"replicas": 3}},
        "success_policy": "AllWorkers",
        "restart_policy": "ExitCode",
    },
    {"kind": "ps_job", "name": "other", "replicas": {"PS": {}, "Worker": {"replicas": 2}}},
]
DEFAULTS: dict[str, Any] = {"gpus": 1, "template": {"spec": {"schedulingGates": [{"name": GATE}]}}}


def until(said: Callable[[], Any], what: str, instead: Callable[[], object] = lambda: "") -> None:
    """Wait until something holds. instead: tells what holds instead, when it never comes."""
    end = time.monotonic() + 120
    while not said():
        assert time.monotonic() < end, f"never came: {what} {instead()}"
        time.sleep(0.1)


class Contest:
    """The two jobs in a namespace of their own, submitted by somebody else."""

    def __init__(self, client: Client, namespace: str, seen: Placements) -> None:
        self._client, self.namespace, self.seen = client, namespace, seen

    def let_in(self, *jobs: str, looked_at: bool = False) -> None:
        """Open the gates of all pods of these jobs, else of both, as soon as they are there: one of each in turn.

        looked_at: each only when the scheduler has placed the one before, or found no room for it.
        """
        jobs = jobs or tuple(KINDS)
        until(lambda: {len(self.pods(job)) for job in jobs} == {SIZE}, "all pods")
        for number, pods in enumerate(zip(*(self.pods(job) for job in jobs)), start=1):
            for job, pod in zip(jobs, pods):
                self.change(pod, {"spec": {"schedulingGates": None}})
                if looked_at:
                    self._until_looked_at(job, number)

    def pods(self, job: str) -> list[dict[str, Any]]:
        """Return a job's pods that count, in the order of their names: no failed ones, none that somebody deletes."""
        query = [("labelSelector", f"{KINDS[job].labels.job}={job}")]
        items = self._client.call("GET", f"/api/v1/namespaces/{self.namespace}/pods", query)["items"]
        counting = [
            pod
            for pod in items
            if "deletionTimestamp" not in pod["metadata"] and pod.get("status", {}).get("phase") != "Failed"
        ]
        return sorted(counting, key=lambda pod: str(pod["metadata"]["name"]))

    def change(self, pod: dict[str, Any], change: dict[str, Any]) -> None:
        """Change a pod."""
        path = f"/api/v1/namespaces/{self.namespace}/pods/{pod['metadata']['name']}"
        self._client.call("PATCH", path, (), change, "application/merge-patch+json")

    def holding(self) -> dict[str, int]:
        """Return how many GPUs each job holds now."""
        return {job: self.seen.holding(job) for job in KINDS}

    def turned_away(self, job: str) -> int:
        """Return for how many pods of a job the scheduler has looked for room and found none."""
        conditions = [each for pod in self.pods(job) for each in pod["status"].get("conditions", [])]
        return len([each for each in conditions if each.get("reason") == "Unschedulable"])

    def _until_looked_at(self, job: str, pods: int) -> None:
        what = f"a look at {pods} pods of {job}"
        until(lambda: self.seen.holding(job) + self.turned_away(job) == pods, what, self._state)

    def _state(self) -> dict[str, Any]:
        return {"placed": self.holding(), "turned away": {job: self.turned_away(job) for job in KINDS}}

    def assert_blocked(self) -> None:
        """Fail unless each job holds two GPUs and waits for a third one, for good."""
        until(lambda: [self.turned_away(job) for job in KINDS] == [1, 1], "both jobs lack one GPU", self._state)
        # Nothing will happen: every GPU is held by a pod that waits for one that finds none.
        time.sleep(3)
        assert self.holding() == {"one": 2, "other": 2}
        assert min(self.seen.partly(job, SIZE) for job in KINDS) >= 3

    def first(self) -> tuple[str, str]:
        """Return the job that runs whole and the one that waits whole meanwhile."""
        until(lambda: SIZE in self.holding().values(), "one job runs", self._state)
        first, second = sorted(KINDS, key=lambda job: -self.seen.holding(job))
        # Longer than any of the schedulers takes until it has looked at the other one.
        time.sleep(3)
        assert (self.seen.holding(first), self.seen.most(second)) == (SIZE, 0)
        return first, second
