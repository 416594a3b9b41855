# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a TFJob. Pure: no request is made, all problems are returned at once."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from .._common.problem import Problem
from .._job_model.job import Job
from .._job_model.names import check_names
from .._job_model.replicas import check_single, given_replicas
from .._job_model.run_policy import clean_pod_policy
from .._kube.cluster import NEWEST, Cluster
from .._pods.template import given
from .operator_job import OperatorJob, operator_job_parts, operator_options, without_effect

# The end of one of these is the job's end; the two names mean the same.
_LEADING = ("Chief", "Master")
# Without one of these a job has no end.
_ENDING = (*_LEADING, "Worker")


class TFJob(OperatorJob):
    """A TensorFlow job of the training operator."""

    name = "tfjob"
    title = kind = "TFJob"
    replica_specs = "tfReplicaSpecs"
    container = "tensorflow"
    types = ("Chief", "Master", "PS", "Worker", "Evaluator")
    leaders = ("Chief", "Master", "Worker")

    def job_options(self) -> Dict[str, Any]:
        """Return the argument spec of one job, without what all kinds share."""
        success = {"type": "str", "choices": ["default", "AllWorkers"], "default": "default"}
        return operator_options(self, {"success_policy": success})

    def render(self, options: Mapping[str, Any], cluster: Cluster = NEWEST) -> Tuple[Optional[Job], List[Problem]]:
        """Return the TFJob that the options describe, or what is wrong with them."""
        replicas, problems = given_replicas(options, self)
        counts = {kind: int(replica.get("replicas", 1)) for kind, replica in replicas.items()}
        problems += check_names(self, options["name"], options["namespace"], counts) + _check_types(counts)
        common, found = operator_job_parts(self, options, replicas, cluster)
        problems += found
        if problems:
            return None, problems
        success = given(successPolicy="AllWorkers" if options.get("success_policy") == "AllWorkers" else None)
        return common.job(success, _notes(options, common.specs)), []


TFJOB = TFJob()


def _check_types(counts: Mapping[str, int]) -> List[Problem]:
    problems = check_single(counts, *_LEADING)
    leading = [kind for kind in _LEADING if kind in counts]
    if len(leading) > 1:
        problems.append(
            Problem("replicas", " and ".join(leading), "a job has only one of them", "Drop one: they mean the same")
        )
    if counts and not any(kind in counts for kind in _ENDING):
        rule = "a job ends with its Chief or its workers, and has neither: it would run for ever"
        problems.append(Problem("replicas", ", ".join(counts), rule, "Add a Chief or Workers"))
    return problems


def _notes(options: Mapping[str, Any], specs: Mapping[str, Any]) -> List[str]:
    """Return what does not stop a job and still is not what its options seem to say."""
    # A replica that is alone is told nothing by the operator.
    alone = sum(spec["replicas"] for spec in specs.values()) == 1
    notes = [] if alone else without_effect(TFJOB, specs, ("TF_CONFIG",))
    leader = next((kind for kind in _ENDING if kind in specs), "")
    if options.get("success_policy") == "AllWorkers" and leader in _LEADING:
        notes.append(f"success_policy AllWorkers has no effect beside a {leader}, whose end is the job's end")
    if specs.get(leader, {}).get("restartPolicy") == "Always":
        notes.append(
            f"restart_policy Always starts the {leader} again after success, too: the job does not end by itself"
        )
    if "Evaluator" in specs and not options.get("clean_pod_policy") and clean_pod_policy(options) != "None":
        notes.append(
            "the Evaluator is removed when the job ends, in the middle of an evaluation, too;"
            " clean_pod_policy None lets it run on, clean_pod_policy Running says that this is meant"
        )
    return notes
