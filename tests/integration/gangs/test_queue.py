# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""queue: with Volcano's own definitions, and those of kube-batch."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.integration.conftest import Run, apply_crds
from tests.integration.support.api_server import ApiServer
from tests.integration.support.gang_kinds import KUBE_BATCH, VOLCANO, kube_batch_crds, open_queue, volcano_queue
from tests.integration.support.samples import later

HIERARCHY: list[dict[str, Any]] = [
    {"name": "q-vision", "parent": "q-research", "weight": 3, "guarantee": {"nvidia.com/gpu": 2}, "reclaimable": False},
    {"name": "q-research", "capability": {"nvidia.com/gpu": 16, "cpu": "64"}, "deserved": {"cpu": 32}},
]


def outcome(result: dict[str, Any]) -> list[tuple[str, str]]:
    assert "queues" in result, result
    return [(queue["name"], queue["result"]) for queue in result["queues"]]


def live(server: ApiServer, name: str) -> Any:
    return server.client.call("GET", f"{VOLCANO}/queues/{name}")


def test_from_making_to_removal(volcano_api: ApiServer, run: Run) -> None:
    every = {"backend": "volcano", "queues": HIERARCHY}
    with volcano_api.quiet():
        predicted = run("queue", check=True, **every)
    assert outcome(predicted) == [("q-vision", "created"), ("q-research", "created")]

    def controller() -> None:
        for name in ("q-research", "q-vision"):
            open_queue(volcano_api, name)

    with later(1.5, controller):
        started = time.monotonic()
        made = run("queue", timeout=60, **every)
    assert outcome(made) == [("q-vision", "created"), ("q-research", "created")]
    assert time.monotonic() - started > 1
    # The parent was there first.
    stamps = [live(volcano_api, name)["metadata"]["uid"] for name in ("q-vision", "q-research")]
    assert len(set(stamps)) == 2
    assert live(volcano_api, "q-vision")["spec"] == {
        "weight": 3,
        "parent": "q-research",
        "guarantee": {"resource": {"nvidia.com/gpu": "2"}},
        "reclaimable": False,
        "dequeueStrategy": "traverse",
    }
    # What Volcano's admission fills in stays, and is no change.
    filled_in = {"reclaimable": True, "parent": "root"}
    volcano_api.patch(f"{VOLCANO}/queues/q-research", {"spec": filled_in})
    with volcano_api.quiet():
        again = run("queue", **every)
    assert (again["changed"], outcome(again)[0]) == (False, ("q-vision", "unchanged"))
    assert filled_in.items() <= live(volcano_api, "q-research")["spec"].items()

    changed = run("queue", backend="volcano", name="q-vision", parent="q-research", weight=5)
    assert outcome(changed) == [("q-vision", "changed")]
    assert (changed["diff"][0]["before"]["spec"]["weight"], changed["diff"][0]["after"]["spec"]["weight"]) == (3, 5)
    # What is not asked for any more is the server's again.
    assert "guarantee" not in live(volcano_api, "q-vision")["spec"]

    absent = {"backend": "volcano", "state": "absent"}
    with volcano_api.quiet():
        refused = run("queue", name="q-research", **absent)
        assert "name = q-research: has queues below it: q-vision" in refused["msg"]
        predicted = run("queue", check=True, queues=HIERARCHY, **absent)
    assert [result for _name, result in outcome(predicted)] == ["deleted", "deleted"]
    gone = run("queue", queues=HIERARCHY, **absent)
    assert [result for _name, result in outcome(gone)] == ["deleted", "deleted"]
    with volcano_api.quiet():
        again = run("queue", queues=HIERARCHY, **absent)
    assert (again["changed"], outcome(again)[0]) == (False, ("q-vision", "absent"))


