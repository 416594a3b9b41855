# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all jobs of the training operator have in common: metadata, run policy, replica types, a gang. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from .._common.problem import Problem
from .._gangs.gang import apply_gang, gang_options
from .._gangs.notes import gang_notes
from .._job_model.job import Job, Path
from .._job_model.kind import JobKind
from .._job_model.metadata import job_metadata
from .._job_model.replicas import replica_options
from .._job_model.run_policy import run_policy, run_policy_options
from .._kube.resource import Manifest
from .._pods.template import build, merged, pod_options

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Frame:
    """A job, but for what only its kind has. specs: its replica types. parts: its other objects. notes: as in `Job`."""

    kind: JobKind
    metadata: Manifest
    policy: Manifest
    specs: Mapping[str, Mapping[str, Any]]
    parts: Sequence[Manifest]
    notes: Sequence[str]

    def job(self, fields: Options, notes: Sequence[str], scaled: Sequence[Path] = ()) -> Job:
        """Return the job. fields: what its spec has besides. notes, scaled: as a `Job` has them, of this kind."""
        kind, name, namespace = self.kind, self.metadata["name"], self.metadata["namespace"]
        spec = {"runPolicy": self.policy, **fields, kind.replica_specs: self.specs}
        root = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": self.metadata, "spec": spec}
        return Job(kind, name, namespace, root, self.parts, [*self.notes, *notes], scaled)


def without_effect(kind: JobKind, specs: Mapping[str, Any], names: Sequence[str]) -> List[str]:
    """Return a note when templates give environment variables that the operator sets after them, in every pod.

    names: what it sets. Of two values of one name the last counts.
    """
    found: List[str] = []
    for spec in specs.values():
        containers = spec["template"]["spec"]["containers"]
        main = next(each for each in containers if each["name"] == kind.container)
        found += [each["name"] for each in main.get("env") or () if each["name"] in names]
    if not found:
        return []
    given_names = ", ".join(dict.fromkeys(found))
    return [f"env {given_names} has no effect: the operator sets it for each replica, after what is given"]


def operator_options(kind: JobKind, own: Options) -> Dict[str, Any]:
    """Return the argument spec of one job, but for what all kinds share. own: options that only this kind has."""
    return {"replicas": replica_options(kind), **own, **pod_options(), **run_policy_options(), **gang_options()}


def frame(kind: JobKind, options: Options, replicas: Mapping[str, Options]) -> Tuple[Frame, List[Problem]]:
    """Return what the options say that all kinds have, and what is wrong with it.

    replicas: the types that have any replica, as `given_replicas` returns them.
    """
    policy, problems = run_policy(options)
    specs: Dict[str, Any] = {}
    for name, replica in replicas.items():
        pod = merged(options, replica)
        template, found = build(pod, f"replicas.{name}", kind.container, kind.pod_labels(options["name"]))
        problems += found
        restart = pod.get("restart_policy") or "Never"
        # The number is always written: the webhook refuses a PyTorchJob's Master without it.
        specs[name] = {"replicas": int(replica.get("replicas", 1)), "restartPolicy": restart, "template": template}
    specs, group, found = apply_gang(options, kind, options["name"], options["namespace"], specs)
    metadata, wrong = job_metadata(options)
    parts, notes = ([group], gang_notes(options, specs)) if group else ([], [])
    return Frame(kind, metadata, policy, specs, parts, notes), [*problems, *found, *wrong]
