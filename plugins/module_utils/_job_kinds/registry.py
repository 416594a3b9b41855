# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of job that there is: one row each."""

from __future__ import annotations

from typing import Dict, Optional

from .._job_model.kind import JobKind
from .._kube.resource import Ref
from .ps_job import PS_JOB
from .pytorchjob import PYTORCHJOB
from .tfjob import TFJOB
from .volcano_job import VOLCANO_JOB

# By the name of the module that makes it, in the order in which kinds are shown.
JOB_KINDS: Dict[str, JobKind] = {kind.name: kind for kind in (TFJOB, PYTORCHJOB, PS_JOB, VOLCANO_JOB)}


def kind_of(ref: Ref) -> Optional[JobKind]:
    """Return the kind of job that an object stands for by its API version and kind; None for any other object."""
    identity = (ref.api_version, ref.kind)
    return next((kind for kind in JOB_KINDS.values() if kind.identity == identity), None)


def kind_title(ref: Ref) -> str:
    """Return what people call a job of this kind: one without an operator is no ConfigMap to them."""
    kind = kind_of(ref)
    return kind.title if kind else ref.kind


def job_title(ref: Ref) -> str:
    """Return a job as people call it."""
    return f"{kind_title(ref)} {ref.namespace}/{ref.name}"
