# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tfjob with operator, scheduler and KWOK nodes with GPUs: where pods come to lie, and why they do not."""

from __future__ import annotations

import time
from typing import Any

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object, results

NAMESPACE = "on-nodes"


def test_gpus_spread_and_pending(cluster: ApiServer, run: Run, nodes: list[str]) -> None:
    here = {"kubeconfig": str(cluster.kubeconfig)}
    wanted = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in nodes]
    assert results(run("objects", state="ready", objects=wanted, timeout=60, **here)) == ["ready", "ready"]
    run("objects", objects=[namespace_object(NAMESPACE)], **here)
    job = {"namespace": NAMESPACE, "image": "t:1", "gpus": 1, **here}

    def follow(name: str, workers: int, running: int) -> dict[str, Any]:
        """Return the job's state once that many of its pods run and the others were looked at by the scheduler."""
        end = time.monotonic() + 60
        while True:
            result = run("tfjob", name=name, replicas={"Worker": {"replicas": workers}}, spread=True, **job)
            states = [replica["state"] for replica in result["replicas"]]
            looked_at = all(replica["node"] or "Insufficient" in replica["reason"] for replica in result["replicas"])
            if len(states) == workers and states.count("running") == running and looked_at:
                return result
            assert time.monotonic() < end, result
            time.sleep(0.3)

    fits = follow("fits", workers=2, running=2)
    assert sorted(replica["node"] for replica in fits["replicas"]) == nodes
    assert (fits["changed"], fits["state"], fits["message"]) == (False, "running", "")

    waits = follow("waits", workers=3, running=2)
    assert waits["state"] == "running"
    assert "Insufficient nvidia.com/gpu" in waits["message"]

    for name in ("fits", "waits"):
        assert run("tfjob", name=name, namespace=NAMESPACE, state="absent", **here)["changed"]
