# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.why_objects import GPU, JUST_NOW, gang_job, gpus, holder, node, pod, why

VERSIONS = {"volcano": "scheduling.volcano.sh/v1beta1", "kube-batch": "scheduling.incubator.k8s.io/v1alpha1"}


def queue(spec: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "q"}, "spec": spec or {}, "status": status}


def queued(
    scheduler: str = "volcano",
    queues: dict[str, Any] | None = None,
    status: dict[str, Any] | None = None,
    says: str | None = "waiting for the gang",
    held: Any = (),
    **made: Any,
) -> Any:
    """Return why three pods with a GPU each wait in queue team-a."""
    spec = {"minMember": 3, "queue": "team-a"}
    metadata = {"name": "tfjob-bert"}
    group = {"apiVersion": VERSIONS[scheduler], "kind": "PodGroup", "metadata": metadata, "spec": spec}
    pods = [pod(index, says=says, resources=gpus(1), schedulerName=scheduler, **made) for index in range(3)]
    for each in pods:
        each["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": "tfjob-bert"}
    seen = {"nodes": [node("a", 4), node("b", 4)], "held": list(held)}
    known = {"tfjob-bert": {**group, "status": status if status is not None else {"phase": "Pending"}}}
    return why(gang_job(3, 1), pods, groups=known, queues=queues, **seen)


@pytest.mark.parametrize(
    ("queues", "sentence", "fact"),
    [
        (
            {"default": queue()},
            "Queue team-a, in which the gang waits, does not exist, so Volcano leaves the gang alone",
            "queues there are: default",
        ),
        ({}, "Queue team-a, in which the gang waits, does not exist", "there is no queue at all"),
        (
            {"team-a": queue(state="Closed")},
            "Queue team-a, in which the gang waits, is Closed: Volcano starts nothing in it",
            "what to do: Have it opened: vcctl queue operate --action open --name team-a",
        ),
        (
            {"team-a": queue(), "vision": queue({"parent": "team-a"})},
            "Queue team-a has others below it",
            "what to do: Remove the job and send it to one of vision",
        ),
        (
            {"team-a": queue({"capability": {GPU: "2"}}, state="Open")},
            "The gang can never start in queue team-a: its 3 pods ask for at least 3 nvidia.com/gpu together, and the"
            " queue's capability is 2",
            "",
        ),
        (
            {"team-a": queue({"capability": {GPU: "4", "cpu": "1"}}, allocated={GPU: "2", "cpu": "1"})},
            "Queue team-a has no room for the gang: it uses 2 of 4 nvidia.com/gpu, and the gang asks for at least 3",
            "the scheduler says of the gang: queue is full",
        ),
        # Just as large as the gang.
        ({"team-a": queue({"capability": {GPU: "3"}})}, "The nodes have room for the gang, and Volcano has not", ""),
        (
            {"team-a": queue({"capability": {GPU: "6"}}, allocated={GPU: "3"}, state="Open")},
            "The nodes have room for the gang, and Volcano has not given it: queue team-a has had its share",
            "the scheduler says of the gang: queue is full",
        ),
        (None, "The nodes have room for the gang, and Volcano has not given it", ""),
    ],
)
def test_why_a_queue_holds_back_a_gang(queues: dict[str, Any] | None, sentence: str, fact: str) -> None:
    condition = {"type": "Unschedulable", "status": "True", "message": "queue is full"}
    told = queued(queues=queues, status={"phase": "Pending", "conditions": [condition]})
    assert told.sentence.startswith(sentence)
    assert not fact or fact in told.facts


def test_a_gang_in_a_queue_that_finds_no_room_on_the_nodes() -> None:
    told = queued(queues={"team-a": queue(state="Open")}, held=[holder("x", "a", gpus(4)), holder("y", "b", gpus(3))])
    assert told.sentence == "The gang waits until 3 pods have room at once; now there is room for 1"


@pytest.mark.parametrize("scheduler", ["volcano", "kube-batch"])
def test_a_scheduler_that_does_not_run(scheduler: str) -> None:
    queues = {"team-a": queue()}
    title = {"volcano": "Volcano"}.get(scheduler, scheduler)
    told = queued(scheduler, queues=queues, status={}, says=None)
    assert told.sentence == f"{title} does not seem to run: nobody has looked at PodGroup tfjob-bert in 60m"
    assert f"under the name {scheduler}" in told.facts[-1]
    # It may take a moment, and one that has said something of the pods runs.
    assert "not seem to run" not in queued(scheduler, queues=queues, status={}, says=None, made=JUST_NOW).sentence
    assert "not seem to run" not in queued(scheduler, queues=queues, status={}).sentence
    assert "not seem to run" not in queued(scheduler, queues=queues, says=None).sentence


def test_a_gang_of_a_queue_keeps_what_it_is_told_otherwise() -> None:
    """A queue that is gone explains more than nodes that are full."""
    told = queued(queues={}, held=[holder("x", "a", gpus(4)), holder("y", "b", gpus(4))])
    assert told.sentence.startswith("Queue team-a, in which the gang waits, does not exist")
