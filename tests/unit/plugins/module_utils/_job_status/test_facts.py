# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.read_state import read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.facts import FactsReader
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import Why
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.slim import slim_pod
from tests.support.why_objects import NOW, ended, event, gpus, job, node, pod

REF = TFJOB.ref("bert", "team-a")
RUNS = {"containerStatuses": [{"name": "tensorflow", "state": {"running": {}}}]}


class Store:
    """A cluster of one node that is full. asked: for what. forbidden: kinds that the user may not read."""

    def __init__(self, *forbidden: str) -> None:
        self.asked: list[str] = []
        self.forbidden = forbidden
        self.events: list[dict[str, Any]] = []
        self.client = self
        self.discovery = self
        # What the cluster serves of gangs, and what of them is there.
        self.versions = ["scheduling.k8s.io/v1beta1"]
        self.there: dict[str, dict[str, Any]] = {}
        self.queues: list[dict[str, Any]] = []

    def served(self, api_version: str, kind: str) -> None:
        if api_version not in self.versions:
            raise KindUnknown(api_version, kind)

    def _note(self, kind: str) -> None:
        self.asked.append(kind)
        if kind in self.forbidden:
            raise ApiError(403, "Forbidden", f"user may not list {kind}")

    def read_all(self, refs: list[Ref]) -> dict[Ref, dict[str, Any] | None]:
        for ref in refs:
            self._note(ref.kind)
        return {ref: self.there.get(ref.api_version) for ref in refs}

    def read(self, ref: Ref) -> None:
        self._note(ref.kind)

    def list(
        self, _version: str, kind: str, namespace: str = "", fields: str = "", shape: Any = None
    ) -> list[dict[str, Any]]:
        self._note(f"{kind} {fields}".strip() if kind == "Event" else kind)
        full = {"nodeName": "gpu-1", "containers": [{"name": "c", "resources": gpus(2)}]}
        found = {
            "Node": [{**node("gpu-1", 2), "metadata": {"name": "gpu-1", "labels": {}}}],
            "Pod": [{"metadata": {"name": "x", "namespace": "team-b"}, "spec": full}],
            "Event": self.events,
            "Deployment": [],
            "Queue": self.queues,
        }[kind]
        return [shape(item) for item in found] if shape else found

    def text(self, path: str, _query: Any) -> str:
        self._note("log")
        if "gone" in path:
            raise ApiError(404, "NotFound", "gone")
        return "last words\n"


def explain(store: Store, live: dict[str, Any] | None, pods: list[dict[str, Any]], **more: Any) -> Why:
    state = read_state(TFJOB, live, pods, [], "job-1", NOW)
    facts = FactsReader(store)  # type: ignore[arg-type]
    return facts.why(TFJOB, REF, state, live, [slim_pod(item) for item in pods], **more)


@pytest.mark.parametrize(
    ("live", "pods", "asked"),
    [
        (job(ended("Succeeded", "m")), [], []),
        (job(ended("Suspended", "m")), [], []),
        (None, [], []),
        (job(Worker=1), [pod(node="gpu-1", phase="Running", status=RUNS)], []),
        (job(Worker=1), [pod(says="m", resources=gpus(1))], ["Node", "Pod"]),
        (job(Worker=1), [pod()], ["Node", "Pod", "Lease"]),
        (job(Worker=1), [pod(node="gpu-1")], ["Node", "Event type=Warning"]),
        (job(Worker=1), [], ["Event type=Warning", "Deployment"]),
        (job(ended("Failed", "m"), Worker=1), [pod(node="gpu-1", phase="Failed")], ["log"]),
    ],
)
def test_only_what_the_state_makes_necessary_is_read(
    live: dict[str, Any] | None, pods: list[dict[str, Any]], asked: list[str]
) -> None:
    store = Store()
    explain(store, live, pods)
    assert store.asked == asked


def test_claims_and_groups_are_read_where_a_pod_names_them() -> None:
    store = Store()
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    group = {"podGroupName": "tfjob-bert"}
    told = explain(store, job(Worker=1), [pod(says="m", volumes=volumes, schedulingGroup=group)])
    assert sorted(store.asked) == ["Node", "PersistentVolumeClaim", "Pod", "PodGroup"]
    assert told.sentence.startswith("PodGroup tfjob-bert does not exist")


VOLCANO, KUBE_BATCH = "scheduling.volcano.sh/v1beta1", "scheduling.incubator.k8s.io/v1alpha1"


def marked(**spec: Any) -> dict[str, Any]:
    """Return a pod with the mark that Volcano and kube-batch have in common."""
    found = pod(says="m", **spec)
    found["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": "tfjob-bert"}
    return found


@pytest.mark.parametrize(
    ("versions", "there", "spec", "asked", "sentence"),
    [
        # The scheduler's name says whose it is.
        ([VOLCANO, KUBE_BATCH], [VOLCANO], {"schedulerName": "volcano"}, ["PodGroup", "Queue"], "Queue lost"),
        ([VOLCANO, KUBE_BATCH], [VOLCANO], {"schedulerName": "kube-batch"}, ["PodGroup"], "PodGroup tfjob-bert does"),
        # Under another name both are asked, and one answers.
        ([VOLCANO, KUBE_BATCH], [KUBE_BATCH], {"schedulerName": "x"}, ["PodGroup"] * 2 + ["Queue"], "Queue lost"),
        # What nobody serves is not asked for.
        ([KUBE_BATCH], [], {"schedulerName": "x"}, ["PodGroup"], "PodGroup tfjob-bert does not exist"),
        ([], [], {"schedulerName": "volcano"}, [], "PodGroup tfjob-bert does not exist"),
    ],
)
def test_the_group_and_the_queues_of_the_right_scheduler(
    versions: list[str], there: list[str], spec: dict[str, Any], asked: list[str], sentence: str
) -> None:
    store = Store()
    store.versions = versions
    group = {"kind": "PodGroup", "metadata": {"name": "tfjob-bert"}, "spec": {"minMember": 1, "queue": "lost"}}
    store.there = {version: {**group, "apiVersion": version} for version in there}
    store.queues = [{"metadata": {"name": "default"}}]
    told = explain(store, job(Worker=1), [marked(**spec)])
    assert [kind for kind in store.asked if kind not in ("Node", "Pod")] == asked
    assert told.sentence.startswith(sentence)


