# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue_table import (
    Member,
    queue_rows,
    queue_table,
)

GPU = "nvidia.com/gpu"
TOTAL = {GPU: Decimal(8), "cpu": Decimal(100)}


def queue(name: str, weight: int | None = 1, state: str = "Open", **spec: Any) -> dict[str, Any]:
    """Return a queue."""
    given = {} if weight is None else {"weight": weight}
    return {"metadata": {"name": name}, "spec": {**given, **spec}, "status": {"state": state}}


def group(name: str, in_queue: str = "", phase: str = "", owner: str = "", **spec: Any) -> dict[str, Any]:
    """Return a PodGroup of namespace a."""
    owners = [{"apiVersion": owner, "kind": "Job", "name": name}] if owner else []
    metadata = {"name": name, "namespace": "a", "ownerReferences": owners}
    return {"metadata": metadata, "spec": {"queue": in_queue, **spec}, "status": {"phase": phase}}


def pods(of: str, placed: int, waiting: int = 0, gpus: int = 1, cpu: str = "1") -> list[Member]:
    """Return pods of a gang."""
    asked = {GPU: Decimal(gpus), "cpu": Decimal(cpu)}
    return [Member("a", of, index < placed, asked) for index in range(placed + waiting)]


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the rows by the names of their queues."""
    return {row["name"]: row for row in rows}


def test_two_full_queues_and_an_idle_one() -> None:
    queues = [queue("default"), queue("small", 1), queue("large", 3, capability={GPU: 6})]
    groups = [group("s", "small"), group("l", "large"), group("l2", "large")]
    members = [*pods("s", 2, 0), *pods("l", 4), *pods("l2", 0, 3)]
    rows = by_name(queue_rows(queues, groups, members, TOTAL))
    # The idle one would get a fifth if it asked; it takes nothing from the others until then.
    assert {name: row["share"] for name, row in rows.items()} == {"small": 0.25, "large": 0.75, "default": 0.2}
    assert {name: row["use"] for name, row in rows.items()} == {"small": 0.25, "large": 0.5, "default": 0}
    large = rows["large"]
    assert (large["running"], large["pending"], large["pending_pods"]) == (1, 1, 3)
    assert (large["used"], large["pending_asks"]) == ({GPU: "4", "cpu": "4"}, {GPU: "3", "cpu": "3"})
    assert large["capability"] == {GPU: "6"}


def test_shares_go_down_the_tree() -> None:
    queues = [
        queue("root"),
        queue("eng", 3),
        queue("lab", 1),
        queue("vision", 1, parent="eng"),
        queue("speech", 2, parent="eng"),
    ]
    groups = [group("v", "vision"), group("s", "speech"), group("l", "lab")]
    found = queue_rows(queues, groups, [*pods("v", 1), *pods("s", 1), *pods("l", 1)], TOTAL)
    assert [row["name"] for row in found] == ["root", "eng", "speech", "vision", "lab"]
    assert [row["share"] for row in found] == [1, 0.75, 0.5, 0.25, 0.25]
    # Those above have what is below them.
    assert [(row["running"], row["used"][GPU]) for row in found] == [(3, "3"), (2, "2"), (1, "1"), (1, "1"), (1, "1")]


@pytest.mark.parametrize(
    ("member", "name"),
    [
        (Member("a", "", True, {"cpu": Decimal(1)}), "default"),
        (Member("a", "not-there", True, {"cpu": Decimal(1)}), "default"),
        (Member("b", "x", True, {"cpu": Decimal(1)}), "default"),
        (Member("a", "x", True, {"cpu": Decimal(1)}), "team"),
        (Member("a", "lost", True, {"cpu": Decimal(1)}), ""),
    ],
)
def test_in_which_queue_a_pod_is(member: Member, name: str) -> None:
    groups = [group("x", "team"), group("lost", "removed")]
    rows = queue_rows([queue("default"), queue("team")], groups, [member])
    assert [row["name"] for row in rows if row["running"]] == ([name] if name else [])
    assert all("use" not in row for row in rows)


def test_a_gang_that_runs_with_its_minimum_waits_with_the_rest() -> None:
    (row,) = queue_rows([queue("default")], [group("g")], pods("g", 2, 1))
    assert (row["running"], row["pending"], row["pending_pods"]) == (1, 1, 1)


def test_jobs_of_volcano_have_no_pods_before_they_are_let_in() -> None:
    own = "batch.volcano.sh/v1alpha1"
    groups = [
        group("held", phase="Pending", owner=own, minMember=3, minResources={GPU: "3"}),
        group("let-in", phase="Inqueue", owner=own, minMember=3),
        # A job of the operator has pods at once; one that has ended leaves its group behind.
        group("ended", phase="Pending", owner="kubeflow.org/v1", minMember=3),
        group("seen", phase="Pending", owner=own, minMember=1),
    ]
    (row,) = queue_rows([queue("default")], groups, pods("seen", 0, 1))
    assert (row["pending"], row["pending_pods"], row["pending_asks"][GPU]) == (2, 4, "4")


def test_a_queue_without_weight_or_with_itself_as_parent() -> None:
    rows = by_name(queue_rows([queue("a", None), queue("b", 1, parent="b"), queue("c", 1, parent="gone")], [], []))
    assert {name: row["share"] for name, row in rows.items()} == {"a": 1, "b": 1, "c": 1}


def test_the_table() -> None:
    queues = [queue("eng", 3, deserved={GPU: 6}), queue("vision", 1, "Closed", parent="eng", capability={GPU: 4})]
    rows = [{"backend": "volcano", **row} for row in queue_rows(queues, [group("v", "vision")], pods("v", 0, 3), TOTAL)]
    # Another scheduler's queue of the same name is not below the first one's.
    rows += [{"backend": "kube_batch", **row} for row in queue_rows([queue("vision", 1, "")], [], [])]
    assert [" ".join(line.split()) for line in queue_table(rows).splitlines()] == [
        "SCHEDULER QUEUE STATE WEIGHT SHARE USE USED LIMIT RUNNING PENDING",
        "volcano eng Open 3 100%, 6 nvidia.com/gpu 0% - - 0 1 (3 pods: 3 nvidia.com/gpu, 3 cpu)",
        "volcano vision Closed 1 100% 0% - 4 nvidia.com/gpu 0 1 (3 pods: 3 nvidia.com/gpu, 3 cpu)",
        "kube_batch vision - 1 100% - - - 0 0",
    ]
    assert queue_table(rows).splitlines()[2].index("vision") == queue_table(rows).splitlines()[3].index("vision") + 2
    assert queue_table([]) == ""
