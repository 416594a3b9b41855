"""Measure what jobs cost to submit, beside kubernetes.core.k8s with the same objects, in one run against one server.

A real API server with the operator's CRD, nothing else: the operator would take the machine for its pods. 100 TFJobs by
one task and again, by k8s with the same list and again, 10 of them in a loop (10 times that is its figure), then 1,000.
Writes results/jobs-<date>.json and the table in README.md. The bundle must be there (make bundle).
"""

from __future__ import annotations

import datetime
import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from playbook_run import HERE, ROOT, commit, machine, playbook
from readme import record

sys.path[:0] = [str(ROOT), str(ROOT / ".ansible/collections")]

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import (
    RequestedJob,
    job_type,
    rendered,
    validated,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.integration.conftest import operator_manifest
from tests.integration.support.api_server import ApiServer

HEAD = ["date", "commit", "cores, load", "run", "ours 100, s", "k8s list 100, s", "ratio", "k8s loop 100, s", "ratio"]
HEAD += ["ours 1000, s", "to 100", "peak, MB"]
LOOP = 10
TIMES = ("first", "again")
JOBS_PLAYBOOK = str(HERE / "jobs/jobs.yml")


def job(number: int, namespace: str) -> dict[str, Any]:
    """Return the options of a job as people have them."""
    return {
        "name": f"job-{number}",
        "namespace": namespace,
        "image": "registry.example.org/train:2",
        "command": ["python", "/train.py", f"--seed={number}"],
        "env": {"EPOCHS": 10, "POD_NAME": {"fieldRef": {"fieldPath": "metadata.name"}}},
        "resources": {"requests": {"cpu": 2, "memory": "8Gi"}, "limits": {"memory": "8Gi"}},
        "shared_volumes": [{"claim": "data", "mount_path": "/data"}],
        "shm_size": "1Gi",
        "replicas": {"Chief": {"gpus": 1}, "PS": {"replicas": 2}, "Worker": {"replicas": 4, "gpus": 1}},
    }


def manifest(options: dict[str, Any]) -> dict[str, Any]:
    """Return what ours sends for these options: the same object for k8s."""
    of_kind = job_type(TFJOB)
    result, problems = rendered(RequestedJob(of_kind, "", validated(of_kind.job_spec(), options, "", "")[0]))
    if result.job is None:
        sys.exit(f"the benchmark's own job is refused: {problems}")
    return result.job.root


def write_lists(server: ApiServer, folder: Path) -> None:
    """Write each play's list of jobs; each has a namespace of its own, so that all make the same objects."""
    counts = {"warm": 1, "100": 100, "loop": LOOP, "1000": 1000}
    for name in ("ours-warm", "k8s-warm", "ours-100", "k8s-100", "k8s-loop", "ours-1000"):
        whose, _dash, count = name.partition("-")
        jobs = [job(number, name) for number in range(counts[count])]
        listed = jobs if whose == "ours" else [manifest(options) for options in jobs]
        (folder / f"{name}.json").write_text(json.dumps({"jobs": listed}), encoding="utf-8")
        server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, "/api/v1/namespaces")


def measure() -> dict[str, Any]:
    """Return all figures of one run."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = ApiServer(folder)
        try:
            store = Store(server.client)
            crd = [item for item in operator_manifest() if item["metadata"]["name"] == "tfjobs.kubeflow.org"]
            Applier(store, store.items(crd, ""), Deadline(120), lambda _text: None, check_mode=False).run()
            write_lists(server, folder)
            write_interpreter(folder / "python")
            peaks = folder / "peaks"
            environment = {"PEAK_FILE": str(peaks), "ANSIBLE_LOCALHOST_WARNING": "false"}
            where = ["-e", f"folder={folder}"]
            # Every way is asked once for nothing, so that all find their files in memory.
            run = playbook(JOBS_PLAYBOOK, *where, inventory=Path("localhost,"), environment=environment)
            # The last two tasks had 1,000 jobs.
            peak = max(int(line) for line in peaks.read_text(encoding="utf-8").split()[-2:])
        finally:
            server.stop()
    seconds = {task["task"].lower(): task["seconds"] for task in run["tasks"]}
    for when in TIMES:
        seconds[f"k8s loop {when}"] *= 100 / LOOP
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "machine": machine(load),
        "seconds": seconds,
        "peak_mb": round(peak / 1024),
    }


def write_interpreter(path: Path) -> None:
    """Write an interpreter that notes the peak memory of what it runs."""
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "jobs/python_with_peak.py"} "$@"\n', encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def rows(result: dict[str, Any]) -> list[list[Any]]:
    """Return one line for the first time and one for the second."""
    seconds, loads = result["seconds"], f"{result['machine']['cores']}, {result['machine']['load_before']}"
    lines = []
    for when in TIMES:
        ours, listed, looped, many = (
            seconds[f"{way} {when}"] for way in ("ours 100", "k8s 100", "k8s loop", "ours 1000")
        )
        line = [result["date"], result["commit"], loads, when, ours, listed, round(ours / listed, 2)]
        line += [round(looped, 1), f"1/{looped / ours:.0f}", many, round(many / ours, 1), result["peak_mb"]]
        lines.append(line)
    return lines


if __name__ == "__main__":
    print(record("jobs", measure(), HEAD, rows))