def test_queues_that_may_not_be_read() -> None:
    store = Store("Queue")
    store.versions = [VOLCANO]
    group = {"apiVersion": VOLCANO, "kind": "PodGroup", "metadata": {"name": "tfjob-bert"}, "spec": {"minMember": 1}}
    store.there = {VOLCANO: group}
    assert "not looked at: queues (you may not read them)" in explain(store, job(Worker=1), [marked()]).facts


def test_the_cluster_is_read_once_for_many_jobs() -> None:
    store = Store()
    facts, live, pods = FactsReader(store), job(Worker=1), [pod(says="m", resources=gpus(1))]  # type: ignore[arg-type]
    state = read_state(TFJOB, live, pods, [], "job-1", NOW)
    told = [facts.why(TFJOB, REF, state, live, pods) for _time in range(3)]
    assert store.asked == ["Node", "Pod"]
    assert {item.sentence for item in told} == {
        "No node has room for Worker-0: nvidia.com/gpu is short on 1 of 1 node; gpu-1 comes closest and lacks 1 of 1"
        " nvidia.com/gpu"
    }


def test_a_user_without_rights_hears_what_can_be_said_and_what_not() -> None:
    store = Store("Node", "Pod", "Lease")
    facts, live, pods = FactsReader(store), job(Worker=1), [pod(says="0/1 nodes: full")]  # type: ignore[arg-type]
    state = read_state(TFJOB, live, pods, [], "job-1", NOW)
    for told in [facts.why(TFJOB, REF, state, live, pods) for _time in range(2)]:
        assert told.sentence == "The scheduler finds no node for Worker-0: 0/1 nodes: full"
        assert told.facts[:2] == [
            "not looked at: nodes (you may not read them)",
            "not looked at: pods of other namespaces (you may not read them)",
        ]
    assert store.asked == ["Node", "Pod"]


def test_a_refusal_is_asked_for_once_and_told_with_each_job() -> None:
    store = Store("Event type=Warning")
    facts, live, pods = FactsReader(store), job(Worker=1), [pod(node="gpu-1")]  # type: ignore[arg-type]
    state = read_state(TFJOB, live, pods, [], "job-1", NOW)
    told = [facts.why(TFJOB, REF, state, live, pods).facts for _time in range(3)]
    assert all("not looked at: events (you may not read them)" in lines for lines in told)
    assert store.asked == ["Node", "Event type=Warning"]


def test_nodes_without_their_pods_tell_what_can_never_fit_and_no_more() -> None:
    assert explain(Store("Pod"), job(Worker=1), [pod(says="m", resources=gpus(4))]).sentence.startswith(
        "No node can ever hold Worker-0: each pod asks for 4 nvidia.com/gpu"
    )
    assert explain(Store("Pod"), job(Worker=1), [pod(says="m", resources=gpus(1))]).sentence == (
        "The scheduler finds no node for Worker-0: m"
    )


def test_only_events_of_this_very_job_count() -> None:
    store = Store()
    mine, other = event("FailedCreatePod", "mine"), event("FailedCreatePod", "other")
    mine["involvedObject"]["uid"], mine["lastTimestamp"] = "job-1", "2026-11-28T11:00:00Z"
    other["lastTimestamp"] = "2026-11-28T11:30:00Z"
    store.events = [{**item, "metadata": {"name": "e"}} for item in (other, mine)]
    assert explain(store, job(Worker=1), []).sentence == "The API server refuses Worker-0: FailedCreatePod: mine"


@pytest.mark.parametrize("with_times", [True, False])
def test_the_newest_event_speaks(with_times: bool) -> None:
    store = Store()
    for word, time in (
        ("old", "2026-11-28T10:00:00Z"),
        ("new", "2026-11-28T11:00:00Z"),
        ("older", "2026-11-28T09:00:00Z"),
    ):
        item = event("FailedCreatePod", word)
        item["involvedObject"]["uid"] = "job-1"
        times = {"lastTimestamp": time} if with_times else {}
        store.events.append({**item, **times, "metadata": {"name": word, "creationTimestamp": time}})
    assert explain(store, job(Worker=1), []).sentence.endswith(": new")


def test_logs_that_were_read_are_not_read_again() -> None:
    failed = pod(node="gpu-1", phase="Failed")
    failed["status"]["containerStatuses"] = [{"name": "tensorflow", "state": {"terminated": {"exitCode": 1}}}]
    store = Store()
    told = explain(store, job(ended("Failed", "m"), Worker=1), [failed], logs={"bert-worker-0": "kept\n"})
    assert (store.asked, "its last line: kept" in told.sentence) == ([], True)
    assert "its last line: last words" in explain(store, job(ended("Failed", "m"), Worker=1), [failed]).sentence


def test_a_log_that_is_gone_is_no_reason_to_fail() -> None:
    failed = pod(node="gpu-1", phase="Failed")
    failed["metadata"]["name"] = "gone"
    assert explain(Store(), job(ended("Failed", "m"), Worker=1), [failed]).sentence
