# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.info import JobsInfo, LogWish, Selection
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from tests.support.why_objects import ended, job, pod

RUNS = {"containerStatuses": [{"name": "tensorflow", "state": {"running": {}}}]}
REF = TFJOB.ref("bert", "team-a")


class Store:
    """A cluster with TFJobs. refused: kinds that the user may not list. unknown: kinds that nobody serves."""

    def __init__(self, jobs: list[dict[str, Any]], pods: list[dict[str, Any]], *refused: str) -> None:
        self.jobs, self.pods, self.refused = jobs, pods, refused
        self.answer: Any = "line 1\n"
        self.asked: list[tuple[str, str, str, str]] = []
        self.queries: list[Any] = []
        self.client = self.discovery = self
        self.unknown: set[str] = set()

    def served(self, version: str, kind: str) -> None:
        if kind in self.unknown:
            raise KindUnknown(version, kind)

    def list(
        self, _version: str, kind: str, namespace: str = "", selector: str = "", fields: str = "", shape: Any = None
    ) -> Any:
        self.asked.append((kind, namespace, selector, fields))
        if kind in self.refused:
            raise ApiError(403, "Forbidden", f"you cannot list {kind}")
        found = {"TFJob": self.jobs, "Pod": self.pods}.get(kind, [])
        return [shape(item) for item in found] if shape else found

    def text(self, path: str, query: Any) -> str:
        self.queries.append((path, dict(query)))
        if isinstance(self.answer, Exception):
            raise self.answer
        return str(self.answer)


def running(index: int, made: str, name: str = "") -> dict[str, Any]:
    item = pod(index, node="gpu-1", phase="Running", status=RUNS, made=made)
    item["metadata"]["name"] = name or item["metadata"]["name"]
    return item


def cleaned(policy: str) -> dict[str, Any]:
    """Return a job of two workers that has ended, after which pods are removed."""
    live = job(ended("Succeeded", "m"), Worker=2)
    live["spec"]["runPolicy"]["cleanPodPolicy"] = policy
    return live


def info(store: Store) -> JobsInfo:
    return JobsInfo(store)  # type: ignore[arg-type]


def test_what_is_asked_for_is_left_to_the_server() -> None:
    store = Store([job()], [])
    selection = Selection(("tfjob", "ps_job"), "bert", "team-a", ["project=vision", "team in (a,b)"])
    assert [row["name"] for row in info(store).find(selection, with_why=False).rows] == ["bert"]
    labels = "project=vision,team in (a,b)"
    assert store.asked[:2] == [
        ("TFJob", "team-a", labels, "metadata.name=bert"),
        ("ConfigMap", "team-a", f"{labels},trainyard.mlstack/job-name", "metadata.name=bert"),
    ]


def test_only_jobs_in_these_states() -> None:
    failed = job(ended("Failed", "m"))
    failed["metadata"] = {**failed["metadata"], "name": "other", "uid": "2"}
    found = info(Store([job(), failed], [])).find(Selection(states=["failed"]), with_why=False)
    assert [(row["name"], row["state"]) for row in found.rows] == [("other", "failed")]


def test_a_kind_that_may_not_be_read_hides_no_other() -> None:
    found = info(Store([job()], [], "PyTorchJob", "ConfigMap")).find(Selection(), with_why=False)
    assert len(found.rows) == 1
    assert found.warnings[0] == "PyTorchJobs were not looked at: you cannot list PyTorchJob"
    assert len(found.warnings) == 2


def test_where_no_kind_may_be_read_the_refusal_is_told() -> None:
    with pytest.raises(ApiError, match="you cannot list TFJob"):
        info(Store([], [], "TFJob")).find(Selection(("tfjob",)))


@pytest.mark.parametrize("unknown", [kind.name for kind in JOB_KINDS.values()])
def test_a_kind_that_nobody_serves_is_none_that_was_read(unknown: str) -> None:
    store = Store([], [], *(kind.kind for kind in JOB_KINDS.values()))
    store.unknown = {JOB_KINDS[unknown].kind}
    with pytest.raises(ApiError, match="you cannot list"):
        info(store).find(Selection())


