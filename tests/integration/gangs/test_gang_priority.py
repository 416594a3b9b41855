# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs that wait for the same GPUs get them in the order of their priority, whoever came first."""

from __future__ import annotations

import time
from typing import Any

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object
from tests.support.gang_contest import until
from tests.support.placements import Placements

NAMESPACE = "gang-priority"
GROUP = "scheduling.k8s.io/v1"
# In the order in which they come; the first one is there already.
PRIORITIES = {"holder": 400, "low": 100, "middle": 200, "high": 300}


def job(name: str, **worker: Any) -> dict[str, Any]:
    """Return the options of a gang of three pods with the priority of its name."""
    replicas = {"Worker": {"replicas": 3, **worker}}
    return {"kind": "tfjob", "name": name, "priority_class": f"waits-{name}", "replicas": replicas, "gang": {}}


def test_waiting_gangs_run_in_the_order_of_their_priority(
    cluster: ApiServer, nodes: list[str], run_on_cluster: Run
) -> None:
    cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    for name, value in PRIORITIES.items():
        # It only waits in front of others: it takes nothing from who runs.
        manifest = {"apiVersion": GROUP, "kind": "PriorityClass", "metadata": {"name": f"waits-{name}"}}
        cluster.create({**manifest, "value": value, "preemptionPolicy": "Never"}, f"/apis/{GROUP}/priorityclasses")
    defaults = {"namespace": NAMESPACE, "image": "t:1", "gpus": 1}
    waiting = [name for name in PRIORITIES if name != "holder"]

    def looked_at() -> bool:
        groups = cluster.client.call("GET", f"/apis/scheduling.k8s.io/v1beta1/namespaces/{NAMESPACE}/podgroups")
        conditions = [item.get("status", {}).get("conditions") or [] for item in groups["items"]]
        return len([each for each in conditions if any(one["reason"] == "Unschedulable" for one in each)]) == 3

    with Placements(cluster.kubeconfig, NAMESPACE) as seen:
        assert run_on_cluster("jobs", jobs=[job("holder")], defaults=defaults)["changed"]
        until(lambda: seen.holding("holder") == 3, "the first gang runs")
        others = [job(name, **exits(0, "2s")) for name in waiting]
        assert run_on_cluster("jobs", jobs=others, defaults=defaults)["changed"]
        until(looked_at, "the scheduler has found no room for any of the others")
        # Whom it has turned away it looks at again only after a while, which has to be over for all of them.
        time.sleep(3)
        assert [seen.most(name) for name in waiting] == [0, 0, 0]
        run_on_cluster("tfjob", name="holder", namespace=NAMESPACE, state="absent")
        until(lambda: all(seen.placed(name) == 3 for name in waiting), "all of them ran")
        assert sorted(waiting, key=seen.started) == ["high", "middle", "low"]
        assert max(seen.partly(name, 3) for name in waiting) < 5
    run_on_cluster(
        "jobs", jobs=[{"kind": "tfjob", "name": name} for name in waiting], defaults=defaults, state="absent"
    )
