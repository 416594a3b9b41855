# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a training job that comes as a native object. Pure.

The API server takes some of it without a word and the job misbehaves later, or says less than it could.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import KINDS, JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._pod_checks import check_template
from ansible_collections.trainyard.mlstack.plugins.module_utils._pod_resources import normal
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest

# Older versions and other operators have these directly under spec.
_RUN_POLICY = (
    "activeDeadlineSeconds",
    "backoffLimit",
    "cleanPodPolicy",
    "managedBy",
    "schedulingPolicy",
    "suspend",
    "ttlSecondsAfterFinished",
)


def check_job(manifest: Manifest) -> List[Problem]:
    """Return what is wrong with a job of the training operator; nothing for any other object."""
    kind = KINDS.get((str(manifest.get("apiVersion")), str(manifest.get("kind"))))
    spec = manifest.get("spec")
    if kind is None or not isinstance(spec, Mapping):
        return []
    title = f"{kind.kind} {(manifest.get('metadata') or {}).get('name')}"
    problems = [
        Problem(f"{title}: spec.{key}", str(spec[key]), "stands in the wrong place", f"Move it to spec.runPolicy.{key}")
        for key in _RUN_POLICY
        if key in spec
    ]
    replicas = spec.get(kind.replica_specs)
    for name, replica in replicas.items() if isinstance(replicas, Mapping) else ():
        if isinstance(replica, Mapping) and isinstance(replica.get("template", {}), dict):
            problems += _check_replica(
                kind, replica.get("template", {}), f"{title}: spec.{kind.replica_specs}.{name}.template"
            )
    return problems


def _check_replica(kind: JobKind, template: Dict[str, Any], field: str) -> List[Problem]:
    problems = check_template(template, field, kind.container)
    if problems:
        return problems
    for container in (template.get("spec") or {}).get("containers") or []:
        _resources, found = normal(
            container.get("resources") or {}, f"{field}: container {container.get('name')}.resources"
        )
        problems += found
    return problems
