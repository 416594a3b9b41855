# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue_taking import judge, queues_taking
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError


def queue(name: str, state: str = "Open", parent: str = "root") -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"weight": 1, "parent": parent}, "status": {"state": state}}


LIVES = {
    "root": {"metadata": {"name": "root"}, "status": {"state": "Open"}},
    "default": queue("default"),
    "team-a": queue("team-a"),
    "research": queue("research"),
    "vision": queue("vision", parent="research"),
    "shut": queue("shut", "Closed"),
    "shutting": queue("shutting", "Closing"),
    # Volcano's controller has not seen it yet; so are all queues of kube-batch.
    "new": {"metadata": {"name": "new"}, "spec": {"weight": 1}},
}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("team-a", []),
        ("vision", []),
        ("new", []),
        (
            "gone",
            ["gang.queue = gone: there is no such queue", "default, new, research, shut", "trainyard.mlstack.queue"],
        ),
        ("shut", ["the queue is Closed", "vcctl queue operate --action open --name shut"]),
        ("shutting", ["the queue is Closing"]),
        ("research", ["others below it", "Name one of vision"]),
    ],
)
def test_a_queue(name: str, words: list[str]) -> None:
    found = [problem.line() for problem in judge(LIVES, [name])]
    assert len(found) == bool(words)
    for word in words:
        assert word in found[0]


class Store:
    def __init__(self, status: int = 0) -> None:
        self.asked: list[str] = []
        self._status = status

    def list(self, api_version: str, kind: str) -> list[dict[str, Any]]:
        self.asked.append(f"{kind} {api_version}")
        if self._status:
            raise ApiError(self._status, "Forbidden", "no")
        return list(LIVES.values())


def group(version: str, queue_name: str = "") -> dict[str, Any]:
    spec = {"queue": queue_name} if queue_name else {}
    return {"apiVersion": version, "kind": "PodGroup", "metadata": {"name": "g"}, "spec": spec}


VOLCANO, KUBE_BATCH = "scheduling.volcano.sh/v1beta1", "scheduling.incubator.k8s.io/v1alpha1"


def test_each_backend_is_asked_once() -> None:
    store: Any = Store()
    groups = [group(VOLCANO, "gone"), group(VOLCANO, "gone"), group(VOLCANO, "shut"), group(KUBE_BATCH, "lost")]
    assert [problem.value for problem in queues_taking(store, groups)] == ["gone", "shut", "lost"]
    assert store.asked == [f"Queue {VOLCANO}", f"Queue {KUBE_BATCH}"]


def test_a_volcano_job_names_its_queue_itself() -> None:
    store: Any = Store()
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j"}}
    jobs = [{**job, "spec": {"queue": name}} for name in ("shut", "team-a", "default")]
    own = {("batch.volcano.sh/v1alpha1", "Job"): "volcano"}
    other = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"queue": "gone"}}
    assert [problem.line().partition(":")[0] for problem in queues_taking(store, [*jobs, other], own)] == [
        "queue = shut"
    ]
    assert store.asked == [f"Queue {VOLCANO}"]


def test_the_default_queue_comes_with_the_scheduler() -> None:
    assert judge({}, ["default"]) == []
    assert len(judge({"default": queue("default", "Closed")}, ["default"])) == 1


def test_nobody_is_asked_where_no_queue_is_named() -> None:
    store: Any = Store()
    assert queues_taking(store, [group(VOLCANO), group("scheduling.k8s.io/v1beta1")]) == []
    assert store.asked == []


def test_a_user_who_may_not_read_queues() -> None:
    forbidden: Any = Store(403)
    assert queues_taking(forbidden, [group(VOLCANO, "gone")]) == []
    broken: Any = Store(500)
    with pytest.raises(ApiError):
        queues_taking(broken, [group(VOLCANO, "gone")])
