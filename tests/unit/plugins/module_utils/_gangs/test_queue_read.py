# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue_read import read_queues
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.names import GROUP_NAME

VOLCANO, KUBE_BATCH = "scheduling.volcano.sh/v1beta1", "scheduling.incubator.k8s.io/v1alpha1"


class Store:
    """A cluster. objects: by (API version, kind). refused: kinds that the user may not list."""

    def __init__(self, objects: dict[tuple[str, str], list[dict[str, Any]]], *refused: str) -> None:
        self.objects, self.refused = objects, refused
        self.asked: list[tuple[str, str]] = []

    def list(self, version: str, kind: str, fields: str = "", shape: Any = None) -> list[Any]:
        self.asked.append((version, kind))
        if kind in self.refused:
            raise ApiError(403, "Forbidden", f"you cannot list {kind}")
        return [shape(item) for item in self.objects.get((version, kind), [])]


def queue(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"weight": 1}}


def group(name: str, of: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "a"}, "spec": {"queue": of}}


def pod(scheduler: str, of: str = "", node: str = "n") -> dict[str, Any]:
    containers = [{"name": "c", "resources": {"limits": {"cpu": 1}}}]
    annotations = {GROUP_NAME: of} if of else None
    spec = {"schedulerName": scheduler, "nodeName": node, "containers": containers}
    return {"metadata": {"name": "p", "namespace": "a", "annotations": annotations}, "spec": spec}


def objects(*pods: dict[str, Any], version: str = VOLCANO) -> dict[tuple[str, str], list[dict[str, Any]]]:
    node = {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4", "pods": "110"}}}
    groups = [group("g", "team")]
    queues = [queue("default"), queue("team")]
    return {
        (version, "Queue"): queues,
        (version, "PodGroup"): groups,
        ("v1", "Pod"): list(pods),
        ("v1", "Node"): [node],
    }


def read(store: Store) -> tuple[list[dict[str, Any]], list[str]]:
    return read_queues(store)  # type: ignore[arg-type]


def test_a_cluster_without_queues_is_asked_for_nothing_else() -> None:
    store = Store({})
    assert read(store) == ([], [])
    assert [kind for _version, kind in store.asked] == ["Queue", "Queue"]


@pytest.mark.parametrize(
    ("item", "name"),
    [
        (pod("volcano", "g"), "team"),
        (pod("volcano"), "default"),
        # A scheduler that somebody gave a name of his own.
        (pod("volcano-gpu", "g"), "team"),
        (pod("volcano-gpu"), ""),
        (pod("default-scheduler"), ""),
        # Both schedulers read the same annotation.
        (pod("kube-batch", "g"), ""),
    ],
)
def test_whose_pods_are_counted(item: dict[str, Any], name: str) -> None:
    rows, unread = read(Store(objects(item)))
    assert unread == []
    assert [(row["backend"], row["name"]) for row in rows] == [("volcano", "default"), ("volcano", "team")]
    assert [(row["name"], row["use"]) for row in rows if row["running"]] == ([(name, 0.25)] if name else [])


def test_queues_of_two_schedulers() -> None:
    both = {**objects(pod("kube-batch", "g"), pod("volcano", "g")), **objects(version=KUBE_BATCH)}
    both["v1", "Pod"] = [pod("kube-batch", "g"), pod("volcano", "g")]
    store = Store(both)
    rows, _unread = read(store)
    assert [(row["backend"], row["running"]) for row in rows if row["name"] == "team"] == [
        ("volcano", 1),
        ("kube_batch", 1),
    ]
    # Pods are many: they are read once.
    assert store.asked.count(("v1", "Pod")) == 1


def test_what_may_not_be_read() -> None:
    rows, unread = read(Store(objects(pod("volcano", "g")), "Pod"))
    assert (rows, unread) == ([], ["queues were not looked at: you cannot list Pod"])
    rows, unread = read(Store(objects(pod("volcano", "g")), "Node"))
    assert ("use" in rows[0], unread) == (False, [])
