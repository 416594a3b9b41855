"""Measure what gangs cost: 500 jobs of 8 pods on 1,000 KWOK nodes of 8 GPUs, beside the same without gangs.

Each way has a server of its own, and each gang stands beside the same without gangs. `raw` are objects made directly,
`our` are TFJobs by one task; all pods are there before the scheduler starts, and nobody else works meanwhile. In the
live ways the scheduler and the operator work while the task still submits. Without the operator's Services our pods
cost the scheduler what raw ones do: it asks each pod by which Services it is to be spread. With the client limits that
Kubernetes has by itself an eighth of the pods is enough. Writes results/gangs-<date>.json and the table in README.md.
The bundle must be there (make bundle).
"""

from __future__ import annotations

import datetime
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playbook_run import HERE, ROOT, commit, machine, playbook
from readme import record

sys.path[:0] = [str(ROOT), str(ROOT / ".ansible/collections")]

from tests.integration.support.gang_scale import JOBS, SIZE, Crowd, await_placed, jobs, limits
from tests.support.placements import Placements

HEAD = ["date", "commit", "cores, load", "way", "pods", "client limits", "submitted in, s", "all placed after, s"]
HEAD += ["pods placed a second", "to the same without gangs", "longest in part, s"]
FEW = JOBS // 8
RAW, OURS, LIVE = "raw pods", "our jobs without gang", "our jobs without gang, live"
# What each way with gangs is held against.
BESIDE = {"raw gangs": RAW, "our gangs": OURS, "our gangs without Services": RAW, "our gangs, live": LIVE}


def submit(folder: Path, gangs: bool) -> float:
    """Submit all jobs by one task; return how long it took."""
    (folder / "jobs.json").write_text(json.dumps({"jobs": jobs(JOBS, gangs)}), encoding="utf-8")
    where = ["-e", f"folder={folder}"]
    environment = {"ANSIBLE_LOCALHOST_WARNING": "false"}
    done = playbook(str(HERE / "gangs/jobs.yml"), *where, inventory=Path("localhost,"), environment=environment)
    return float(next(task["seconds"] for task in done["tasks"] if task["task"] == "Submit"))


def figures(seen: Placements, count: int, begun: float) -> dict[str, Any]:
    """Return what a way cost, once all pods of so many jobs have a node. begun: when the clock started."""
    await_placed(seen, count)
    names = [f"scale-{number}" for number in range(count)]
    first = min(seen.started(name) for name in names)
    last = max(seen.whole(name) for name in names)
    return {
        "pods": count * SIZE,
        "placed_after": round(last - begun, 1),
        "pods_a_second": round((count * SIZE - 1) / (last - first), 1),
        "partly": round(max(seen.partly(name, SIZE) for name in names), 2),
    }


def raw(gangs: bool, count: int = JOBS, arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the figures of objects that are made directly. arguments: of the scheduler, else the role's."""
    with tempfile.TemporaryDirectory() as name, Crowd(Path(name), with_jobs=False) as crowd, crowd.watched() as seen:
        crowd.make_pods(count, gangs)
        begun = time.monotonic()
        crowd.start_scheduler(arguments)
        return figures(seen, count, begun)


def ours(gangs: bool, live: bool = False, services: bool = True) -> dict[str, Any]:
    """Return the figures of jobs by one task. live: the scheduler works while they come. services: are left there."""
    with tempfile.TemporaryDirectory() as name, Crowd(Path(name), with_jobs=True) as crowd, crowd.watched() as seen:
        begun = time.monotonic()
        if live:
            crowd.start_scheduler()
        submitted = submit(Path(name), gangs)
        if not live:
            crowd.await_pods(JOBS * SIZE)
            crowd.rest()
            if not services:
                crowd.drop_services()
            begun = time.monotonic()
            crowd.start_scheduler()
        return {**figures(seen, JOBS, begun), "submitted_in": round(submitted, 1)}


def measure() -> dict[str, Any]:
    """Return all figures of one run."""
    load, ways = os.getloadavg()[0], {}
    for way, figure in {
        RAW: lambda: raw(gangs=False),
        "raw gangs": lambda: raw(gangs=True),
        OURS: lambda: ours(gangs=False),
        "our gangs": lambda: ours(gangs=True),
        "our gangs without Services": lambda: ours(gangs=True, services=False),
        LIVE: lambda: ours(gangs=False, live=True),
        "our gangs, live": lambda: ours(gangs=True, live=True),
        "raw gangs, Kubernetes' own limits": lambda: raw(gangs=True, count=FEW, arguments=()),
    }.items():
        ways[way] = {**figure(), "limits": "50, 100" if "own limits" in way else _shown(limits("scheduler"))}
        print(f"{way}: {ways[way]}", flush=True)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "machine": machine(load),
        "ways": ways,
    }


def _shown(arguments: Sequence[str]) -> str:
    return ", ".join(argument.partition("=")[2] for argument in arguments)


def rows(result: dict[str, Any]) -> list[list[Any]]:
    """Return one line for each way."""
    loads = f"{result['machine']['cores']}, {result['machine']['load_before']}"
    return [
        [
            result["date"],
            result["commit"],
            loads,
            way,
            told["pods"],
            told["limits"],
            told.get("submitted_in", ""),
            told["placed_after"],
            told["pods_a_second"],
            round(told["pods_a_second"] / result["ways"][BESIDE[way]]["pods_a_second"], 2) if way in BESIDE else "",
            told["partly"],
        ]
        for way, told in result["ways"].items()
    ]


if __name__ == "__main__":
    print(record("gangs", measure(), HEAD, rows))
