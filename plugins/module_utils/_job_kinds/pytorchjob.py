# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a PyTorchJob. Pure: no request is made, all problems are returned at once."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .._common.problem import Problem
from .._job_model.job import Job
from .._job_model.names import check_names
from .._job_model.replicas import check_single, given_replicas
from .._kube.cluster import NEWEST, Cluster
from .._kube.resource import Manifest
from .._pods.template import given
from .operator_job import OperatorJob, operator_job_parts, operator_options, without_effect
from .pytorchjob_autoscale import Path, keep_scaled, without_request
from .pytorchjob_elastic import bounds, check_elastic, elastic_options, elastic_policy, metrics_of

Options = Mapping[str, Any]

_PROCESSES = re.compile(r"auto|cpu|gpu|[1-9][0-9]{0,8}")
# What the operator tells each process, by what the job has.
_OF_MASTER = (
    "MASTER_ADDR",
    "MASTER_PORT",
    "WORLD_SIZE",
    "RANK",
    "PET_MASTER_ADDR",
    "PET_MASTER_PORT",
    "PET_NODE_RANK",
)
_ELASTIC, _METRICS = "elasticPolicy", "metrics"
_OF_ELASTIC = ("PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT")


def processes_options() -> Dict[str, Any]:
    """Return the argument spec of option `nproc_per_node`. A number arrives as its text."""
    return {"nproc_per_node": {"type": "str"}}


class PyTorchJob(OperatorJob):
    """A PyTorch job of the training operator."""

    name = "pytorchjob"
    title = kind = "PyTorchJob"
    replica_specs = "pytorchReplicaSpecs"
    container = "pytorch"
    types = leaders = ("Master", "Worker")
    fixed = ("nprocPerNode", _ELASTIC)
    all_workers = True

    def job_options(self) -> Dict[str, Any]:
        """Return the argument spec of one job, without what all kinds share."""
        return operator_options(self, {**processes_options(), **elastic_options()})

    def render(self, options: Options, cluster: Cluster = NEWEST) -> Tuple[Optional[Job], List[Problem]]:
        """Return the PyTorchJob that the options describe, or what is wrong with them."""
        elastic = options.get("elastic")
        replicas, problems = given_replicas(options, self)
        counts = {kind: int(replica.get("replicas", 1)) for kind, replica in replicas.items()}
        problems += check_single(counts, "Master") + _check_processes(options)
        if elastic is not None:
            problems += check_elastic(elastic, counts.get("Worker"))
        problems += check_names(self, options["name"], options["namespace"], _most(counts, elastic))
        common, found = operator_job_parts(self, _with_least(options, counts), replicas, cluster)
        problems += found
        if problems:
            return None, problems
        more = given(
            nprocPerNode=options.get("nproc_per_node") or str((elastic or {}).get("nproc_per_node") or ""),
            elasticPolicy=None if elastic is None else elastic_policy(elastic, counts["Worker"]),
        )
        return common.job(more, _notes(options, common.specs)), []

    def scaled(self, root: Manifest) -> List[Path]:
        """Return the numbers that an autoscaler decides once the job exists: with metrics how many workers it has."""
        elastic = (root.get("spec") or {}).get(_ELASTIC) or {}
        return [("spec", self.replica_specs, "Worker", "replicas")] if elastic.get(_METRICS) else []

    def root_to_apply(self, job: Job, live: Optional[Manifest], manager: str) -> Manifest:
        """Return the root with the numbers that its autoscaler has decided."""
        return keep_scaled(job.root, self.scaled(job.root), live, manager)

    def takes_change(self, path: str, old: Manifest, new: Manifest) -> bool:
        """Return True if a change is what elastic jobs are made for: more or fewer workers, and by which metrics."""
        policy = new.get(_ELASTIC)
        if not (old.get(_ELASTIC) and policy):
            return False
        if path == f"spec.{self.replica_specs}.Worker.replicas":
            return True
        # Without metrics the operator lets its autoscaler live on, with those of before.
        return path.startswith(f"spec.{_ELASTIC}.{_METRICS}") and bool(policy.get(_METRICS))


PYTORCHJOB = PyTorchJob()


def _check_processes(options: Options) -> List[Problem]:
    processes, old = options.get("nproc_per_node"), (options.get("elastic") or {}).get("nproc_per_node")
    if processes is None:
        return []
    if not _PROCESSES.fullmatch(processes):
        rule = "must be auto, cpu, gpu or a number of processes, at least 1"
        return [Problem("nproc_per_node", processes, rule, 'Write for example "8"')]
    if old is not None:
        rule = "must not be given beside nproc_per_node, which means the same"
        return [Problem("elastic.nproc_per_node", str(old), rule, "Drop it")]
    return []


def _most(counts: Mapping[str, int], elastic: Optional[Options]) -> Dict[str, int]:
    """Return the replicas that the job may have at any time."""
    if elastic is None or "Worker" not in counts:
        return dict(counts)
    return {**counts, "Worker": max(counts["Worker"], bounds(elastic, counts["Worker"])[1])}


def _with_least(options: Options, counts: Mapping[str, int]) -> Options:
    """Return the options with the gang's minimum: of an elastic job the pods without which it would not run."""
    gang, elastic = options.get("gang"), options.get("elastic")
    if gang is None or elastic is None or gang.get("min_available") is not None or "Worker" not in counts:
        return options
    least = sum(counts.values()) - counts["Worker"] + bounds(elastic, counts["Worker"])[0]
    return {**options, "gang": {**gang, "min_available": least}}


def _notes(options: Options, specs: Mapping[str, Any]) -> List[str]:
    """Return what does not stop a job and still is not what its options seem to say."""
    elastic = options.get("elastic")
    told = ["PET_NNODES", *(_OF_MASTER if "Master" in specs else ()), *(_OF_ELASTIC if elastic is not None else ())]
    notes = without_effect(PYTORCHJOB, specs, told)
    notes += [
        f"replicas.{kind}: 0 replicas, the type is left out"
        for kind in PYTORCHJOB.types
        if kind not in specs and ((options.get("replicas") or {}).get(kind) or {}).get("replicas") == 0
    ]
    if elastic is None:
        if "Master" not in specs and specs["Worker"]["replicas"] > 1:
            notes.append(
                "without a Master or elastic the workers are told neither RANK nor MASTER_ADDR; each of them trains"
                " alone unless the program finds the others by itself"
            )
        return notes
    if "Master" in specs:
        notes.append(
            "the Master takes part in the rendezvous, too, but min_replicas and max_replicas count only workers: with"
            " all of them one too many waits for a place; elastic jobs need no Master"
        )
    if specs["Worker"]["restartPolicy"] == "Never":
        notes.append(
            "restart_policy Never ends the job with the first worker that fails; OnFailure lets the others go on until"
            " it is back"
        )
    return notes + without_request(metrics_of(elastic), specs["Worker"]["template"]["spec"])
