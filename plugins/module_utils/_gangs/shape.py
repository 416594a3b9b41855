# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In which shape a cluster has gangs of Kubernetes' own: they differ from version to version."""

from __future__ import annotations

from .._kube.cluster import Cluster
from .backend import Backend
from .backend_native import NATIVE, SHAPES


def shape_of(cluster: Cluster, backend: Backend) -> Backend:
    """Return a backend as a cluster has it; a native one that is not switched on in the newest shape."""
    if backend is not NATIVE:
        return backend
    return next((shape for shape in SHAPES if cluster.serves(*shape.identity)), NATIVE)