def test_parents_are_written_first(volcano_api: ApiServer, run: Run) -> None:
    queues = [{"name": "q-c", "parent": "q-b"}, {"name": "q-b", "parent": "q-a"}, {"name": "q-a"}]
    mark = volcano_api.audit_mark()
    assert run("queue", backend="volcano", wait=False, queues=queues)["changed"]
    assert [entry.rpartition("/")[2].partition("?")[0] for entry in volcano_api.writes(mark)] == ["q-a", "q-b", "q-c"]
    mark = volcano_api.audit_mark()
    assert run("queue", backend="volcano", state="absent", queues=queues)["changed"]
    assert [entry.rpartition("/")[2].partition("?")[0] for entry in volcano_api.writes(mark)] == ["q-c", "q-b", "q-a"]


def test_a_queue_that_does_not_open(volcano_api: ApiServer, run: Run) -> None:
    late = run("queue", backend="volcano", name="q-late", timeout=1)
    assert late["failed"]
    assert "Queue q-late: status.state is not set yet" in late["msg"]
    # It is there all the same: the next run goes on from here.
    assert (late["changed"], outcome(late)) == (True, [("q-late", "created")])
    open_queue(volcano_api, "q-late", "Closed")
    closed = run("queue", backend="volcano", name="q-late", timeout=60)
    assert "status.state is Closed" in closed["msg"]
    open_queue(volcano_api, "q-late")
    assert not run("queue", backend="volcano", name="q-late", timeout=60)["changed"]


def test_what_is_refused_before_anything_is_written(volcano_api: ApiServer, run: Run, namespace: str) -> None:
    volcano_queue(volcano_api, "q-full", weight=1)
    group = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "spec": {"minMember": 1, "queue": "q-full"},
    }
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": "bert", "uid": "1"}
    metadata = {"name": "tfjob-bert", "namespace": namespace, "ownerReferences": [owner]}
    volcano_api.create({**group, "metadata": metadata}, f"{VOLCANO}/namespaces/{namespace}/podgroups")
    with volcano_api.quiet():
        refused = run("queue", backend="volcano", state="absent", queues=[{"name": "q-full"}, {"name": "default"}])
        assert "2 problems, nothing was changed" in refused["msg"]
        assert f"name = q-full: gangs are in it: TFJob {namespace}/bert" in refused["msg"]
        assert "name = default: is the scheduler's own" in refused["msg"]
        orphan = run("queue", backend="volcano", queues=[{"name": "q-x"}, {"name": "q-y", "parent": "nobody"}])
        assert "queue q-y: parent = nobody: there is no such queue" in orphan["msg"]
    volcano_api.client.call("DELETE", f"{VOLCANO}/namespaces/{namespace}/podgroups/tfjob-bert")
    assert run("queue", backend="volcano", state="absent", name="q-full")["changed"]


def test_kube_batch(api: ApiServer, run: Run) -> None:
    """Its queues have no state: they are usable when they are there."""
    apply_crds(api, kube_batch_crds())
    options = {"backend": "kube_batch", "queues": [{"name": "team-a"}, {"name": "team-b", "weight": 3}]}
    assert outcome(run("queue", timeout=20, **options)) == [("team-a", "created"), ("team-b", "created")]
    assert api.client.call("GET", f"{KUBE_BATCH}/queues/team-b")["spec"] == {"weight": 3}
    with api.quiet():
        assert not run("queue", timeout=20, **options)["changed"]
    assert run("queue", state="absent", **options)["changed"]


@pytest.mark.parametrize("backend", ["volcano", "kube_batch"])
def test_a_cluster_without_the_scheduler(without_gangs: ApiServer, run: Run, backend: str) -> None:
    options = {"kubeconfig": str(without_gangs.kubeconfig), "backend": backend, "name": "a"}
    with without_gangs.quiet():
        refused = run("queue", **options)
        assert f"backend = {backend}: the API server does not serve Queue" in refused["msg"]
        assert f"mlstack_gang_scheduler={backend}" in refused["msg"]
        assert run("queue", check=True, **options)["queues"][0]["result"] == "created"
        assert run("queue", state="absent", **options)["queues"] == [{"name": "a", "result": "absent"}]
