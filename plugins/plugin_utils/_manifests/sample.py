# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sample brings to the cluster, and what it says at its end. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Mapping, Sequence

from ...module_utils._job_kinds.registry import JOB_KINDS

# By these a later run finds the programs that it no longer needs.
LABELS = {"app.kubernetes.io/managed-by": "trainyard.mlstack", "app.kubernetes.io/component": "sample"}
# Kubernetes refuses larger ones.
MOST_BYTES = 1024 * 1024
SUMMARY_BEGINS = "where the pods ran:"
RESULT = "RESULT "


def program(files: Mapping[str, str], name: str, namespace: str) -> dict[str, Any]:
    """Return an immutable ConfigMap with the files, named after their content.

    So a changed program is another ConfigMap and makes another job, and no pod of a running job ever sees half of each.
    Raises ValueError when the files are larger than a ConfigMap may be.
    """
    size = sum(len(text.encode()) for text in files.values())
    if size > MOST_BYTES:
        raise ValueError(f"the files of {name} are {size} bytes: a ConfigMap holds at most {MOST_BYTES}")
    digest = hashlib.sha256(json.dumps(dict(files), sort_keys=True).encode()).hexdigest()[:10]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": f"{name}-{digest}",
            "namespace": namespace,
            "labels": {**LABELS, "app.kubernetes.io/name": name},
        },
        "immutable": True,
        "data": dict(files),
    }


def names(
    samples: Sequence[str], namespace: str, kinds: Mapping[str, str], files: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Return what samples apply, by name: of each its job, and the ConfigMap of its program.

    kinds: sample -> kind of its job. files: sample -> its files, of the samples whose files are there; of another one
    only the beginning of the ConfigMap's name is known. Raises ValueError as program does.
    """
    found: list[dict[str, Any]] = []
    for sample in samples:
        job = {"name": sample.replace("_", "-"), "namespace": namespace}
        metadata = program(files[sample], **job)["metadata"] if sample in files else job
        found.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        kind = JOB_KINDS[kinds[sample]]
        found.append({"apiVersion": kind.api_version, "kind": kind.kind, "metadata": job})
    return found


def summary(log: str) -> list[str]:
    """Return what a sample's log says for people at its end; empty when it did not come so far."""
    lines = log.splitlines()
    if SUMMARY_BEGINS not in lines:
        # A program that notes nothing of its pods says its result alone.
        results = [line for line in lines if line.startswith(RESULT)]
        return [results[-1][len(RESULT) :]] if results else []
    return lines[len(lines) - 1 - lines[::-1].index(SUMMARY_BEGINS) :]
