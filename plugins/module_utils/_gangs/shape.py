# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs with native gangs, in the shape that a cluster's version of Kubernetes knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, List, Mapping, Optional, Sequence

from .._job_model.job import Job
from .._kube.resource import Manifest
from .._kube.store import Store, served
from .backend import Backend, Group
from .backend_native import NATIVE, SHAPES
from .gang import backend_of, least_of, standing


def native_shape(store: Store) -> Backend:
    """Return the shape of native gangs that a cluster serves; without any, the newest one. Raises ApiError."""
    return next((shape for shape in SHAPES if served(store, *shape.identity)), NATIVE)


def shape_of(store: Store, backend: Backend) -> Backend:
    """Return a backend as a cluster has it. Raises ApiError."""
    return native_shape(store) if backend is NATIVE else backend


def fitted(store: Store, jobs: Sequence[Optional[Job]]) -> List[Optional[Job]]:
    """Return jobs as a cluster wants them, native gangs in its own shape. Raises ApiError."""
    if not any(_is_native(part) for job in jobs if job for part in job.parts):
        return list(jobs)
    shape = native_shape(store)
    return [reshaped(job, shape) if job else None for job in jobs]


def reshaped(job: Job, shape: Backend) -> Job:
    """Return a job with its native gang, if it has one, in another shape. Pure."""
    if shape is NATIVE or not any(_is_native(part) for part in job.parts):
        return job
    parts = [_group(part, shape) if _is_native(part) else _marked(part, shape) for part in job.parts]
    notes = list(job.notes)
    if "priority_class" not in shape.extras and any(
        (part.get("spec") or {}).get("priorityClassName") for part in job.parts
    ):
        notes.append(f"{shape.title} does not know the priority of a gang: only its pods have one")
    return replace(job, root=_marked(job.root, shape), parts=parts, notes=notes)


def _is_native(part: Manifest) -> bool:
    return backend_of(part) is NATIVE


def _group(part: Manifest, shape: Backend) -> Manifest:
    spec = shape.spec(Group(least_of([part]) or 0))
    return {**part, "apiVersion": shape.api_version, "kind": shape.kind, "spec": spec}


def _marked(tree: Any, shape: Backend) -> Any:
    """Return a tree with the mark of each pod template in it in another shape."""
    if isinstance(tree, list):
        return [_marked(item, shape) for item in tree]
    if not isinstance(tree, Mapping):
        return tree
    group = standing(tree, NATIVE.mark)
    copy = {key: _marked(value, shape) for key, value in tree.items()}
    if isinstance(group, Mapping) and set(group) == {"podGroupName"}:
        above, mark = NATIVE.mark
        del copy[above][mark]
        copy[above][shape.mark[-1]] = shape.marked(group["podGroupName"])
    return copy
