# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.queue_move import moved_queues
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS


def queue(name: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": "1"}, "spec": spec, "status": {"state": "Open"}}


OURS = [
    queue("root", weight=1),
    queue("default", weight=1, reclaimable=True),
    queue("vision", weight=3, capability={"cpu": 4}, reclaimable=True, dequeueStrategy="traverse"),
    queue("speech", weight=1, parent="vision", deserved={"cpu": 2}, guarantee={}),
]


def test_what_two_schedulers_have_in_common_comes_along() -> None:
    made, notes = moved_queues({"volcano": OURS, "kube_batch": [queue("default", weight=1)]}, BACKENDS["kube_batch"])
    kind = {"apiVersion": "scheduling.incubator.k8s.io/v1alpha1", "kind": "Queue"}
    assert made == [
        {**kind, "metadata": {"name": "vision"}, "spec": {"weight": 3}},
        {**kind, "metadata": {"name": "speech"}, "spec": {"weight": 1}},
    ]
    assert notes == [
        "queue vision leaves behind what kube-batch does not do: capability",
        "queue speech leaves behind what kube-batch does not do: parent, deserved",
    ]


def test_the_other_way() -> None:
    made, notes = moved_queues(
        {"kube_batch": [queue("default", weight=2), queue("a", weight=2, capability={"cpu": 1})]}, BACKENDS["volcano"]
    )
    assert [(item["apiVersion"], item["metadata"]["name"], item["spec"]) for item in made] == [
        ("scheduling.volcano.sh/v1beta1", "a", {"weight": 2, "capability": {"cpu": 1}})
    ]
    assert notes == ["queue default comes with Volcano: weight stays behind"]


def test_a_queue_that_is_there_stays_as_it_is() -> None:
    found = {"volcano": [*OURS], "kube_batch": [queue("vision", weight=1), queue("speech", weight=1)]}
    assert moved_queues(found, BACKENDS["kube_batch"]) == ([], [])


def test_a_scheduler_without_queues() -> None:
    made, notes = moved_queues({"volcano": [queue("vision", weight=3)]}, BACKENDS["native"])
    assert (made, notes) == ([], ["queue vision stays with Volcano: Kubernetes' own scheduler has none"])


def test_what_is_said_otherwise_than_volcano_fills_in_is_told() -> None:
    """A queue from which nothing may be taken back is another one under kube-batch."""
    spec = {"weight": 1, "reclaimable": False, "dequeueStrategy": "fifo", "priority": 0, "extendClusters": []}
    _made, notes = moved_queues({"volcano": [queue("vision", **spec)]}, BACKENDS["kube_batch"])
    assert notes == ["queue vision leaves behind what kube-batch does not do: reclaimable, dequeueStrategy"]
