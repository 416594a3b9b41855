# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One training job as objects: what every renderer returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

from .._common.problem import Problem
from .._kube.cluster import Cluster
from .._kube.resource import Manifest, Ref
from .kind import JobKind


@dataclass(frozen=True)
class Job:
    """One training job.

    root: the object that stands for it. parts: its other objects, in the order in which they are made; the root becomes
    their owner when they are written. notes: what a user should hear of, without being stopped.
    """

    kind: JobKind
    name: str
    namespace: str
    root: Manifest
    parts: Sequence[Manifest] = ()
    notes: Sequence[str] = ()

    @property
    def ref(self) -> Ref:
        """Return the identity of the root."""
        return self.kind.ref(self.name, self.namespace)

    def owns(self, live: Optional[Manifest]) -> bool:
        """Return True if an object is this job's, or its predecessor's of the same name, which goes with it."""
        owners = ((live or {}).get("metadata") or {}).get("ownerReferences") or []
        return any(self.kind.is_root(owner, self.name) for owner in owners)


# From a job's options, as the argument spec returns them, to its objects for a cluster; None when there are problems.
Renderer = Callable[[Mapping[str, Any], Cluster], Tuple[Optional[Job], List[Problem]]]
