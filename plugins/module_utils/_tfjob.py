# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to a TFJob. Pure: no request is made, all problems are returned at once."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._pod_template import build, given, merged, texts
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem

_JOB_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
# The operator gives each pod a Service of the same name.
_LONGEST_NAME = 63
_LEADING = ("Chief", "Master")


def render(options: Mapping[str, Any]) -> Tuple[Optional[Job], List[Problem]]:
    """Return the TFJob that the module's options describe, or what is wrong with them."""
    replicas, problems = _replicas(options)
    counts = {kind: int(replica.get("replicas", 1)) for kind, replica in replicas.items()}
    problems += _check_name(options["name"], options["namespace"], counts) + _check_policies(options, counts)
    specs: Dict[str, Any] = {}
    for kind, replica in replicas.items():
        pod = merged(options, replica)
        template, found = build(pod, f"replicas.{kind}", TFJOB.container, TFJOB.pod_labels(options["name"]))
        problems += found
        policy = pod.get("restart_policy") or "Never"
        specs[kind] = {"replicas": counts[kind], "restartPolicy": policy, "template": template}
    metadata = given(
        name=options["name"],
        namespace=options["namespace"],
        labels=texts(options.get("labels")),
        annotations=texts(options.get("annotations")),
    )
    policy = given(successPolicy="AllWorkers" if options.get("success_policy") == "AllWorkers" else None)
    spec = {"runPolicy": _run_policy(options), **policy, TFJOB.replica_specs: specs}
    root = {"apiVersion": TFJOB.api_version, "kind": TFJOB.kind, "metadata": metadata, "spec": spec}
    return (None if problems else Job(TFJOB, options["name"], options["namespace"], root)), problems


def _replicas(options: Mapping[str, Any]) -> Tuple[Dict[str, Mapping[str, Any]], List[Problem]]:
    """Return the replica types that have any replica, in their fixed order."""
    wanted, problems = options.get("replicas") or {}, []
    result: Dict[str, Mapping[str, Any]] = {}
    for kind in TFJOB.types:
        if wanted.get(kind) is None:
            continue
        count = wanted[kind].get("replicas", 1)
        if count < 0:
            problems.append(
                Problem(f"replicas.{kind}.replicas", str(count), "must not be below 0", "Give the number of pods")
            )
        elif count > 0:
            result[kind] = wanted[kind]
    if not result and not problems:
        way_out = f"Give at least one of {', '.join(TFJOB.types)}, for example {{Worker: {{replicas: 2}}}}"
        problems.append(Problem("replicas", str(dict(wanted)), "a job needs at least one replica", way_out))
    return result, problems


def _check_name(name: str, namespace: str, counts: Mapping[str, int]) -> List[Problem]:
    problems: List[Problem] = []
    if not _JOB_NAME.fullmatch(name):
        rule = "a job's name is lower-case letters, digits and -, begins with a letter and does not end with -"
        problems.append(Problem("name", name, rule, "Rename the job"))
    if not _NAMESPACE.fullmatch(namespace):
        rule = "a namespace's name is lower-case letters, digits and -, at most 63"
        problems.append(Problem("namespace", namespace, rule, "Name an existing namespace"))
    for kind, count in counts.items():
        pod = f"{name}-{kind.lower()}-{count - 1}"
        if len(pod) > _LONGEST_NAME:
            rule = f"its pod {pod} has a Service of the same name, at most {_LONGEST_NAME} characters"
            problems.append(Problem("name", name, rule, f"Shorten it by {len(pod) - _LONGEST_NAME}"))
            break
    return problems


def _check_policies(options: Mapping[str, Any], counts: Mapping[str, int]) -> List[Problem]:
    problems: List[Problem] = []
    leading = [kind for kind in _LEADING if kind in counts]
    if len(leading) > 1:
        problems.append(
            Problem("replicas", " and ".join(leading), "a job has only one of them", "Drop one: they mean the same")
        )
    problems += [
        Problem(f"replicas.{kind}.replicas", str(counts[kind]), "there is one at most", "Use Worker for the others")
        for kind in leading
        if counts[kind] > 1
    ]
    if options.get("success_policy") == "AllWorkers" and leading:
        rule = f"has no effect beside a {leading[0]}, whose end is the job's end"
        problems.append(Problem("success_policy", "AllWorkers", rule, f"Drop it, or the {leading[0]}"))
    for field, least in (("ttl_seconds_after_finished", 0), ("backoff_limit", 0), ("active_deadline_seconds", 1)):
        value = options.get(field)
        if value is not None and value < least:
            problems.append(Problem(field, str(value), f"must be at least {least}", "Correct it, or leave it out"))
    return problems


def _run_policy(options: Mapping[str, Any]) -> Dict[str, Any]:
    return given(
        # Servers never end by themselves; left alone they would hold their GPUs after the job's end.
        cleanPodPolicy=options.get("clean_pod_policy") or "Running",
        ttlSecondsAfterFinished=options.get("ttl_seconds_after_finished"),
        backoffLimit=options.get("backoff_limit"),
        activeDeadlineSeconds=options.get("active_deadline_seconds"),
        suspend=True if options.get("suspend") else None,
    )