def test_where_no_kind_is_known_there_are_no_jobs() -> None:
    store = Store([], [])
    store.unknown = {kind.kind for kind in JOB_KINDS.values()}
    assert info(store).find(Selection()).rows == []


def test_the_log_of_the_last_try() -> None:
    pods = [running(0, "2026-11-28T10:00:00Z", "first"), running(0, "2026-11-28T11:00:00Z", "second")]
    store = Store([job(Worker=1)], pods)
    look = info(store)
    found = look.find(Selection(("tfjob",)))
    replica, text, missing = look.log(REF, found.states[REF], LogWish("worker-0", 5, True))
    assert (replica.pod if replica else "", text, missing) == ("second", "line 1\n", "")
    path = "/api/v1/namespaces/team-a/pods/second/log"
    assert store.queries == [(path, {"container": "tensorflow", "previous": "true", "tailLines": "5"})]


@pytest.mark.parametrize(
    ("live", "pods", "wish", "answer", "missing"),
    [
        (job(Worker=1), [], LogWish(), "", "not available: the job has no pod yet"),
        (job(Worker=2), [running(0, "t")], LogWish("worker-1"), "", "not available: worker-1 has no pod yet"),
        (
            cleaned("All"),
            [running(0, "t")],
            LogWish("Worker-1"),
            "",
            "not available: the pods were removed by clean_pod_policy All",
        ),
        (job(ended("Succeeded", "m"), Worker=1), [], LogWish(), "", "not available: the pods are gone"),
        (
            job(Worker=1),
            [running(0, "t")],
            LogWish("Worker-7"),
            "",
            "not available: the job has no replica Worker-7; it has Worker-0",
        ),
        (
            job(Worker=1),
            [
                pod(
                    node="gpu-1",
                    status={"containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "ErrImagePull"}}}]},
                )
            ],
            LogWish(),
            ApiError(400, "BadRequest", 'container "tensorflow" in pod "p" is waiting to start'),
            "not available: pod bert-worker-0 is pending (container c: ErrImagePull); container"
            ' "tensorflow" in pod "p" is waiting to start',
        ),
        (
            job(Worker=1),
            [running(0, "t")],
            LogWish(previous=True),
            ApiError(400, "BadRequest", 'previous terminated container "tensorflow" in pod "p" not found'),
            "not available: pod bert-worker-0 is running; previous terminated container",
        ),
        (
            job(Worker=1),
            [running(0, "t")],
            LogWish(),
            ApiError(404, "NotFound", 'pods "bert-worker-0" not found'),
            "not available: the pods are gone",
        ),
    ],
)
def test_a_log_that_is_not_there_is_never_an_empty_one(
    live: dict[str, Any], pods: list[dict[str, Any]], wish: LogWish, answer: Any, missing: str
) -> None:
    """Field case FC-21: what is gone is named as gone."""
    store = Store([live], pods)
    store.answer = answer
    look = info(store)
    states = look.find(Selection(("tfjob",)), with_why=False).states
    assert look.log(REF, states[REF], wish)[2].startswith(missing)


@pytest.mark.parametrize(("number", "read"), [(1, True), (6, False)])
def test_logs_are_read_for_a_few_jobs_only(number: int, read: bool) -> None:
    failed, pods = [], []
    for index in range(number):
        item, name = job(ended("Failed", "m"), Worker=1), f"bert-{index}"
        item["metadata"] = {**item["metadata"], "name": name, "uid": name}
        failed.append(item)
        its = pod(node="gpu-1", phase="Failed")
        its["metadata"].update(name=f"{name}-worker-0", ownerReferences=[{"kind": "TFJob", "name": name, "uid": name}])
        its["metadata"]["labels"] = {**its["metadata"]["labels"], TFJOB.labels.job: name}
        pods.append(its)
    store = Store(failed, pods)
    rows = info(store).find(Selection(("tfjob",))).rows
    assert (bool(store.queries), "its last line: line 1" in rows[0]["why"]["sentence"]) == (read, read)
