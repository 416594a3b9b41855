# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many gangs of all kinds and sizes, submitted by one task, whose pods end after random times.

No gang holds GPUs without what it needs to go on, and all jobs end. TRAINYARD_SEED repeats a mix.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.integration.conftest import ROOM_GPUS, ROOM_TOLERATED, Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object
from tests.support.placements import Placements
from tests.support.seed import SEED, TOLD

# What a job of a kind looks like, beside its workers.
KINDS: dict[str, list[str]] = {"tfjob": ["Chief"], "pytorchjob": ["Master"], "ps_job": ["PS"]}
# A gang that is placed in part for longer than this is stuck.
PARTLY_S = 5


def job(draw: random.Random, number: int, gpus: int) -> dict[str, Any]:
    """Return the options of one job; it fits into so many GPUs."""
    kind = draw.choice(sorted(KINDS))
    # Powers of two leave no holes in a node, so that a gang that fits into all GPUs fits onto the nodes.
    each = draw.choice((1, 1, 2, 4))
    workers = draw.randint(1, min(8, gpus // each - 1))
    plays = [exits(0, f"{draw.randint(300, 3000)}ms") for _type in range(2)]
    replicas = {KINDS[kind][0]: {**plays[0]}, "Worker": {"replicas": workers, **plays[1]}}
    more = {"success_policy": "AllWorkers"} if kind == "tfjob" and draw.random() < 0.3 else {}
    return {"kind": kind, "name": f"mix-{number}", "gpus": each, "replicas": replicas, "gang": {}, **more}


def least(options: dict[str, Any]) -> int:
    """Return how many pods of a job start together: all of them."""
    return int(options["replicas"]["Worker"]["replicas"]) + 1


def hold_mix(cluster: ApiServer, run: Run, namespace: str, backend: str, jobs: list[dict[str, Any]]) -> None:
    """Run all jobs to their ends; fail when one does not end well, or held a part of what it needs."""
    print(f"\n{TOLD}")
    cluster.create(namespace_object(namespace), "/api/v1/namespaces")
    defaults = {
        "namespace": namespace,
        "image": "t:1",
        "command": ["train"],
        "tolerations": ROOM_TOLERATED,
    }
    for each in jobs:
        each["gang"]["backend"] = backend
    with Placements(cluster.kubeconfig, namespace) as seen:
        done = run("jobs", jobs=jobs, defaults=defaults, wait=True, timeout=900)
        assert {each["end"] for each in done["jobs"]} == {"succeeded"}, (TOLD, done["msg"])
        partly = {each["name"]: seen.partly(each["name"], least(each)) for each in jobs}
    assert {name: told for name, told in partly.items() if told > PARTLY_S} == {}, TOLD
    # Each one was seen: a watch that sees nothing finds nothing wrong.
    assert all(seen.placed(each["name"]) >= least(each) for each in jobs), TOLD


@pytest.mark.parametrize("room", [4], indirect=True)
def test_twenty_gangs(cluster: ApiServer, run_on_cluster: Run, room: list[str], gang_backend: str) -> None:
    draw, gpus = random.Random(SEED), len(room) * ROOM_GPUS
    jobs = [job(draw, number, gpus) for number in range(20)]
    hold_mix(cluster, run_on_cluster, f"mix-20-{gang_backend}", gang_backend, jobs)


@pytest.mark.long
@pytest.mark.parametrize("room", [40], indirect=True)
def test_two_hundred_gangs(cluster: ApiServer, run_on_cluster: Run, room: list[str], gang_backend: str) -> None:
    draw, gpus = random.Random(SEED), len(room) * ROOM_GPUS
    jobs = [job(draw, number, gpus) for number in range(200)]
    hold_mix(cluster, run_on_cluster, f"mix-200-{gang_backend}", gang_backend, jobs)
