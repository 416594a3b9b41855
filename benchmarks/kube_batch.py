"""Measure how fast kube-batch places gangs: 50 jobs of 8 pods on 100 KWOK nodes of 4 GPUs, on Kubernetes 1.24.

As gangs, and in the same run with pods that start one by one (min_available: 1). Writes
results/kube_batch-<date>.json and the table in README.md. The bundle must be there (make bundle).
"""

from __future__ import annotations

import datetime
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playbook_run import ROOT, commit, machine
from readme import record

sys.path[:0] = [str(ROOT), str(ROOT / ".ansible/collections")]

from tests.integration.conftest import run_module
from tests.integration.support.gang_scale import SIZE, await_placed
from tests.integration.support.kube_batch_scale import JOBS, crowd, jobs

HEAD = ["date", "commit", "cores, load", "way", "pods", "submitted in, s", "all placed after, s"]
HEAD += ["pods placed a second", "to one by one", "longest in part, s"]
ALONE = "one by one"


def figures(gangs: bool) -> dict[str, Any]:
    """Return what it took from the submission until all pods had a node."""
    with tempfile.TemporaryDirectory() as name, crowd(Path(name)) as (kube_batch, seen):
        begun = time.monotonic()
        made = run_module(kube_batch.server, "ps_job", jobs=jobs(gangs), diff=False)
        assert made.get("changed"), made
        submitted = time.monotonic() - begun
        await_placed(seen, JOBS)
        names = [f"scale-{number}" for number in range(JOBS)]
        first, last = min(map(seen.started, names)), max(map(seen.whole, names))
        return {
            "pods": JOBS * SIZE,
            "submitted_in": round(submitted, 1),
            "placed_after": round(last - begun, 1),
            "pods_a_second": round((JOBS * SIZE - 1) / (last - first), 1),
            "partly": round(max(seen.partly(name, SIZE) for name in names), 1),
        }


def measure() -> dict[str, Any]:
    """Return all figures of one run."""
    load, ways = os.getloadavg()[0], {}
    for way, gangs in {ALONE: False, "gangs": True}.items():
        ways[way] = figures(gangs)
        print(f"{way}: {ways[way]}", flush=True)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "machine": machine(load),
        "ways": ways,
    }


def rows(result: dict[str, Any]) -> list[list[Any]]:
    """Return one line for each way."""
    loads = f"{result['machine']['cores']}, {result['machine']['load_before']}"
    alone = result["ways"][ALONE]["pods_a_second"]
    return [
        [
            result["date"],
            result["commit"],
            loads,
            way,
            told["pods"],
            told["submitted_in"],
            told["placed_after"],
            told["pods_a_second"],
            round(told["pods_a_second"] / alone, 2),
            told["partly"],
        ]
        for way, told in result["ways"].items()
    ]


if __name__ == "__main__":
    print(record("kube_batch", measure(), HEAD, rows))
