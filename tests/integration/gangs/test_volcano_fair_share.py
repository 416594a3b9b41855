# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of Volcano's own programs share a full cluster by their weights; that of kube-batch has a test of its own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.conftest import ROOM_GPUS, ROOM_TOLERATED, Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object
from tests.support.gang_contest import until
from tests.support.placements import Placements

NAMESPACE = "fair-share"
WEIGHTS = {"fair-light": 1, "fair-heavy": 3}
SIZE = 2


@pytest.mark.parametrize("room", [2], indirect=True)
def test_two_full_queues_share_by_their_weights(
    cluster: ApiServer, run_on_cluster: Run, nodes: list[str], room: list[str], volcano_running: None
) -> None:
    run, gpus = run_on_cluster, 2 * len(nodes) + ROOM_GPUS * len(room)
    cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    queues = [{"name": name, "weight": weight} for name, weight in WEIGHTS.items()]
    assert run("queue", backend="volcano", queues=queues)["changed"]
    # Each queue alone has more to run than all GPUs.
    jobs: list[dict[str, Any]] = [
        {"kind": "ps_job", "name": f"{queue}-{number}", "gang": {"backend": "volcano", "queue": queue}}
        for number in range(gpus // SIZE + 1)
        for queue in WEIGHTS
    ]
    defaults = {"namespace": NAMESPACE, "image": "t:1", "command": ["train"], "gpus": 1}
    defaults |= {"replicas": {"Worker": {"replicas": SIZE}}, "tolerations": ROOM_TOLERATED}
    with Placements(cluster.kubeconfig, NAMESPACE) as seen:
        made = run("jobs", jobs=jobs, defaults=defaults)
        assert made["changed"], made

        def held() -> dict[str, int]:
            return {
                queue: sum(seen.holding(job["name"]) for job in jobs if job["gang"]["queue"] == queue)
                for queue in WEIGHTS
            }

        until(lambda: sum(held().values()) == gpus, "all GPUs are taken")
        assert abs(held()["fair-heavy"] / gpus - 0.75) <= 0.1, held()
    run("jobs", jobs=[{key: job[key] for key in ("kind", "name")} for job in jobs], defaults=defaults, state="absent")
    assert run("queue", backend="volcano", queues=queues, state="absent")["changed"]
